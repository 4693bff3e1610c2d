/* SPDX-License-Identifier: MIT */
/*
 * pico.h: PicoJava, a small piece of Java: classes in classes, variables, assignments, loops.
 *
 *     Program (block)                       Block (list of statements)
 *     ClassDecl (name, option of a Use, block)     VarDecl (access, name)
 *     PrimitiveDecl, UnknownDecl (name)     AssignStmt (access, expression)
 *     WhileStmt (expression, statement)     Use (name)   Dot (access, Use)   BooleanLiteral (text)
 */
#ifndef ATTRIBUTES_PICO_H
#define ATTRIBUTES_PICO_H

#include "attribute.h"
#include "term.h"

/* Two programs: classes with members of the same names; one with long names. */
struct term *pico_nested (void);
struct term *pico_long_names (void);
/* COUNT blocks like the first, in one. */
struct term *pico_many (unsigned count);
void pico_print (const struct term *program);

/* The declaration's name; NULL: it is none. */
const char *pico_declared (const struct term *term);
bool pico_is_declaration (const struct term *term);

/* The declaration that a Use or Dot refers to, by name analysis of the tree it is in. */
struct term *pico_declaration (struct term *access);
/* Goes through the tree and prints what is wrong in it; how much it was. */
unsigned pico_check (struct term *program, bool print);

#endif
