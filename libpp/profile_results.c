/* SPDX-License-Identifier: MIT */
/*
 * profile_results.c: what the program's own profile has. As pp_report does, it makes an image of
 * the live region and reads that; but functions' names need libdw, so all of it is done by a module
 * that is loaded on first use (profiler/analysis/module.h).
 */
#include "libpp/profile.h"

#include "base/c_locale.h"
#include "base/fp.h"
#include "base/glob.h"
#include "base/lock.h"
#include "base/message.h"
#include "base/rank.h"
#include "libmetrics/life/recording.h"
#include "libmetrics/region/region.h"
#include "profiler/analysis/module.h"
#include "profiler/sampler/program.h"

#include <pthread.h>
#include <stdlib.h>

static const struct ppi_profile_module *module; /* atomic */
static unsigned by;                             /* enum pp_profile_by; atomic */

/* The module reads one image at a time. */
static pthread_mutex_t rendering = PTHREAD_MUTEX_INITIALIZER;

void ppi_results_by (enum pp_profile_by what)
{
	__atomic_store_n (&by, what, __ATOMIC_RELAXED);
}

void ppi_results_forget (void)
{
	pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;

	rendering = fresh;
}

const struct ppi_profile_module *ppi_results_module (void)
{
	static const struct ppi_module_wish wish = {
		.who = "results of a profile need",
		.file = PPI_PROFILE_FILE,
		.symbol = PPI_PROFILE_SYMBOL,
		.directory = PP_MODULE_DIR,
		.head = {sizeof *module, PPI_PROFILE_MODULE_VERSION}};
	static bool told; /* atomic */
	const struct ppi_profile_module *found = __atomic_load_n (&module, __ATOMIC_ACQUIRE);
	char why[512];

	if (found)
		return found;
	found = ppi_module_load (&wish, why, sizeof why);
	if (!found && !__atomic_exchange_n (&told, true, __ATOMIC_RELAXED))
		ppi_message ("%s; pp_record writes what `ppctl profile` shows (said once)", why);
	__atomic_store_n (&module, found, __ATOMIC_RELEASE);
	return found;
}

static void tell (const char *path, const char *why)
{
	static bool told; /* atomic */

	if (!__atomic_exchange_n (&told, true, __ATOMIC_RELAXED))
		ppi_message ("profile: %s %s (said once)", path, why);
}

/* Malloced; NULL: no memory. */
static char *image_of_region (size_t *bytes)
{
	char *image = NULL;

	ppi_lock ();
	if (ppi_region_init () == PP_OK)
		image = ppi_region_image (false, bytes);
	ppi_unlock ();
	return image;
}

/* And the module *M that has read them, which is not loaded before there is a profile. */
static int read_samples (const struct ppi_profile_module **m, struct ppi_samples **out)
{
	enum pp_profile_by what = (enum pp_profile_by) __atomic_load_n (&by, __ATOMIC_RELAXED);
	struct ppi_samples_span span;
	int error = ppi_program_span (&span);
	char why[256], *image;
	size_t bytes;

	if (error)
		return error;
	*m = ppi_results_module ();
	if (!*m)
		return PP_EUNAVAILABLE;
	image = image_of_region (&bytes);
	if (!image)
		return PP_ENOMEM;
	ppi_rank_take (PPI_RANK_RENDERING);
	pthread_mutex_lock (&rendering);
	error = (*m)->read (image, bytes, what, &span, tell, out, why, sizeof why);
	pthread_mutex_unlock (&rendering);
	ppi_rank_give (PPI_RANK_RENDERING);
	free (image);
	if (error == PP_EIO)
		ppi_message ("profile: %s", why);
	return error;
}

int pp_profile_snapshot (struct pp_profile_result **out)
{
	PPI_KEEP_HOST;
	PPI_C_LOCALE;
	const struct ppi_profile_module *m;
	struct ppi_samples *samples;
	int error;

	if (!out)
		return PP_EINVAL;
	*out = NULL;
	error = read_samples (&m, &samples);
	return error ? error
		     : m->make (samples,
				(enum pp_profile_by) __atomic_load_n (&by, __ATOMIC_RELAXED), out);
}

void pp_profile_free (struct pp_profile_result *result)
{
	PPI_KEEP_HOST;

	if (result)
		ppi_results_module ()->release (result);
}

/* OUT may be slow, and the program's locale is not for numbers. */
static int put (const struct ppi_profile_module *m, const struct pp_profile_result *result,
		const struct pp_profile_options *options, FILE *out)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *memory = open_memstream (&text, &bytes);
	int error = PP_ENOMEM;

	if (memory) {
		PPI_C_LOCALE;

		error = m->print (result, options, memory);
		if (fclose (memory) != 0 && !error)
			error = PP_ENOMEM;
	}
	if (!error && fwrite (text, 1, bytes, out) != bytes)
		error = PP_EIO;
	free (text);
	return error;
}

int pp_profile_print (const struct pp_profile_result *result,
		      const struct pp_profile_options *options, FILE *out)
{
	static const struct pp_profile_options usual = PP_PROFILE_OPTIONS;
	PPI_KEEP_HOST;
	const struct pp_profile_options *o = options ? options : &usual;

	if (!result || !out || o->size != sizeof *o || (unsigned) o->format > PP_FORMAT_PPROF ||
	    (unsigned) o->order > PP_ORDER_TOTAL)
		return PP_EINVAL;
	return put (ppi_results_module (), result, o, out);
}

int pp_samples_each (const char *key, int (*fn) (const struct pp_profile_sample *sample, void *arg),
		     void *arg)
{
	PPI_KEEP_HOST;
	const struct ppi_profile_module *m;
	struct ppi_samples *samples;
	int error;

	if (!fn || (key && (!*key || !ppi_pattern_names (key))))
		return PP_EINVAL;
	error = read_samples (&m, &samples);
	if (error)
		return error;
	/* without a lock: FN may make a snapshot */
	error = m->each (samples, key, fn, arg);
	m->forget (samples);
	return error;
}
