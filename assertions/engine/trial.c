/* SPDX-License-Identifier: MIT */
/*
 * trial.c: see trial.h. A check of a running program reads what is there at that moment; here that
 * is what the newest copy of the values had. So checks are made when a copy was, the first that is
 * due then:
 *
 *     copies      |    |    |     |              |    |      none where nothing was new
 *     every: I    x    x    x     x    x    x    x    x
 *     every: 2 I       x          x         x         x
 *
 * Where no copy comes nothing was sampled, and the check is made with what was there before. Copies
 * come early or late: for one that is less than half of their interval early a check is due. A busy
 * library's thread leaves one out now and then, which says nothing of samples: it is waited for the
 * next, half an interval beyond it.
 */
#include "assertions/engine/trial_int.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double since_start (const struct ppi_trial_open *open, uint64_t ns)
{
	return ((double) ns - (double) open->times.start_ns) * 1e-9;
}

/* ---- when there are values ------------------------------------------------------------------- */

static int compare_gaps (const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/*
 * From one copy to the next, where the file does not say it. Where nothing is new there is none,
 * and the last comes when the program ends: most of the shorter gaps are as long as was asked for.
 */
static uint64_t usual_gap (uint64_t *gap, size_t n)
{
	n -= n > 1;
	if (!n)
		return 0;
	qsort (gap, n, sizeof *gap, compare_gaps);
	return gap[n / 4];
}

/* A file may say anything: checks over all the time there is would not end. */
static bool is_time (const struct ppi_trial_times *times, uint64_t ns)
{
	return ns >= times->start_ns && ns - times->start_ns <= PPI_DURATION_MAX_NS;
}

/* The gaps between copies to *GAP, malloced, N of them. */
static int read_gaps (struct ppi_trial_open *open, uint64_t **gap, size_t *n)
{
	struct ppi_trial_times *times = &open->times;
	uint64_t ns, before = 0, *more;
	size_t room = 0;
	int error;

	if (!is_time (times, times->end_ns))
		return PP_EINVAL;
	while ((error = ppi_replay_next (open->replay, &ns)) > 0) {
		if (!is_time (times, ns) || ns < before)
			return PP_EINVAL;
		if (!times->steps++) {
			times->first_ns = before = ns;
			continue;
		}
		more = ppi_list_reach (*gap, *n, &room, sizeof **gap);
		if (!more)
			return PP_ENOMEM;
		*gap = more;
		more[(*n)++] = ns - before;
		before = ns;
	}
	return error;
}

static int read_times (struct ppi_trial_open *open)
{
	uint64_t said = ppi_recording_header (ppi_replay_recording (open->replay))->interval_ns;
	uint64_t *gap = NULL;
	size_t n = 0;
	int error = read_gaps (open, &gap, &n);

	/* one copy is no series; what a file says may be anything */
	if (!error && n)
		open->times.interval_ns =
			said && said <= PPI_DURATION_MAX_NS ? said : usual_gap (gap, n);
	free (gap);
	ppi_replay_rewind (open->replay);
	return error;
}

/* ---- checks ---------------------------------------------------------------------------------- */

/* How far from each other its sides are, where 0 is equal: sides of any two units compare. */
static double apart (double left, double right)
{
	double larger = fmax (fabs (left), fabs (right));

	return larger > 0 ? fabs (left - right) / larger : 0;
}

static void note_worst (struct ppi_trial_assertion *told, const struct ppi_verdict *verdict,
			double now_s)
{
	double now = apart (verdict->left, verdict->right),
	       before = apart (told->left, told->right);

	if (!isnan (told->worst_s) &&
	    !(now > before || (now == before && fabs (verdict->left - verdict->right) >
							fabs (told->left - told->right))))
		return;
	told->worst_s = now_s;
	told->left = verdict->left;
	told->right = verdict->right;
	told->dimension = verdict->dimension;
}

/* False: no memory. */
static bool note_edge (struct ppi_trial_checked *c, enum ppi_edge edge, double now_s)
{
	struct ppi_trial_assertion *told = c->told;
	struct ppi_trial_fire *more;

	if (edge == PPI_EDGE_CLEAR)
		told->fire[told->n_fires - 1].to_s = now_s;
	if (edge != PPI_EDGE_FIRE)
		return true;
	more = ppi_list_reach (told->fire, told->n_fires, &c->fires_room, sizeof *more);
	if (!more)
		return false;
	told->fire = more;
	more[told->n_fires++] = (struct ppi_trial_fire){now_s, NAN};
	return true;
}

static bool check (const struct ppi_trial_open *open, struct ppi_trial_checked *c, uint64_t now_ns)
{
	const struct ppi_policy_assertion *p = c->policy;
	const struct ppi_machine_spec spec = {p->fire_after, p->clear_after, p->cooldown_ns,
					      p->repeat};
	double now_s = since_start (open, now_ns);
	struct ppi_verdict verdict;
	enum ppi_outcome outcome;

	if (c->seen < p->after) {
		c->seen++;
		return true;
	}
	verdict = ppi_trial_evaluate (open, c, now_ns);
	outcome = isnan (verdict.value) ? PPI_UNKNOWN : verdict.value > 0.5 ? PPI_PASS : PPI_FAIL;
	c->outcome = outcome;
	c->is_still = ppi_trial_is_still (open, c, now_ns);
	c->told->checks++;
	c->told->unknowns += outcome == PPI_UNKNOWN;
	c->told->passes += outcome == PPI_PASS;
	c->told->violations += outcome == PPI_FAIL;
	if (outcome == PPI_FAIL)
		note_worst (c->told, &verdict, now_s);
	return note_edge (c, ppi_machine_step (&c->machine, &spec, outcome, now_ns), now_s);
}

/* Would another check that comes to the same as the newest one change its state? */
static bool is_settled (const struct ppi_trial_checked *c)
{
	return c->outcome == PPI_UNKNOWN || c->machine.firing == (c->outcome == PPI_FAIL);
}

/* The checks that are due by END_NS, which all come to the same as the newest one. */
static void count_alike (struct ppi_trial_checked *c, uint64_t end_ns)
{
	uint64_t n = (end_ns - c->due_ns) / c->policy->every_ns + 1;

	c->told->checks += n;
	c->told->unknowns += c->outcome == PPI_UNKNOWN ? n : 0;
	c->told->passes += c->outcome == PPI_PASS ? n : 0;
	c->told->violations += c->outcome == PPI_FAIL ? n : 0;
	c->due_ns += n * c->policy->every_ns;
}

/* Checks that are due by END_NS without new values. */
static bool check_idle (const struct ppi_trial_open *open, struct ppi_trial_checked *c,
			uint64_t end_ns)
{
	bool done = true;

	for (; done && c->due_ns <= end_ns; c->due_ns += c->policy->every_ns) {
		/* of a program that was idle for days there would be millions */
		if (c->is_still && is_settled (c)) {
			count_alike (c, end_ns);
			break;
		}
		ppi_replay_idle (open->replay, c->due_ns);
		done = check (open, c, c->due_ns);
	}
	return done;
}

static bool is_tried (const struct ppi_trial_checked *c)
{
	return !c->told->not_served;
}

/* Everything that has to be checked before the values of NS are there. */
static bool go_by (const struct ppi_trial_open *open, uint64_t ns)
{
	uint64_t late_ns = open->times.interval_ns / 2 * 3;

	for (size_t i = 0; i < open->n; i++)
		if (is_tried (&open->checked[i]) &&
		    !check_idle (open, &open->checked[i], ns > late_ns ? ns - late_ns : 0))
			return false;
	return true;
}

static bool step (const struct ppi_trial_open *open, uint64_t ns)
{
	for (size_t i = 0; i < open->n; i++) {
		struct ppi_trial_checked *c = &open->checked[i];

		if (!is_tried (c))
			continue;
		if (!ppi_trial_note (open, c, ns))
			return false;
		c->is_still = false;
		if (ns + open->times.interval_ns / 2 < c->due_ns)
			continue;
		c->due_ns = ns + c->policy->every_ns;
		if (!check (open, c, ns))
			return false;
	}
	return true;
}

static int run (struct ppi_trial_open *open)
{
	uint64_t ns;
	int more;

	for (size_t i = 0; i < open->n; i++) {
		uint64_t due_ns = open->times.start_ns + open->checked[i].policy->every_ns;

		/* of what was before the first values nothing is known */
		open->checked[i].due_ns =
			due_ns > open->times.first_ns ? due_ns : open->times.first_ns;
	}
	while ((more = ppi_replay_peek (open->replay, &ns)) > 0) {
		if (!go_by (open, ns))
			return PP_ENOMEM;
		more = ppi_replay_next (open->replay, &ns);
		if (more > 0 && !step (open, ns))
			return PP_ENOMEM;
	}
	if (more < 0)
		return more;
	/* what is due beyond the end the program would not have checked either */
	for (size_t i = 0; open->times.steps && i < open->n; i++)
		if (is_tried (&open->checked[i]) &&
		    !check_idle (open, &open->checked[i], open->times.end_ns))
			return PP_ENOMEM;
	return PP_OK;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static void tell (const struct ppi_trial_open *open, struct ppi_trial *out)
{
	for (size_t i = 0; i < out->n; i++) {
		struct ppi_trial_assertion *told = &out->assertion[i];

		told->is_firing = open->checked[i].machine.firing;
		if (told->n_fires && isnan (told->fire[told->n_fires - 1].to_s))
			told->fire[told->n_fires - 1].to_s = since_start (open, open->times.end_ns);
	}
}

static int prepare (struct ppi_trial_open *open, struct ppi_trial *out)
{
	const struct ppi_policy *policy = open->policy;

	open->n = out->n = policy->n_assertions + policy->late.assertions;
	open->checked = calloc (open->n + 1, sizeof *open->checked);
	out->assertion = calloc (open->n + 1, sizeof *out->assertion);
	if (!open->checked || !out->assertion) {
		open->n = out->n = 0;
		return PP_ENOMEM;
	}
	for (size_t i = 0; i < open->n; i++) {
		const struct ppi_policy_assertion *a = &policy->assertions[i];

		out->assertion[i] = (struct ppi_trial_assertion){
			.name = a->name->scalar,
			.expression = a->expect ? a->expect->scalar : "",
			.every_ns = a->every_ns,
			.severity = (enum pp_severity) a->severity,
			.worst_s = NAN,
			.left = NAN,
			.right = NAN};
		open->checked[i].policy = a;
		open->checked[i].told = &out->assertion[i];
	}
	for (size_t i = 0; i < open->n; i++)
		if (!ppi_trial_serve (open, &open->checked[i]))
			return PP_ENOMEM;
	return PP_OK;
}

/* Several processes have as many clocks of their own, and a policy holds in one. */
static int check_process (const struct ppi_recording *recording, const char *path, char *why,
			  size_t room)
{
	const struct ppi_process_entry *list;

	return ppi_recording_processes (recording, &list) == 1
		       ? PP_OK
		       : ppi_fail (PP_EINVAL, why, room,
				   "%s is merged of several processes, and a policy is of one: "
				   "name the recording of one of them",
				   path);
}

static int say (int error, const char *path, char *why, size_t room)
{
	if (error == PP_ENOMEM)
		return ppi_fail (error, why, room, "no memory");
	return error == PP_EINVAL
		       ? ppi_fail (error, why, room,
				   "%s is damaged: times in it are not those of a run", path)
		       : ppi_fail (error, why, room, "%s can't be read any further", path);
}

static int open_all (struct ppi_trial_open *open, const char *policy, const char *path,
		     void (*line) (const char *line, void *arg), void *arg, char *why, size_t room)
{
	const struct ppi_recording *recording;
	const struct ppi_region_header *header;
	int error = ppi_replay_open (path, &open->replay, why, room);

	if (error)
		return error;
	recording = ppi_replay_recording (open->replay);
	header = ppi_recording_header (recording);
	error = check_process (recording, path, why, room);
	if (error)
		return error;
	open->times.start_ns = header->start_ns;
	open->times.end_ns = ppi_replay_end (open->replay);
	error = ppi_trial_read (recording, policy, line, arg, &open->policy);
	if (error == PP_ENOMEM)
		return ppi_fail (error, why, room, "no memory");
	/* that a policy can't be read is told as its errors are */
	if (error)
		return PP_EPOLICY;
	error = read_times (open);
	return error ? say (error, path, why, room) : PP_OK;
}

int ppi_trial_run (const char *policy, const char *path, void (*line) (const char *line, void *arg),
		   void *arg, struct ppi_trial *out, char *why, size_t room)
{
	struct ppi_trial_open *open = calloc (1, sizeof *open);
	int error;
	uint64_t lost_ns;

	*out = (struct ppi_trial){.open = open, .first_s = NAN, .interval_s = NAN, .lost_s = NAN};
	if (!open)
		return ppi_fail (PP_ENOMEM, why, room, "no memory");
	error = open_all (open, policy, path, line, arg, why, room);
	if (error)
		return error;
	out->measured_s = since_start (open, open->times.end_ns);
	out->steps = open->times.steps;
	if (out->steps)
		out->first_s = since_start (open, open->times.first_ns);
	if (open->times.interval_ns)
		out->interval_s = (double) open->times.interval_ns * 1e-9;
	out->damage = ppi_recording_damage (ppi_replay_recording (open->replay));
	error = prepare (open, out);
	if (!error)
		error = run (open);
	if (error)
		return say (error, path, why, room);
	tell (open, out);
	out->lost = ppi_replay_lost (open->replay, &lost_ns);
	if (out->lost)
		out->lost_s = since_start (open, lost_ns);
	return PP_OK;
}

void ppi_trial_clear (struct ppi_trial *trial)
{
	struct ppi_trial_open *open = trial->open;

	for (size_t i = 0; i < trial->n; i++) {
		free (trial->assertion[i].not_served);
		free (trial->assertion[i].fire);
		ppi_trial_forget (&open->checked[i]);
	}
	free (trial->assertion);
	if (!open)
		return;
	free (open->checked);
	if (open->policy)
		ppi_policy_destroy (open->policy);
	ppi_replay_close (open->replay);
	free (open);
}
