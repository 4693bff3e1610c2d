/* SPDX-License-Identifier: MIT */
/* output.c: files that ppctl writes; see ppctl.h. */
#include "ppctl/ppctl.h"
#include "recording/file.h"

#include <sys/stat.h>

const char *ppctl_guarded (const char *output, const char *input)
{
	struct stat in, out;
	char why[8];

	if (lstat (output, &out) != 0 || !S_ISREG (out.st_mode))
		return "";
	if (input && stat (input, &in) == 0 && in.st_dev == out.st_dev && in.st_ino == out.st_ino)
		return "it is what is read";
	return ppi_file_check (output, PPI_REPLACE_RECORDING, NULL, why, sizeof why) == PP_OK
		       ? "it is a recording"
		       : "";
}
