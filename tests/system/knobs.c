/* SPDX-License-Identifier: MIT */
/*
 * knobs.c: a program's knobs of every kind under a policy: words, and setters, which run on the
 * library's thread, one at a time.
 */
#include "check.h"

#include <pthread.h>
#include <semaphore.h>

enum filter { BOX, LINEAR, CUBIC };
PP_KNOB_ENUM (filter, LINEAR, (box, linear, cubic))

static pthread_t main_thread;
static int told, elsewhere, inside, overlaps;
static int64_t last_pool;
static double last_gain;
static sem_t was_told;

/* Setters, to see who calls them: never two at a time */
static void enter (void)
{
	overlaps += __atomic_fetch_add (&inside, 1, __ATOMIC_RELAXED) != 0;
	elsewhere += !pthread_equal (pthread_self (), main_thread);
	told++;
}

static void leave (void)
{
	__atomic_fetch_sub (&inside, 1, __ATOMIC_RELAXED);
	sem_post (&was_told);
}

static void set_pool (int64_t n)
{
	enter ();
	last_pool = n;
	leave ();
}
PP_KNOB_INT (pool, 4, 1, 16, 1, set_pool)

static void set_gain (double gain)
{
	enter ();
	last_gain = gain;
	leave ();
}
PP_KNOB_DOUBLE (gain, 0.5, 0, 1, 0.125, set_gain)

/*
 * a word stays what it is where the program, or the compiler for its machine, has a macro of that
 * name
 */
#define draft 7
static int64_t drawn;
static void set_mode (int64_t mode)
{
	drawn = mode;
}
PP_KNOB_ENUM (mode, 0, (draft, fine), set_mode)

NOIPA static void work (int n)
{
#pragma pp point seen(load) value(n)
#pragma pp interval work
	__asm__ volatile("" ::"r"(n));
}
#pragma pp metric load point sumcount(value)

static const char policy[] = "version: 1\n"
			     "metrics:\n"
			     "  load_now: {point: value, keep: scalar}\n"
			     "bind:\n"
			     "  - {metric: load_now, sites: work/seen}\n"
			     "assertions:\n"
			     "  busy:\n"
			     "    at: work/seen\n"
			     "    expect: load_now.last < 50\n"
			     "    on_fire:\n"
			     "      - knob: {name: filter, set: box}\n"
			     "      - knob: {name: pool, step: 2}\n"
			     "    on_clear:\n"
			     "      - knob: {name: filter, set: cubic}\n"
			     "      - knob: {name: gain, step: -1}\n";

/* Waits until a setter was called */
static int wait_told (void)
{
	struct timespec until;

	clock_gettime (CLOCK_REALTIME, &until);
	until.tv_sec += 60;
	return sem_timedwait (&was_told, &until) == 0;
}

int main (void)
{
	double value = 0;
	char path[128];

	sem_init (&was_told, 0, 0);
	main_thread = pthread_self ();
	ok (strcmp (pp_knob_word ("filter"), "linear") == 0 && pp_knob_int (filter) == LINEAR,
	    "a knob of words begins with the one that the source says");
	ok (strcmp (pp_knob_word ("mode"), "draft") == 0,
	    "macros among the words are not expanded");
	ok (pp_knob_set_word ("mode", "fine") == 1 && drawn == 1,
	    "a knob that the program turns has its setter called at once");
	ok (pp_knob_set ("pool", 5) == 1 && last_pool == 5 && elsewhere == 0 && wait_told (),
	    "... by its own thread");
	pp_knob_set ("pool", 4);
	wait_told ();
	told = elsewhere = 0;

	ok (write_file (path, ".yaml", policy) == 0 && pp_policy_load (path) == PP_OK,
	    "a policy may turn all of them");
	work (60);
	ok (wait_told () && last_pool == 6,
	    "when an assertion fires the setter is told the value after the steps");
	ok (pp_knob_int (filter) == BOX, "and the word that is set");
	work (10);
	ok (wait_told () && last_gain == 0.375, "a setter of doubles");
	ok (pp_knob_int (filter) == CUBIC, "the word of the clear");
	ok (elsewhere == 2 && told == 2, "policies' setters are called by the library's thread");
	ok (pp_policy_unload (path) == PP_OK && wait_told () && wait_told () && last_pool == 4 &&
		    last_gain == 0.5,
	    "what the policy turned is given back, and the setters know");
	ok (pp_knob_get ("filter", &value) == PP_OK && value == LINEAR, "words too");
	same (overlaps, 0, "no setter is called while another one is");
	unlink (path);
	return checked ();
}
