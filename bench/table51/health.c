/* SPDX-License-Identifier: MIT */
/*
 * health.c: the health care of a country, the kind of Olden's health, after G. Lomow, J. Cleary, B.
 * Unger and D. West, "A performance study of Time Warp" (1988). Villages form a tree, each with a
 * hospital, which the higher has the more staff. In every step of time people fall ill, wait, are
 * assessed, and are treated there or sent to the hospital above. People are moved between linked
 * lists, where the time goes.
 *
 * Marked: what a hospital does in a step.
 */
#include "table51.h"

enum { LEVELS = 4, BRANCHES = 4, STEPS = 1100, ASSESS_STEPS = 3, TREAT_STEPS = 10 };
#define ILL_PER_STEP 0.8 /* in a village, on average */
#define TREATED_HERE 0.9 /* of those assessed; the root treats all */

struct patient {
	struct patient *next;
	long waited;   /* steps, in all hospitals */
	int left;      /* steps until assessed or treated */
	int hospitals; /* that it has seen */
};

struct list {
	struct patient *first, **last;
};

struct village {
	struct village *below[BRANCHES];
	struct list waiting, assessed, treated;
	struct list above; /* sent to the hospital above in this step */
	long free_staff;
	uint64_t random;
	int root;
};

/* Of the whole country. */
struct statistics {
	long treated, waited, hospitals;
};

static struct patient *unused; /* those that went home */

static void put (struct list *list, struct patient *patient)
{
	patient->next = NULL;
	*list->last = patient;
	list->last = &patient->next;
}

static void clear (struct list *list)
{
	list->first = NULL;
	list->last = &list->first;
}

/* Takes *PLACE, a patient of LIST, out. */
static struct patient *take (struct list *list, struct patient **place)
{
	struct patient *patient = *place;

	*place = patient->next;
	if (list->last == &patient->next)
		list->last = place;
	return patient;
}

static struct patient *fall_ill (void)
{
	struct patient *patient = unused;

	if (patient != NULL)
		unused = patient->next;
	else
		patient = table51_allocate (1, sizeof *patient);
	*patient = (struct patient){.hospitals = 1};
	return patient;
}

static struct village *make_village (int level, int root, uint64_t *seed)
{
	struct village *village = table51_allocate (1, sizeof *village);

	village->random = ++*seed;
	village->root = root;
	village->free_staff = 1L << (2 * (level - 1));
	clear (&village->waiting);
	clear (&village->assessed);
	clear (&village->treated);
	clear (&village->above);
	for (int i = 0; level > 1 && i < BRANCHES; i++)
		village->below[i] = make_village (level - 1, 0, seed);
	return village;
}

static void treat (struct village *village, struct statistics *statistics)
{
	struct patient **place = &village->treated.first;

	while (*place != NULL) {
		if (--(*place)->left > 0) {
			place = &(*place)->next;
		} else {
			struct patient *patient = take (&village->treated, place);

			village->free_staff++;
			statistics->treated++;
			statistics->waited += patient->waited;
			statistics->hospitals += patient->hospitals;
			patient->next = unused;
			unused = patient;
		}
	}
}

static void assess (struct village *village)
{
	struct patient **place = &village->assessed.first;

	while (*place != NULL) {
		struct patient *patient = *place;

		if (--patient->left > 0) {
			place = &patient->next;
			continue;
		}
		take (&village->assessed, place);
		if (village->root || table51_random (&village->random) < TREATED_HERE) {
			patient->left = TREAT_STEPS;
			put (&village->treated, patient);
		} else {
			village->free_staff++;
			patient->hospitals++;
			put (&village->above, patient);
		}
	}
}

static void wait (struct village *village)
{
	struct patient **place = &village->waiting.first;

	while (*place != NULL) {
		struct patient *patient = *place;

		if (village->free_staff > 0) {
			village->free_staff--;
			take (&village->waiting, place);
			patient->left = ASSESS_STEPS;
			put (&village->assessed, patient);
		} else {
			patient->waited++;
			place = &patient->next;
		}
	}
}

static void step_hospital (struct village *village, struct statistics *statistics)
{
	PP_INTERVAL (hospital)
	treat (village, statistics);
	assess (village);
	wait (village);
	if (table51_random (&village->random) < ILL_PER_STEP)
		put (&village->waiting, fall_ill ());
}

static void step_village (struct village *village, struct statistics *statistics)
{
	for (int i = 0; i < BRANCHES && village->below[i] != NULL; i++) {
		struct village *below = village->below[i];

		step_village (below, statistics);
		while (below->above.first != NULL)
			put (&village->waiting, take (&below->above, &below->above.first));
	}
	step_hospital (village, statistics);
}

double table51_work (int percent)
{
	struct statistics statistics = {0, 0, 0};
	uint64_t seed = 42;
	struct village *country = make_village (LEVELS, 1, &seed);

	for (int step = 0; step < STEPS * percent / 100; step++)
		step_village (country, &statistics);
	return (double) statistics.treated + (double) statistics.waited * 1e-3 +
	       (double) statistics.hospitals * 1e-6;
}
