/* SPDX-License-Identifier: MIT */
/* lifecycle.c: start, fork, housekeeping: every part of this room in the right order. */
#include "libmetrics/life/lifecycle.h"

#include "base/atomic.h"
#include "base/channel.h"
#include "base/clock.h"
#include "base/lock.h"
#include "base/message.h"
#include "base/part.h"
#include "libmetrics/calls/span.h"
#include "libmetrics/code/block.h"
#include "libmetrics/code/patch.h"
#include "libmetrics/cost/cost.h"
#include "libmetrics/life/flight.h"
#include "libmetrics/life/recording.h"
#include "libmetrics/region/drops.h"
#include "libmetrics/region/history.h"
#include "libmetrics/region/region.h"
#include "libmetrics/region/stream.h"
#include "libmetrics/region/groups.h"
#include "libmetrics/region/texts.h"
#include "libmetrics/region/wiped.h"
#include "libmetrics/registry/binding.h"
#include "libmetrics/registry/metric.h"
#include "libmetrics/registry/site.h"
#include "libmetrics/registry/tap.h"
#include "libmetrics/stats/series.h"
#include "libmetrics/tables/binding.h"
#include "libmetrics/tables/slots.h"
#include "libmetrics/thread/series.h"
#include "libmetrics/thread/thread_life.h"
#include "recording/layout.h"

#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static bool note_unheard (const char *line)
{
	if (!ppi_region_header ())
		return false;
	ppi_history (PPI_HISTORY_MESSAGE, "", line, NULL, 0);
	return true;
}

static bool is_anything_bound (void)
{
	for (const struct ppi_binding *b = ppi_binding_first (); b; b = b->next)
		if (b->users)
			return true;
	return ppi_taps_exist ();
}

/* Forgets the parent's region, and makes one of its own where something is bound. */
static void renew (void)
{
	ppi_region_after_fork ();
	ppi_series_forget ();
	ppi_thread_after_fork ();
	ppi_metric_after_fork ();
	ppi_site_after_fork ();
	ppi_span_after_fork ();
	ppi_patch_after_fork ();
	ppi_blocks_after_fork ();
	ppi_binding_after_fork ();
	ppi_recording_forget ();
	ppi_flight_forget ();
	if (!is_anything_bound () || ppi_region_init () < 0)
		return;
	ppi_bindings_describe ();
	ppi_taps_describe ();
	ppi_streams_renew ();
	ppi_texts_renew ();
	ppi_groups_renew ();
	ppi_recording_after_fork ();
}

/*
 * A child of _Fork or clone, which no handler has told: it has the parent's region mapped and must
 * not touch it. With the lock.
 */
static void revive_child (void)
{
	uint64_t dropped = ppi_load (&ppi_drops_nowhere[PP_DROP_FORK]);

	if (!ppi_region_header () || ppi_load (ppi_alive))
		return;
	renew ();
	/* what it ran through until now is its own */
	ppi_store (&ppi_drops_nowhere[PP_DROP_FORK], dropped);
}

void ppi_lifecycle_start (void)
{
	ppi_channel_start ();
	ppi_lock_after_fork (false); /* this process's, from the start */
	ppi_lock_hook_set (revive_child);
	ppi_messages_unheard_set (note_unheard);
	ppi_cost_start ();
	pp_arch_init ();
	ppi_clock_start ();
}

void ppi_after_fork (void)
{
	ppi_lock_after_fork (true);
	if (ppi_region_header ())
		renew ();
}

void ppi_housekeeping (void)
{
	ppi_lock ();
	if (ppi_region_header ()) {
		ppi_region_replenish ();
		ppi_thread_reap ();
		ppi_metrics_note_shares ();
		ppi_region_stamp ();
		ppi_recording_take_series ();
		ppi_series_tell_full ();
	}
	ppi_unlock ();
}

/* What is bound from the start keeps all its samples, however soon it is full. */
static void module_ready (bool is_program)
{
	(void) is_program;
	ppi_lock ();
	ppi_recording_take_series ();
	ppi_unlock ();
}

static void fork_prepare (void)
{
	ppi_messages_before_fork ();
	ppi_lock ();
}

static void fork_parent (void)
{
	ppi_messages_after_fork_parent ();
	ppi_unlock ();
}

/*
 * In a child ppi_after_fork comes before what the parts forget: they need the lock and the region.
 */
const struct ppi_part ppi_metrics_part = {.init = ppi_lifecycle_start,
					  .module_ready = module_ready,
					  .fork_prepare = fork_prepare,
					  .fork_parent = fork_parent,
					  .housekeeping = ppi_housekeeping,
					  .commands = ppi_metric_commands};
