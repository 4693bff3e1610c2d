/* SPDX-License-Identifier: MIT */
/* pp_report.c: pp_report, the report on this process's own live region. */
#include "base/c_locale.h"
#include "base/fp.h"
#include "base/lock.h"
#include "base/message.h"
#include "base/part.h"
#include "libmetrics/life/recording.h"
#include "libmetrics/region/region.h"
#include "recording/read.h"
#include "report/render.h"

#include <errno.h>
#include <pp.h>
#include <stdlib.h>

/* With the lock: threads that have ended are not folded away while their shards are merged. */
static int make_text (FILE *out)
{
	struct ppi_recording *recording;
	struct ppi_report *report = NULL;
	char why[200], *image;
	size_t bytes;
	int error = ppi_region_init ();

	if (error)
		return error;
	/* of its own: what was checked is what is read */
	image = ppi_region_image (false, &bytes);
	if (!image)
		return PP_ENOMEM;
	error = ppi_recording_attach (image, bytes, "the live region", &recording, why, sizeof why);
	if (error) {
		ppi_message ("pp_report: %s", why);
	} else {
		report = ppi_report_build (recording, PPI_EXTENT_BRIEF);
		if (report)
			ppi_report_text (out, report, NULL);
		else
			error = PP_ENOMEM;
		ppi_report_free (report);
		ppi_recording_close (recording);
	}
	free (image);
	return error;
}

/* OUT may be slow: it is written to without the lock. */
int pp_report (FILE *out)
{
	PPI_DEFAULT_FP;
	PPI_C_LOCALE;
	int saved = errno, error = PP_ENOMEM;
	char *text = NULL;
	size_t bytes = 0;
	FILE *memory = out ? open_memstream (&text, &bytes) : NULL;

	if (!out)
		return PP_EINVAL;
	if (memory) {
		ppi_parts_figures ();
		ppi_lock ();
		error = make_text (memory);
		ppi_unlock ();
		if (fclose (memory) != 0 && !error)
			error = PP_ENOMEM;
	}
	if (!error && fwrite (text, 1, bytes, out) != bytes)
		error = PP_EIO;
	free (text);
	errno = saved;
	return error;
}
