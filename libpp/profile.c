/* SPDX-License-Identifier: MIT */
/*
 * profile.c: the profile that the program takes of itself: control. Samples are the profiler's
 * (profiler/sampler/program.c); what is made of them is in profile_results.c.
 */
#include "libpp/profile.h"

#include "base/fp.h"
#include "base/message.h"
#include "libpp/parts.h"
#include "libpp/thread.h"
#include "profiler/sampler/program.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WHY = 512 };

#define SECONDS_LEAST 1e-4
#define SECONDS_MOST 3600.0
#define PERIODIC_LEAST 0.01

/* ---- options --------------------------------------------------------------------------------- */

static bool is_delay (double seconds)
{
	return isfinite (seconds) && seconds >= SECONDS_LEAST && seconds <= SECONDS_MOST;
}

static uint64_t period_of (double seconds)
{
	uint64_t ns = (uint64_t) (seconds * 1e9 + 0.5);

	return ns < PPI_SAMPLE_PERIOD_LEAST ? PPI_SAMPLE_PERIOD_LEAST : ns;
}

static bool are_threads (enum pp_track track, const int *thread, size_t n)
{
	if (track != PP_TRACK_CHOSEN)
		return (unsigned) track <= PP_TRACK_CHOSEN;
	if (!thread || !n || n > PPI_TRACKED_MOST)
		return false;
	for (size_t i = 0; i < n; i++)
		if (thread[i] <= 0)
			return false;
	return true;
}

static bool are_sites (const struct pp_profile_options *o)
{
	if (!o->sites)
		return true;
	for (size_t i = 0; o->site && i < o->sites; i++)
		if (!o->site[i])
			return false;
	return o->site && o->by == PP_BY_INTERVAL;
}

static bool is_share (double share)
{
	return share >= 0 && share <= 1;
}

/* What makes no sense of what O asks for; NULL: nothing. */
static const char *wrong (const struct pp_profile_options *o)
{
	if (o->size != sizeof *o)
		return "options begin with PP_PROFILE_OPTIONS";
	if ((unsigned) o->by > PP_BY_INTERVAL || (unsigned) o->order > PP_ORDER_TOTAL ||
	    (unsigned) o->format > PP_FORMAT_PPROF)
		return "there is no such node, order or format";
	if (!is_delay (o->delay))
		return "the delay is 0.0001 to 3600 s";
	if (!are_threads (o->track, o->thread, o->threads))
		return "chosen threads are 1 to 1024 kernel ids";
	if (!are_sites (o))
		return "sites are patterns of intervals that are watched: by PP_BY_INTERVAL";
	if (!is_share (o->hide_self) || !is_share (o->hide_subs))
		return "what is hidden is a share, 0 to 1";
	if (o->periodic != 0 && (!isfinite (o->periodic) || o->periodic < PERIODIC_LEAST ||
				 o->periodic > SECONDS_MOST || !o->periodic_render))
		return "what is periodic is a function each 0.01 to 3600 s";
	return NULL;
}

/* ---- which threads --------------------------------------------------------------------------- */

struct chosen {
	enum ppi_track track;
	uint32_t self;
	uint32_t *list; /* malloced */
	const uint32_t *thread;
	size_t n;
};

/* False: no memory. */
static bool choose (enum pp_track track, const int *thread, size_t n, struct chosen *out)
{
	*out = (struct chosen){.track = PPI_TRACK_ALL, .self = (uint32_t) gettid ()};
	if (track == PP_TRACK_ALL)
		return true;
	out->track = track == PP_TRACK_CREATED ? PPI_TRACK_CREATED : PPI_TRACK_CHOSEN;
	out->thread = &out->self;
	out->n = 1;
	if (track != PP_TRACK_CHOSEN)
		return true;
	out->thread = out->list = calloc (n, sizeof *out->list);
	for (size_t i = 0; out->list && i < n; i++)
		out->list[i] = (uint32_t) thread[i];
	out->n = n;
	return out->list != NULL;
}

/* ---- beginning and end ----------------------------------------------------------------------- */

static int ask (const struct pp_profile_options *o, char *why)
{
	struct chosen chosen;
	int error = PP_ENOMEM;

	snprintf (why, WHY, "no memory");
	if (choose (o->track, o->thread, o->threads, &chosen))
		error = ppi_program_ask (
			&(struct ppi_profile_wish){
				.sampler = o->by == PP_BY_INTERVAL ? PPI_SAMPLER_WATCHER
								   : PPI_SAMPLER_INTERRUPTER,
				.is_cpu = o->by != PP_BY_INTERVAL || o->is_cpu,
				.period_ns = period_of (o->delay),
				.features = PPI_FEATURES_UNSAID,
				.site = o->site,
				.sites = o->sites,
			},
			chosen.track, chosen.thread, chosen.n, why, WHY);
	free (chosen.list);
	return error;
}

static int end (void)
{
	if (ppi_is_renderer ())
		return PP_ESTATE;
	if (ppi_program_claim () != PP_OK)
		return PP_ESTATE;
	ppi_renderer_stop (true);
	ppi_program_end (ppi_thread_wake);
	return PP_OK;
}

/* 0, or an error with WHY. */
static int start (const struct pp_profile_options *o, char *why)
{
	const char *is_wrong = wrong (o);
	int error;

	snprintf (why, WHY, "%s", is_wrong ? is_wrong : "");
	if (is_wrong)
		return PP_EINVAL;
	error = ask (o, why);
	if (error == PP_ESTATE)
		snprintf (why, WHY, "a profile is taken already, or the program ends");
	if (error)
		return error;
	ppi_results_by (o->by);
	error = ppi_renderer_start (o);
	/* where there is no library's thread, and none can be made, that is said by it */
	ppi_thread_wake ();
	if (ppi_program_begin () != PP_OK) {
		ppi_renderer_stop (true);
		snprintf (why, WHY, "no samples are taken");
		return PP_EUNAVAILABLE;
	}
	if (error) {
		snprintf (why, WHY, "no thread for what is periodic: %s", strerror (error));
		(void) end ();
		return PP_EUNAVAILABLE;
	}
	return PP_OK;
}

int pp_profile_start (const struct pp_profile_options *options)
{
	static const struct pp_profile_options usual = PP_PROFILE_OPTIONS;
	PPI_KEEP_HOST;
	char why[WHY];
	int error = start (options ? options : &usual, why);

	if (error && error != PP_ESTATE && error != PP_EINVAL)
		ppi_message ("pp_profile_start: %s", why);
	return error;
}

int pp_profile_stop (void)
{
	PPI_KEEP_HOST;

	return end ();
}

/* ---- while it is taken ----------------------------------------------------------------------- */

int pp_profile_pause (void)
{
	PPI_KEEP_HOST;

	return ppi_program_pause ();
}

int pp_profile_resume (void)
{
	PPI_KEEP_HOST;

	return ppi_program_resume ();
}

int pp_profile_delay (double seconds)
{
	PPI_KEEP_HOST;

	return is_delay (seconds) ? ppi_program_period (period_of (seconds)) : PP_EINVAL;
}

int pp_profile_track (enum pp_track track, const int *thread, size_t n)
{
	PPI_KEEP_HOST;
	struct chosen chosen;
	int error = PP_ENOMEM;

	if (!are_threads (track, thread, n))
		return PP_EINVAL;
	if (choose (track, thread, n, &chosen))
		error = ppi_program_track (chosen.track, chosen.thread, chosen.n);
	free (chosen.list);
	return error;
}

/* ---- a function ------------------------------------------------------------------------------ */

static void tell_once (const char *why)
{
	static bool told; /* atomic */

	if (!__atomic_exchange_n (&told, true, __ATOMIC_RELAXED))
		ppi_message ("pp_profile: %s: the function runs without a profile (said once)",
			     why);
}

/* Did it begin? */
static bool begin_for (const struct pp_profile_options *o)
{
	PPI_KEEP_HOST;
	char why[WHY];

	if (start (o, why) == PP_OK)
		return true;
	tell_once (why);
	return false;
}

static void show (const struct pp_profile_options *o)
{
	PPI_KEEP_HOST;
	struct pp_profile_result *result = NULL;
	int error = pp_profile_snapshot (&result);

	if (!error && o->render)
		o->render (result, o->order, o->render_arg);
	else if (!error)
		error = pp_profile_print (result, o, o->out ? o->out : stdout);
	/* that there is no module was said */
	if (error && error != PP_EUNAVAILABLE)
		ppi_message ("pp_profile: the profile can't be shown: %s", pp_strerror (error));
	pp_profile_free (result);
}

struct running {
	bool is_on;
};

/* Behind an exception, or at the end of the thread, too. */
static void leave (const struct running *running)
{
	if (running->is_on)
		pp_profile_stop ();
}

void *pp_profile (void *(*fn) (void *), void *arg, const struct pp_profile_options *options)
{
	static const struct pp_profile_options usual = PP_PROFILE_OPTIONS;
	const struct pp_profile_options *o = options ? options : &usual;
	__attribute__ ((cleanup (leave))) struct running running = {begin_for (o)};
	unsigned repeat = o->size == sizeof *o && o->repeat ? o->repeat : 1;
	void *value = NULL;

	for (unsigned i = 0; i < repeat; i++)
		value = fn (arg);
	if (running.is_on) {
		running.is_on = false;
		/* in a child that FN made there is none */
		if (pp_profile_stop () == PP_OK)
			show (o);
	}
	return value;
}

/* ---- Fortran --------------------------------------------------------------------------------- */

/* Not in pp.h: C has no use for them. include/pp.f90 declares them. */
#pragma GCC visibility push(default)
void pp_profile_start_ (double delay);
void pp_profile_pause_ (void);
void pp_profile_resume_ (void);
void pp_profile_stop_ (void);
void pp_profile_print_ (void);
#pragma GCC visibility pop

void pp_profile_start_ (double delay)
{
	struct pp_profile_options options = PP_PROFILE_OPTIONS;

	options.track = PP_TRACK_ALL;
	if (delay > 0)
		options.delay = delay;
	pp_profile_start (&options);
}

void pp_profile_pause_ (void)
{
	pp_profile_pause ();
}

void pp_profile_resume_ (void)
{
	pp_profile_resume ();
}

void pp_profile_stop_ (void)
{
	pp_profile_stop ();
}

void pp_profile_print_ (void)
{
	struct pp_profile_result *result = NULL;

	if (pp_profile_snapshot (&result) == PP_OK)
		pp_profile_print (result, NULL, stdout);
	pp_profile_free (result);
	fflush (stdout);
}

/* ---- the life of a process ------------------------------------------------------------------- */

static void forget (void)
{
	ppi_renderer_forget ();
	ppi_results_forget ();
}

static void fini (void)
{
	ppi_renderer_stop (false);
}

const struct ppi_part ppi_profile_part = {.fork_child = forget, .fini = fini};
