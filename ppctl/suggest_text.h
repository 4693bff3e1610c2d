/* SPDX-License-Identifier: MIT */
/*
 * suggest_text.h: names, constants and patterns as the policy that ppctl suggest writes has them.
 */
#ifndef PPCTL_SUGGEST_TEXT_H
#define PPCTL_SUGGEST_TEXT_H

#include "base/types.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Is all of it characters that YAML can have in a line? */
bool suggest_is_clean (const char *text);
/* In a comment. Names come from files: a line must stay one, and be text. */
void suggest_put_clean (FILE *out, const char *text);
/* As expressions have it: "4.03ms", "1.5MiB", "12". Of VALUE without its sign. */
const char *suggest_put_constant (double signed_value, enum ppi_unit unit, char *out, size_t room);
/* A length of time as policies have it, exactly. */
const char *suggest_put_duration (uint64_t ns, char *out, size_t room);
/* A letter, digit or underscore */
bool suggest_is_word_character (char c);
/* Such characters, and no digit first */
bool suggest_is_name (const char *text);
/* SUFFIX as a pattern that means just this; false: there is no room. */
bool suggest_make_pattern (const char *suffix, char *out, size_t room);
/* TEXT as a scalar of YAML in double quotes. */
void suggest_put_quoted (FILE *out, const char *text);
/* In a scalar in single quotes. */
void suggest_put_doubled (FILE *out, const char *text);
/* The quote in which an expression may have PATTERN; '\0': none. */
char suggest_quote_for (const char *pattern);

#endif
