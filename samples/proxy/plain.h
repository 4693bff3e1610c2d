/* SPDX-License-Identifier: MIT */
/* plain.h: the text of a page of HTML. */
#ifndef PLAIN_H
#define PLAIN_H

#include "bytes.h"

/*
 * What a reader of FROM would see, without markup, scripts and styles: a line for each block,
 * blanks once. Good enough to be read over a thin line, and no more. -1: no memory; TO is empty
 * then.
 */
int plain_text (const struct bytes *from, struct bytes *to);

#endif
