/* SPDX-License-Identifier: MIT */
/* unseen.c: see unseen.h. */
#include "ppctl/unseen.h"

#include "base/types.h"
#include "recording/read.h"

#include <stdbool.h>
#include <stdio.h>

/*
 * Those that were jumped over, or unbound while open, were noted, and are counted as such. For want
 * of room groups and values are dropped, too, which nobody tells apart: it is how many at most.
 */
static bool is_unseen (enum pp_drop cause)
{
	return cause == PP_DROP_DEPTH || cause == PP_DROP_POOL || cause == PP_DROP_FORK ||
	       cause == PP_DROP_SIGNAL;
}

uint64_t ppctl_unseen (const struct ppi_recording *recording, enum pp_drop cause)
{
	return is_unseen (cause) ? ppi_recording_drops (recording, cause) : 0;
}

void ppctl_unseen_add (const struct ppi_recording *recording, uint64_t n[PP_DROPS])
{
	for (int i = 0; i < PP_DROPS; i++)
		n[i] += ppctl_unseen (recording, (enum pp_drop) i);
}

uint64_t ppctl_unseen_say (const uint64_t n[PP_DROPS], char *text, size_t room)
{
	uint64_t all = 0;
	size_t used = 0;

	*text = '\0';
	for (int i = 0; i < PP_DROPS; i++) {
		if (n[i] && used < room)
			used += (size_t) snprintf (
				text + used, room - used, "%s%s %s%llu", used ? ", " : "",
				ppi_drop_name ((enum pp_drop) i),
				i == PP_DROP_POOL ? "at most " : "", (unsigned long long) n[i]);
		all += n[i];
	}
	return all;
}

uint64_t ppctl_unseen_text (const struct ppi_recording *recording, char *text, size_t room)
{
	uint64_t n[PP_DROPS] = {0};

	ppctl_unseen_add (recording, n);
	return ppctl_unseen_say (n, text, room);
}
