/* SPDX-License-Identifier: MIT */
/*
 * actions.c: what a policy does when an assertion fires or clears. Once per edge, by the owner,
 * with the runtime's lock.
 */
#include "assertions/react/actions.h"

#include "assertions/engine/action.h"
#include "assertions/engine/assertion.h"
#include "assertions/engine/callback.h"
#include "assertions/engine/knob.h"
#include "assertions/engine/machine.h"
#include "assertions/engine/policies.h"
#include "assertions/engine/post.h"
#include "assertions/engine/report_text.h"
#include "assertions/engine/ring.h"
#include "assertions/engine/seen.h"
#include "assertions/react/investigate.h"
#include "assertions/react/jobs.h"
#include "base/lock.h"
#include "base/message.h"
#include "base/part.h"
#include "base/profile.h"
#include "libmetrics/life/flight.h"
#include "libmetrics/life/recording.h"
#include "libmetrics/region/history.h"
#include "libmetrics/registry/batch.h"
#include "libmetrics/registry/rule.h"
#include "recording/layout.h"

#include <math.h>
#include <string.h>
#include <syslog.h>

#define SECOND_NS UINT64_C (1000000000)
#define LOG_BURST 5u

static uint32_t slots_changes = 1; /* of the times at which bindings end [lock] */

static void failed (const struct ppi_assertion *a, struct ppi_action *action, const char *what,
		    const char *why)
{
	action->failed++;
	if (action->told)
		return;
	action->told = true;
	ppi_message ("error: an action of assertion '%s' failed: %s: %s (said once)", a->name, what,
		     why);
}

/* ---- log ------------------------------------------------------------------------------------- */

/* Five lines at once, then one a second */
static bool may_log (struct ppi_assertion *a, uint64_t now_ns)
{
	uint64_t seconds = (now_ns - a->log_ns) / SECOND_NS;

	if (!a->log_ns) {
		a->log_tokens = LOG_BURST;
		a->log_ns = now_ns ? now_ns : 1;
	} else if (seconds) {
		a->log_tokens = seconds > LOG_BURST - a->log_tokens
					? LOG_BURST
					: a->log_tokens + (uint32_t) seconds;
		a->log_ns += seconds * SECOND_NS;
	}
	if (!a->log_tokens) {
		a->log_suppressed++;
		ppi_store (&a->chunk->suppressed, ppi_load (&a->chunk->suppressed) + 1);
		return false;
	}
	a->log_tokens--;
	return true;
}

static enum ppi_log_level level_of (const struct ppi_assertion *a, const struct ppi_action *action)
{
	static const uint8_t levels[] = {[PP_SEVERITY_INFO] = PPI_LOG_INFO,
					 [PP_SEVERITY_WARNING] = PPI_LOG_WARNING,
					 [PP_SEVERITY_ERROR] = PPI_LOG_ERROR,
					 [PP_SEVERITY_CRITICAL] = PPI_LOG_ERROR};

	return action->written->level == PPI_LOG_AS_SEVERE ? levels[a->severity]
							   : action->written->level;
}

static void log_line (const struct ppi_assertion *a, const struct ppi_action *action,
		      const char *line)
{
	static const int priorities[] = {[PPI_LOG_DEBUG] = LOG_DEBUG,
					 [PPI_LOG_INFO] = LOG_INFO,
					 [PPI_LOG_WARNING] = LOG_WARNING,
					 [PPI_LOG_ERROR] = LOG_ERR};
	int priority =
		a->severity == PP_SEVERITY_CRITICAL ? LOG_CRIT : priorities[level_of (a, action)];

	switch ((enum ppi_log_target) action->written->target) {
	case PPI_LOG_STDERR:
		ppi_message ("%s", line);
		break;
	case PPI_LOG_SYSLOG:
		ppi_job_add (PPI_JOB_SYSLOG, NULL, line, priority, 0);
		break;
	case PPI_LOG_FILE:
		ppi_job_add (PPI_JOB_FILE, action->written->file->scalar, line, 0, 0);
		break;
	}
}

static const char *level_name (enum ppi_log_level level)
{
	static const char *const levels[] = {
#define X(id, name) name,
		PPI_LOG_LEVELS (X)
#undef X
	};

	return levels[level];
}

/* Of an investigation: where the assertion logs, as bad as that */
static void log_result (struct ppi_assertion *a, const struct ppi_action *action, uint64_t now_ns)
{
	enum ppi_log_level level = level_of (a, action);
	char line[PPI_SENTENCE_BYTES + 80];

	if (level == PPI_LOG_DEBUG || !may_log (a, now_ns))
		return;
	snprintf (line, sizeof line, "%s: assertion %s: %s", level_name (level), a->name,
		  a->culprit_text);
	log_line (a, action, line);
}

static void log_edge (struct ppi_assertion *a, const struct ppi_action *action,
		      const struct ppi_notice *notice, uint64_t now_ns)
{
	char sentence[PPI_SENTENCE_BYTES], line[PPI_SENTENCE_BYTES + 80];
	enum ppi_log_level level = level_of (a, action);
	const char *text;

	text = action->written->name ? action->written->name->scalar
				     : ppi_sentence (a, notice, sentence, sizeof sentence);
	ppi_history (PPI_HISTORY_LOG, a->name, text, NULL, 0);
	if (level == PPI_LOG_DEBUG || !may_log (a, now_ns))
		return;
	if (a->log_suppressed)
		snprintf (line, sizeof line, "%s: %s (%llu more were not printed)",
			  level_name (level), text, (unsigned long long) a->log_suppressed);
	else
		snprintf (line, sizeof line, "%s: %s", level_name (level), text);
	log_line (a, action, line);
	a->log_suppressed = 0;
}

void ppi_investigated (struct ppi_assertion *a, pp_site *site, uint64_t now_ns)
{
	struct ppi_notice notice = {.edge = PPI_EDGE_FIRE,
				    .investigated = true,
				    .seen = {.ns = now_ns, .site = site, .left = NAN, .right = NAN},
				    .violations = ppi_load (&a->chunk->violations),
				    .checks = ppi_load (&a->chunk->checks),
				    .fired = ppi_load (&a->chunk->fired)};

	for (uint32_t i = 0; i < a->n_captures; i++)
		notice.seen.captured[i] = (struct ppi_captured){NAN, NAN, NAN};
	ppi_history (PPI_HISTORY_INVESTIGATE, a->name, a->culprit_text, NULL, 0);
	for (size_t i = 0; i < a->n_on_fire; i++)
		if (a->on_fire[i].written->kind == PPI_ACTION_LOG)
			log_result (a, &a->on_fire[i], now_ns);
	if (ppi_callbacks_exist (a->name))
		ppi_delivery_add (a, &notice, NULL);
}

/* ---- bind, unbind ---------------------------------------------------------------------------- */

static void slot_unbind (struct ppi_slot *slot)
{
	ppi_rule_destroy (slot->rule);
	slot->rule = NULL;
	slot->until_ns = 0;
	ppi_history (PPI_HISTORY_UNBIND, pp_metric_name (slot->metric), slot->pattern, NULL, 0);
}

static void bind (struct ppi_assertion *a, struct ppi_action *action, uint64_t now_ns)
{
	for (size_t i = 0; i < action->n_slots; i++) {
		struct ppi_slot *slot = &action->slots[i];
		char why[256] = "";
		int error;

		slot->until_ns = slot->for_ns ? now_ns + slot->for_ns : 0;
		slots_changes++;
		if (slot->rule)
			continue;
		error = ppi_rule_create (slot->metric, slot->pattern, slot->every, &slot->rule, why,
					 sizeof why);
		if (error < 0) {
			slot->rule = NULL;
			failed (a, action, "bind", *why ? why : pp_strerror (error));
			continue;
		}
		ppi_history (PPI_HISTORY_BIND, pp_metric_name (slot->metric), slot->pattern, NULL,
			     0);
	}
}

/* Takes away what this policy bound with the same pattern; returns how many rules that were */
static unsigned unbind_slots (struct ppi_slot *slots, size_t n, const struct ppi_slot *what)
{
	unsigned unbound = 0;

	for (size_t i = 0; i < n; i++)
		if (slots[i].rule && slots[i].metric == what->metric &&
		    strcmp (slots[i].pattern, what->pattern) == 0) {
			slot_unbind (&slots[i]);
			unbound++;
		}
	return unbound;
}

static unsigned unbind_actions (struct ppi_action *actions, size_t n, const struct ppi_slot *what)
{
	unsigned unbound = 0;

	for (size_t i = 0; i < n; i++)
		if (actions[i].written->kind == PPI_ACTION_BIND)
			unbound += unbind_slots (actions[i].slots, actions[i].n_slots, what);
	return unbound;
}

static void unbind (struct ppi_assertion *a, struct ppi_action *action)
{
	struct ppi_loaded *loaded = a->policy;

	for (size_t i = 0; i < action->n_slots; i++) {
		const struct ppi_slot *what = &action->slots[i];
		unsigned unbound = unbind_slots (loaded->slots, loaded->n_slots, what);
		int sites;

		for (size_t k = 0; k < loaded->policy->n_assertions; k++) {
			struct ppi_assertion *other = loaded->assertions[k];

			unbound += unbind_actions (other->on_fire, other->n_on_fire, what);
			unbound += unbind_actions (other->on_clear, other->n_on_clear, what);
		}
		if (unbound)
			continue;
		/* not this policy's: what the source or pp_bind bound */
		sites = pp_unbind (what->metric, what->pattern);
		if (sites > 0)
			ppi_history (PPI_HISTORY_UNBIND, pp_metric_name (what->metric),
				     what->pattern, NULL, 0);
		else if (sites < 0 && sites != PP_ENOENT)
			failed (a, action, "unbind", pp_strerror (sites));
	}
}

static uint64_t expire_slots (struct ppi_slot *slots, size_t n, uint64_t now_ns, uint64_t next)
{
	for (size_t i = 0; i < n; i++) {
		struct ppi_slot *slot = &slots[i];

		if (!slot->rule || !slot->until_ns)
			continue;
		if (slot->until_ns <= now_ns) {
			slot_unbind (slot);
			slot->over = slot->permanent;
		} else if (slot->until_ns < next) {
			next = slot->until_ns;
		}
	}
	return next;
}

static uint64_t expire (struct ppi_action *actions, size_t n, uint64_t now_ns, uint64_t next)
{
	for (size_t i = 0; i < n; i++)
		if (actions[i].written->kind == PPI_ACTION_BIND)
			next = expire_slots (actions[i].slots, actions[i].n_slots, now_ns, next);
	return next;
}

/* It cleared, in all threads: what was bound until then ends */
static void end_until_clear (struct ppi_assertion *a)
{
	if (a->threads && ppi_load (&a->firing))
		return;
	for (size_t i = 0; i < a->n_on_fire; i++)
		for (size_t k = 0; k < a->on_fire[i].n_slots; k++)
			if (a->on_fire[i].slots[k].rule && a->on_fire[i].slots[k].until_clear)
				slot_unbind (&a->on_fire[i].slots[k]);
}

static uint64_t expire_all (struct ppi_loaded *loaded, uint64_t now_ns)
{
	uint64_t next;

	if (loaded->slots_seen == slots_changes && now_ns < loaded->slots_due_ns)
		return loaded->slots_due_ns;
	next = expire_slots (loaded->slots, loaded->n_slots, now_ns, UINT64_MAX);
	for (size_t i = 0; i < loaded->policy->n_assertions; i++) {
		struct ppi_assertion *a = loaded->assertions[i];

		next = expire (a->on_fire, a->n_on_fire, now_ns, next);
		next = expire (a->on_clear, a->n_on_clear, now_ns, next);
	}
	loaded->slots_seen = slots_changes;
	loaded->slots_due_ns = next;
	return next;
}

/* Destroys rules of bindings whose time is over; when the next one's is. */
static uint64_t tick (uint64_t now_ns)
{
	uint64_t next = UINT64_MAX, due;

	ppi_lock ();
	ppi_batch_begin ();
	for (struct ppi_loaded *loaded = ppi_policies; loaded; loaded = loaded->next) {
		due = expire_all (loaded, now_ns);
		next = due < next ? due : next;
	}
	ppi_batch_end ();
	ppi_unlock ();
	return next;
}

static bool is_any_timed (void)
{
	for (const struct ppi_loaded *loaded = ppi_policies; loaded; loaded = loaded->next)
		for (size_t i = 0; i < loaded->n_slots; i++)
			if (loaded->slots[i].for_ns && !loaded->slots[i].over)
				return true;
	return false;
}

const struct ppi_part ppi_actions_part = {.needs_thread = is_any_timed, .tick = tick};

/* ---- all ------------------------------------------------------------------------------------- */

static void call (struct ppi_assertion *a, struct ppi_action *action,
		  const struct ppi_notice *notice)
{
	if (action->callable->inlined)
		return; /* whoever saw it called it */
	if (__atomic_load_n (&action->callable->function, __ATOMIC_ACQUIRE))
		ppi_delivery_add (a, notice, action->callable);
	else
		failed (a, action, action->callable->name, "its module was closed");
}

static void turn (struct ppi_assertion *a, struct ppi_action *action, bool relaxes, uint64_t now_ns)
{
	const struct ppi_policy_action *w = action->written;
	struct ppi_turn turn = {w->set, relaxes, w->value, w->min_dwell_ns, ""};

	snprintf (turn.by, sizeof turn.by, "assertion %s", a->name);
	if (!action->knob->record)
		failed (a, action, action->knob->name, "the knob's module was closed");
	else
		ppi_knob_turn (action->knob, &turn, now_ns);
}

/* Marks the moment; begins a recording first where there is none */
static void mark (struct ppi_assertion *a, struct ppi_action *action,
		  const struct ppi_notice *notice)
{
	const struct ppi_policy_action *w = action->written;
	char sentence[PPI_SENTENCE_BYTES], why[512] = "", reason[sizeof why + 64];

	if (w->file && !ppi_recording_wanted ()) {
		const struct ppi_record_wish wish = {.pattern = w->file->scalar,
						     .overwrite = w->set};

		if (ppi_recording_start (&wish, true, why, sizeof why) < 0) {
			snprintf (reason, sizeof reason, "can't be recorded to%s%s",
				  *why ? ": " : "", why);
			failed (a, action, w->file->scalar, reason);
		}
		ppi_wake ();
	}
	ppi_history (PPI_HISTORY_MARK, a->name,
		     w->name ? w->name->scalar
			     : ppi_sentence (a, notice, sentence, sizeof sentence),
		     NULL, 0);
}

/*
 * Has a profile taken by the part that owns the key. One that this action began before goes on: its
 * time is not made longer.
 */
static void profile (struct ppi_assertion *a, struct ppi_action *action)
{
	const struct ppi_part_key *key = ppi_parts_key ("profile");
	const char *pattern[PPI_SITES_COUNT], *thread[PPI_SITES_COUNT];
	struct ppi_profile_wish wish =
		ppi_policy_profile_wish (&action->written->profile, pattern, thread);
	char why[384] = "nothing here takes a profile";

	if (!key || key->check (&wish, NULL, why, sizeof why) < 0) {
		if (!key || key->check (&wish, action, why, sizeof why) < 0)
			failed (a, action, "profile", why);
		return;
	}
	key->apply (&wish, action, NULL);
	ppi_history (PPI_HISTORY_MARK, a->name, "a profile begins", NULL, 0);
	ppi_wake ();
}

/* What all threads did last goes into the recording, beside the fire. */
static void dump (struct ppi_assertion *a, struct ppi_action *action)
{
	int rings = ppi_flight_dump (a->name);

	if (rings == PP_ENOENT) {
		failed (a, action, "dump",
			"no thread has run through a site of a flight recorder yet");
		return;
	}
	if (rings < 0)
		failed (a, action, "dump", "no memory for all threads (PP_REGION_MAX)");
	ppi_history (PPI_HISTORY_MARK, a->name, "the flight recorder is dumped", NULL, 0);
}

static void perform (struct ppi_assertion *a, const struct ppi_notice *notice, uint64_t now_ns)
{
	struct ppi_action *actions = notice->edge == PPI_EDGE_CLEAR ? a->on_clear : a->on_fire;
	size_t n = notice->edge == PPI_EDGE_CLEAR ? a->n_on_clear : a->n_on_fire;

	ppi_batch_begin ();
	if (notice->edge == PPI_EDGE_CLEAR)
		end_until_clear (a);
	for (size_t i = 0; i < n; i++) {
		if (actions[i].waits) {
			failed (a, &actions[i], actions[i].written->key->scalar,
				"it waits for a name that there is not yet");
			continue;
		}
		switch ((enum ppi_action_kind) actions[i].written->kind) {
		case PPI_ACTION_LOG:
			log_edge (a, &actions[i], notice, now_ns);
			break;
		case PPI_ACTION_CALL:
			call (a, &actions[i], notice);
			break;
		case PPI_ACTION_BIND:
			bind (a, &actions[i], now_ns);
			break;
		case PPI_ACTION_UNBIND:
			unbind (a, &actions[i]);
			break;
		case PPI_ACTION_KNOB:
			turn (a, &actions[i], notice->edge == PPI_EDGE_CLEAR, now_ns);
			break;
		case PPI_ACTION_RECORD:
			mark (a, &actions[i], notice);
			break;
		case PPI_ACTION_REPORT:
			ppi_job_add (PPI_JOB_REPORT,
				     actions[i].written->file ? actions[i].written->file->scalar
							      : NULL,
				     NULL, 0, 0);
			break;
		case PPI_ACTION_SIGNAL:
			ppi_job_add (PPI_JOB_SIGNAL, NULL, NULL, actions[i].written->number,
				     actions[i].written->set ? notice->seen.thread : 0);
			break;
		case PPI_ACTION_INVESTIGATE:
			if (notice->edge == PPI_EDGE_FIRE)
				ppi_investigation_begin (actions[i].investigation,
							 notice->seen.site, now_ns);
			break;
		case PPI_ACTION_PROFILE:
			profile (a, &actions[i]);
			break;
		case PPI_ACTION_DUMP:
			dump (a, &actions[i]);
			break;
		case PPI_ACTION_SAMPLE:
			break; /* at each violation, by whoever saw it */
		}
	}
	ppi_batch_end ();
}

static void destroy (struct ppi_action *action)
{
	ppi_investigation_destroy (action->investigation);
}

const struct ppi_reactions ppi_actions = {perform, destroy};

void ppi_actions_interrupt (const struct ppi_assertion *a)
{
	const struct ppi_part_key *key = ppi_parts_key ("profile");

	for (size_t i = 0; i < a->n_on_fire; i++) {
		if (a->on_fire[i].investigation)
			ppi_investigation_interrupt (a->on_fire[i].investigation);
		if (key && a->on_fire[i].written->kind == PPI_ACTION_PROFILE)
			key->take_back (&a->on_fire[i]);
	}
}
