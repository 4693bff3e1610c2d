/* SPDX-License-Identifier: MIT */
/* report_text.h: an assertion in the region, and in sentences. */
#ifndef PPI_ENGINE_REPORT_TEXT_H
#define PPI_ENGINE_REPORT_TEXT_H

#include <pp.h>
#include <stddef.h>

struct ppi_assertion;
struct ppi_notice;

#define PPI_SENTENCE_BYTES 768

/* Nobody writes into its chunks in the region any more; before it is destroyed. */
void ppi_assertion_end (struct ppi_assertion *a);
/* Gives the assertion its chunk in the region, or its spare one. [lock] */
void ppi_assertion_describe (struct ppi_assertion *a);
/* "assertion frame_slow fired at … (thread 12): …" */
const char *ppi_sentence (const struct ppi_assertion *a, const struct ppi_notice *notice, char *out,
			  size_t room);
/*
 * The violation that callbacks get; CAPTURE has room for PPI_CAPTURES, TEXT, where it is not NULL,
 * for PPI_SENTENCE_BYTES.
 */
void ppi_violation_fill (const struct ppi_assertion *a, const struct ppi_notice *notice,
			 const char *detail, struct pp_capture *capture, char *text,
			 struct pp_violation *out);

#endif
