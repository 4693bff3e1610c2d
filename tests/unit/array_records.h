/* SPDX-License-Identifier: MIT */
/*
 * array_records.h: event records that a test makes up, behind the interface of records.h.
 *
 *     array_begin (r, "AttrEval");
 *     array_text (r, "name", "value");
 *     array_end (r, 5);                  its own time; what was begun and ended inside adds to it
 */
#ifndef ARRAY_RECORDS_H
#define ARRAY_RECORDS_H

#include "profiler/analysis/records.h"

struct ppi_records *array_records (void);

/* Records of the next ones' thread; each thread's are made behind each other. 1 at first. */
void array_thread (struct ppi_records *records, uint32_t thread);

void array_begin (struct ppi_records *records, const char *event);
void array_text (struct ppi_records *records, const char *key, const char *value);
void array_int (struct ppi_records *records, const char *key, int64_t value);
void array_real (struct ppi_records *records, const char *key, double value);
void array_bits (struct ppi_records *records, const char *key, uint8_t type, uint64_t bits);
void array_site (struct ppi_records *records, uint32_t site);
void array_end (struct ppi_records *records, double own_ns);

/* A span and a point, without anything inside, in what is begun. */
void array_span (struct ppi_records *records, const char *event, double time_ns);
void array_point (struct ppi_records *records, const char *event);

/* What ppi_records_info says. */
struct ppi_records_info *array_info (struct ppi_records *records);
/* The newest record, to be damaged. */
struct ppi_record *array_last (struct ppi_records *records);

#endif
