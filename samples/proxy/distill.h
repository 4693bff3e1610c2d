/* SPDX-License-Identifier: MIT */
/*
 * distill.h: the generic operation of the proxy: something that came from the origin, made smaller.
 */
#ifndef DISTILL_H
#define DISTILL_H

#include "bytes.h"

enum content { CONTENT_OTHER, CONTENT_JPEG, CONTENT_HTML };

/* What a media type, as Content-Type has it, is to the proxy. NULL: other. */
enum content content_of (const char *media_type);

/*
 * How many threads may distill at the same time; the others wait their turn. Before the first
 * distill.
 */
void distill_init (int distillers);

/*
 * Makes FROM smaller into TO, by as much as the knob "detail" says. -1: it stays as it is (damaged,
 * or no memory), TO is empty. Any thread.
 */
int distill (enum content content, const struct bytes *from, struct bytes *to);

#endif
