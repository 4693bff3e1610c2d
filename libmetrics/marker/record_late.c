/* SPDX-License-Identifier: MIT */
/*
 * record_late.c: dimensions that are known only after the begin of their record; see record.h. They
 * wait in the thread's lane until it ends: frames have no place for them, so what has none pays
 * nothing.
 */
#include "libmetrics/marker/record.h"

#include "base/dims.h"
#include "libmetrics/marker/sink.h"
#include "libmetrics/region/drops.h"
#include "libmetrics/region/region.h"
#include "libmetrics/thread/frame.h"
#include "libmetrics/thread/text.h"
#include "libmetrics/thread/thread.h"

#include <pp.h>
#include <string.h>

uint64_t ppi_record_of (const struct ppi_frame *f)
{
	const struct ppi_plan *plan = f->plan;

	for (uint32_t i = plan->n_ops; i < plan->n_all; i++)
		if (plan->ops[i].sink == PPI_SINK_RECORD) {
			const struct ppi_op *op = &plan->ops[i];
			const uint64_t *values =
				(const uint64_t *) f - f->slots * PPI_FRAME_SLOT / 8;
			uint64_t own = values[op->value + op->words - 1u];

			return own == PPI_RECORD_NONE ? 0 : own;
		}
	return 0;
}

/* Was that begun after THIS? Numbers of begins, modulo 2^32. */
static bool is_later (uint64_t that, uint64_t this)
{
	return (int32_t) ((uint32_t) that - (uint32_t) this) > 0;
}

/* Where that many more than half of all are of records that never ended, the older ones go. */
static bool make_room (struct ppi_lane *lane)
{
	uint32_t more = lane->late_room ? 2 * lane->late_room : PPI_LANE_LATE, half;
	struct ppi_late *grown;

	if (lane->n_late < lane->late_room)
		return true;
	if (more <= PPI_LANE_LATE_MOST) {
		grown = ppi_own_alloc_fast (more * sizeof *grown);
		if (!grown)
			return false;
		if (lane->n_late)
			memcpy (grown, lane->late, lane->n_late * sizeof *grown);
		lane->late = grown;
		lane->late_room = more;
		return true;
	}
	half = lane->n_late / 2;
	ppi_drop_nowhere (PP_DROP_STREAM, half);
	memmove (lane->late, lane->late + half, (lane->n_late - half) * sizeof *lane->late);
	lane->n_late -= half;
	return true;
}

/* Is entry I, or one before it, of OWN? */
static bool goes_on (const struct ppi_lane *lane, uint32_t i, uint64_t own)
{
	return i && (lane->late_mixed || !is_later (own, lane->late[i - 1].of));
}

/* The place of KEY among those of OWN; NULL: there is none, and N of others. */
static struct ppi_late *find (const struct ppi_lane *lane, uint64_t own, uint32_t key, unsigned *n)
{
	*n = 0;
	for (uint32_t i = lane->n_late; goes_on (lane, i, own); i--) {
		struct ppi_late *late = &lane->late[i - 1];

		if (late->of == own && late->key == key)
			return late;
		*n += late->of == own;
	}
	return NULL;
}

int ppi_record_dim (struct ppi_thread *t, uint64_t own, const struct pp_event_dim *dim,
		    unsigned most)
{
	struct ppi_lane *lane = ppi_lane_of (t);
	struct ppi_late late = {.of = own, .type = dim->type, .value = dim->value}, *at;
	unsigned n;

	if (!lane)
		return PP_ENOMEM;
	if (!dim->key || !*dim->key || !ppi_is_value (dim->type))
		return PP_EINVAL;
	late.key = ppi_thread_text_number (t, dim->key);
	/* a text that there is not is no value */
	if (dim->type == PP_ABI_VALUE_STRING && !dim->value)
		return PP_OK;
	if (dim->type == PP_ABI_VALUE_STRING)
		late.value = ppi_thread_text_number (t, (const char *) (uintptr_t) dim->value);
	at = find (lane, own, late.key, &n);
	if (at) {
		*at = late;
		return PP_OK;
	}
	if (n >= most)
		return PP_EINVAL;
	if (!make_room (lane))
		return PP_ENOMEM;
	if (lane->n_late && is_later (lane->late[lane->n_late - 1].of, own))
		lane->late_mixed = true;
	lane->late[lane->n_late++] = late;
	return PP_OK;
}

unsigned ppi_lane_take_late (struct ppi_lane *lane, uint64_t own, struct ppi_late out[PPI_LATE])
{
	uint32_t first = lane->n_late;
	unsigned n = 0;

	while (goes_on (lane, first, own))
		first--;
	for (uint32_t i = first, to = first; i < lane->n_late; i++) {
		if (lane->late[i].of != own)
			lane->late[to++] = lane->late[i];
		else if (n < PPI_LATE)
			out[n++] = lane->late[i];
		if (i + 1 == lane->n_late) {
			lane->n_late = to;
			break;
		}
	}
	lane->late_mixed &= lane->n_late > 0;
	return n;
}
