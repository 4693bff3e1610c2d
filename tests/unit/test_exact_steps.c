/* SPDX-License-Identifier: MIT */
/*
 * test_exact_steps.c: the code that is made for marks whose features are measured. It is stopped at
 * every instruction (tests/system/stepping.h): unwinding reaches main, marks in handlers are
 * measured, a handler may leave for good. And it counts what C counts of random marks in each other.
 */
#include "base/lock.h"
#include "libmetrics/code/block.h"
#include "libmetrics/marker/sink.h"
#include "libmetrics/region/region.h"
#include "libmetrics/registry/batch.h"
#include "libmetrics/registry/feature.h"
#include "libmetrics/registry/site.h"
#include "libmetrics/registry/tap.h"
#include "libmetrics/tables/site.h"
#include "recording/layout_profile.h"

#include "tests/system/stepping.h"

#undef NOIPA
#include "tests/unit/started.h"

#include <setjmp.h>
#include <signal.h>
#include <ucontext.h>

static __thread volatile long sink;

/* A mark in an antimark in a mark, in one activation. */
NOIPA void nested (void);
NOIPA void nested (void)
{
	PP_FEATURE (lib.a)
	sink++;
	{
		PP_ANTIMARK (lib.a)
		sink++;
		{
			PP_FEATURE (lib.a)
			sink++;
		}
	}
}

/* In which nothing but markers touches a register. */
NOIPA static void bare (void)
{
	PP_FEATURE (lib.bare)
	__asm__ volatile("");
}

NOIPA void in_handler (void);
NOIPA void in_handler (void)
{
	PP_FEATURE (lib.handler)
	sink++;
}

/* ---- random marks in each other -------------------------------------------------------------- */

static uint64_t random_state;

static unsigned rnd (unsigned n)
{
	random_state = random_state * UINT64_C (6364136223846793005) + 1442695040888963407u;
	return (unsigned) (random_state >> 33) % n;
}

NOIPA void mark_a (int depth);
NOIPA void anti_a (int depth);
NOIPA void mark_b (int depth);
NOIPA void anti_b (int depth);
NOIPA void number (int depth);
static void any (int depth);

NOIPA void mark_a (int depth)
{
	PP_FEATURE (lib.a)
	any (depth);
}

NOIPA void anti_a (int depth)
{
	PP_ANTIMARK (lib.a)
	any (depth);
}

NOIPA void mark_b (int depth)
{
	PP_FEATURE (lib.b)
	any (depth);
}

NOIPA void anti_b (int depth)
{
	PP_ANTIMARK (lib.b)
	any (depth);
}

/* One that blocks know nothing of. */
NOIPA void number (int depth)
{
	PP_FEATURE_PAYLOAD (lib.a, depth)
	any (depth);
}

static void any (int depth)
{
	static void (*const all[]) (int) = {mark_a, anti_a, mark_b, anti_b, number};

	for (unsigned i = depth < 8 ? rnd (4) : 0; i-- > 0;)
		all[rnd (5)](depth + 1);
}

/* ---- what was measured ----------------------------------------------------------------------- */

static void measure (bool on)
{
	char why[200];

	ppi_lock ();
	ppi_batch_begin ();
	for (pp_site *s = ppi_site_first (); s; s = s->next)
		if (s->kind == PP_ABI_SITE_FEATURE || s->kind == PP_ABI_SITE_ANTIMARK) {
			ppi_feature_number (s);
			if (on)
				ppi_tap_acquire (s, PPI_SINK_FEATURE, why, sizeof why);
			else
				ppi_tap_release (s, PPI_SINK_FEATURE);
		}
	ppi_batch_end ();
	ppi_unlock ();
}

/* All entries of sites of FUNCTION, of all threads. */
static struct ppi_feature_entry sum_of (const char *function)
{
	const char *region = (const char *) ppi_region_header ();
	struct ppi_feature_entry sum = {0};

	for (uint64_t at = PPI_HEADER_BYTES; at < ppi_region_used ();
	     at += ((const struct ppi_chunk *) (region + at))->bytes) {
		const struct ppi_features_chunk *c = (const void *) (region + at);

		if (c->chunk.type != PPI_CHUNK_FEATURES)
			continue;
		for (const pp_site *s = ppi_site_first (); s; s = s->next)
			for (uint32_t i = 0; i < c->room; i++) {
				const struct ppi_feature_entry *e = &c->entry[i];

				if (!e->what || PPI_MARK_SITE (e->what) != s->id ||
				    strcmp (s->function, function) != 0)
					continue;
				sum.n += e->n;
				sum.pairs += e->pairs;
				sum.children += e->children;
				sum.ticks += e->ticks;
			}
	}
	return sum;
}

static double ended (const char *function)
{
	return (double) sum_of (function).n;
}

static double dropped (void)
{
	double sum = 0;

	for (int i = 0; i < PP_DROPS; i++)
		sum += (double) pp_dropped ((enum pp_drop) i);
	return sum;
}

/* ---- with blocks and without ----------------------------------------------------------------- */

enum { FUNCTIONS = 5 };
static const char *const functions[FUNCTIONS] = {"mark_a", "anti_a", "mark_b", "anti_b", "number"};

static void run_random (struct ppi_feature_entry *out)
{
	struct ppi_feature_entry first[FUNCTIONS];

	for (int i = 0; i < FUNCTIONS; i++)
		first[i] = sum_of (functions[i]);
	random_state = 1;
	for (int i = 0; i < 500; i++)
		any (0);
	for (int i = 0; i < FUNCTIONS; i++) {
		out[i] = sum_of (functions[i]);
		out[i].n -= first[i].n;
		out[i].pairs -= first[i].pairs;
		out[i].children -= first[i].children;
	}
}

static void test_random (void)
{
	struct ppi_feature_entry by_blocks[FUNCTIONS], by_c[FUNCTIONS];
	bool same_counts = true;

	run_random (by_blocks); /* makes entries */
	run_random (by_blocks);
	measure (false);
	ppi_blocks_set (false);
	measure (true);
	run_random (by_c);
	measure (false);
	ppi_blocks_set (true);
	measure (true);
	for (int i = 0; i < FUNCTIONS; i++) {
		same_counts &= by_blocks[i].n == by_c[i].n && by_blocks[i].n > 100;
		same_counts &= by_blocks[i].pairs == by_c[i].pairs;
		same_counts &= by_blocks[i].children == by_c[i].children;
	}
	ok (same_counts, "random marks in each other are counted as C counts them");
}

#if defined(__x86_64__) && !defined(GUARDS) && !UNDER_TSAN

/* ---- step by step ---------------------------------------------------------------------------- */

static volatile sig_atomic_t steps, steps_in_block, unwound, leave_at = -1, runs_marks;
static sigjmp_buf way_out;

static void trapped (int sig, siginfo_t *info, void *context)
{
	const ucontext_t *u = context;

	(void) sig;
	(void) info;
	steps++;
	if (!is_in_block ((uintptr_t) u->uc_mcontext.gregs[REG_RIP]))
		return;
	if (leave_at < 0)
		unwound += reaches_main ();
	if (runs_marks) {
		in_handler ();
		nested ();
	}
	if (leave_at == steps_in_block++)
		siglongjmp (way_out, 1);
}

NOIPA static void step_through (void (*fn) (void))
{
	steps = steps_in_block = unwound = 0;
	set_trap_flag (1);
	fn ();
	set_trap_flag (0);
}

static void test_every_step (void)
{
	step_through (nested);
	ok (steps_in_block > 200 && steps_in_block < steps,
	    "marks are stopped in their blocks (%d steps of %d)", (int) steps_in_block,
	    (int) steps);
	same (unwound, steps_in_block, "unwinding reaches main from each of them");
#if IS_BARE
	ok (registers_survive (bare) && registers_survive (bare),
	    "registers and the red zone survive marks, the first of a site and the next");
#endif
}

static void test_marks_in_handlers (void)
{
	double marks = ended ("nested"), handled = ended ("in_handler"), drops = dropped ();

	runs_marks = 1;
	step_through (nested);
	runs_marks = 0;
	same (ended ("nested") - marks, 3 * (steps_in_block + 1.0),
	      "the same marks in handlers within their own blocks are measured, and so are they");
	same (ended ("in_handler") - handled, steps_in_block, "so are others");
	same (dropped () - drops, 0, "and nothing is dropped");
}

/* A handler leaves at step AT; what follows is as before, of N steps. */
NOIPA static bool goes_on_behind (int at, int n)
{
	struct ppi_feature_entry was, now;

	leave_at = at;
	if (sigsetjmp (way_out, 1) == 0)
		step_through (nested);
	leave_at = -1;
	set_trap_flag (0);
	nested (); /* what was left is dropped here */
	was = sum_of ("nested");
	for (int k = 0; k < 3; k++)
		nested ();
	now = sum_of ("nested");
	step_through (nested);
	/* it may have been counted as open for good: then ends look for what is outside of them */
	return now.n - was.n == 9 && now.children - was.children == 6 && now.pairs == was.pairs &&
	       steps_in_block >= n;
}

static void test_leaving (void)
{
	int n, good = 0;

	step_through (nested);
	n = steps_in_block;
	for (int i = 0; i < n; i++)
		good += goes_on_behind (i, n);
	ok (good == n,
	    "a handler may leave any of %d instructions by siglongjmp: what follows is measured, "
	    "by "
	    "blocks again",
	    n);
}

static void test_steps (void)
{
	struct sigaction action = {.sa_sigaction = trapped, .sa_flags = SA_SIGINFO | SA_NODEFER};
	void *frames[4];

	backtrace (frames, 4); /* loads what it needs */
	for (int i = 0; i < 3; i++) {
		nested ();
		in_handler ();
	}
	if (find_ranges () == 0) {
		note ("no blocks here");
		return;
	}
	sigaction (SIGTRAP, &action, NULL);
	test_every_step ();
	test_marks_in_handlers ();
	test_leaving ();
}

#else
static void test_steps (void)
{
}
#endif

int main (void)
{
#if defined(__x86_64__) && !defined(GUARDS) && !UNDER_TSAN
	main_is_at ((uintptr_t) main);
#endif
	ppi_runtime_start ();
	measure (true);
	test_random ();
	test_steps ();
	return checked ();
}
