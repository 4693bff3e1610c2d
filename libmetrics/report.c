/* SPDX-License-Identifier: MIT */
/* report.c: pp_report, the report of ppctl on this process's own live region. */
#include "report.h"
#include "fp.h"

#include "region.h"
#include "runtime.h"
#include "site_state.h"
#include "thread_life.h"

#include <errno.h>
#include <stdlib.h>

/* With the lock: threads that have ended are not folded away while their shards are merged. */
static int make_text (FILE *out)
{
	struct ppi_region_header *header;
	struct ppi_recording *recording;
	char why[200];
	int error = ppi_region_init ();

	if (error)
		return error;
	ppi_region_stamp ();
	header = ppi_region_header ();
	error = ppi_recording_attach (header, ppi_region_mapped (), "the live region", &recording, why, sizeof why);
	if (error) {
		ppi_message ("pp_report: %s", why);
		return error;
	}
	ppi_report_text (out, recording);
	ppi_recording_close (recording);
	return PP_OK;
}

static void (*figures_hook) (void);

void ppi_figures_hook_set (void (*fn) (void))
{
	figures_hook = fn;
}

void ppi_figures_call (void)
{
	if (figures_hook)
		figures_hook ();
}

/* OUT may be slow: it is written to without the lock. */
int pp_report (FILE *out)
{
	PPI_DEFAULT_FP;
	int saved = errno, error = PP_ENOMEM;
	char *text = NULL;
	size_t bytes = 0;
	FILE *memory = out ? open_memstream (&text, &bytes) : NULL;

	if (!out)
		return PP_EINVAL;
	if (memory) {
		ppi_figures_call ();
		ppi_lock ();
		ppi_drops_publish ();
		ppi_sites_note ();
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
