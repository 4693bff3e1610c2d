/* SPDX-License-Identifier: MIT */
/*
 * emit.h: the few instructions that block.c makes, by their encoding. What doesn't fit (room,
 * reach, labels) is noticed in `failed` and makes the whole block void; nothing is ever emitted
 * outside OUT.
 */
#ifndef PP_ARCH_EMIT_H
#define PP_ARCH_EMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum reg { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, R9, R10, R11, R12, R13, R14, R15 };

/* condition codes, as in 0f 8x */
enum condition {
	IF_BELOW = 2,
	IF_NOT_BELOW = 3,
	IF_EQUAL = 4,
	IF_NOT_EQUAL = 5,
	IF_NOT_ABOVE = 6,
	IF_ABOVE = 7,
	IF_NEGATIVE = 8,
	IF_LESS = 12,
	IF_GREATER = 15
};

/* REG, MEMORY: the register is the destination, or the source */
enum op {
	ADD_TO = 0x01,
	ADD = 0x03,
	OR = 0x0b,
	ADC_TO = 0x11,
	XOR = 0x33,
	AND = 0x23,
	SUB = 0x2b,
	CMP_TO = 0x39,
	CMP = 0x3b,
	TEST = 0x85,
	STORE = 0x89,
	LOAD = 0x8b,
	LEA = 0x8d
};

/* the /digit of 83 and 81: an immediate */
enum immediate_op { ADD_I = 0, OR_I = 1, ADC_I = 2, AND_I = 4, SUB_I = 5, CMP_I = 7 };

enum shift_op { SHL = 4, SHR = 5, SAR = 7 };

enum width { BITS_32 = 0, BITS_64 = 8 }; /* REX.W */

enum { EMIT_LABELS = 96, EMIT_USES = 160 };

typedef unsigned label;

struct emit {
	uint8_t *out;
	size_t n, room;
	uintptr_t at; /* where OUT will be executed */
	bool failed;
	unsigned n_labels, n_uses;
	size_t place[EMIT_LABELS]; /* of each label, + 1; 0: none yet */
	struct {
		size_t at; /* of the rel32 */
		label to;
	} uses[EMIT_USES];
};

static inline void emit_bytes (struct emit *e, const void *bytes, size_t n)
{
	if (n > e->room - e->n) {
		e->failed = true;
		return;
	}
	memcpy (e->out + e->n, bytes, n);
	e->n += n;
}

static inline void emit_byte (struct emit *e, unsigned byte)
{
	uint8_t b = (uint8_t) byte;

	emit_bytes (e, &b, 1);
}

static inline void emit_32 (struct emit *e, int64_t value)
{
	int32_t v = (int32_t) value;

	e->failed |= v != value;
	emit_bytes (e, &v, sizeof (v));
}

/* The distance from behind the four bytes at hand to ADDRESS. */
static inline void emit_distance (struct emit *e, uintptr_t address)
{
	emit_32 (e, (int64_t) (address - (e->at + e->n + 4)));
}

static inline void emit_rex (struct emit *e, enum width w, unsigned reg, unsigned index,
			     unsigned base)
{
	unsigned rex = 0x40u | (unsigned) w | (reg >> 3 & 1) << 2 | (index >> 3 & 1) << 1 |
		       (base >> 3 & 1);

	if (rex != 0x40)
		emit_byte (e, rex);
}

/* ModRM with a displacement of 8 or 32 bits. */
static inline void emit_base (struct emit *e, unsigned reg, enum reg base, int32_t disp)
{
	bool is_short = disp >= -128 && disp <= 127;

	emit_byte (e, (is_short ? 0x40u : 0x80u) | (reg & 7) << 3 | (base & 7u));
	if ((base & 7u) == RSP)
		emit_byte (e, 0x24);
	if (is_short)
		emit_byte (e, (unsigned) disp & 0xff);
	else
		emit_32 (e, disp);
}

/* OP with REG and the memory at BASE + DISP */
static inline void emit_mem (struct emit *e, enum width w, unsigned op, unsigned reg, enum reg base,
			     int32_t disp)
{
	emit_rex (e, w, reg, 0, base);
	emit_byte (e, op);
	emit_base (e, reg, base, disp);
}

/* ... at BASE + 8 * INDEX + DISP */
static inline void emit_index (struct emit *e, enum width w, unsigned op, unsigned reg,
			       enum reg base, enum reg index, int32_t disp)
{
	emit_rex (e, w, reg, index, base);
	emit_byte (e, op);
	emit_byte (e, 0x84u | (reg & 7) << 3);
	emit_byte (e, 0xc0u | (index & 7u) << 3 | (base & 7u));
	emit_32 (e, disp);
}

/* ... at fs:DISP */
static inline void emit_tls (struct emit *e, enum width w, unsigned op, unsigned reg, int32_t disp)
{
	emit_byte (e, 0x64);
	emit_rex (e, w, reg, 0, 0);
	emit_byte (e, op);
	emit_byte (e, 0x04u | (reg & 7) << 3);
	emit_byte (e, 0x25);
	emit_32 (e, disp);
}

/* OP with two registers; for those whose register is the destination, FROM is the other one */
static inline void emit_reg (struct emit *e, enum width w, unsigned op, unsigned reg, unsigned from)
{
	emit_rex (e, w, reg, 0, from);
	emit_byte (e, op);
	emit_byte (e, 0xc0u | (reg & 7) << 3 | (from & 7));
}

/* REG = A + B, and no flags */
static inline void emit_sum (struct emit *e, enum reg reg, enum reg a, enum reg b)
{
	emit_rex (e, BITS_64, reg, b, a);
	emit_byte (e, LEA);
	emit_byte (e, 0x44u | (reg & 7u) << 3);
	emit_byte (e, (b & 7u) << 3 | (a & 7u));
	emit_byte (e, 0);
}

static inline void emit_mem_i8 (struct emit *e, enum width w, enum immediate_op op, enum reg base,
				int32_t disp, unsigned value)
{
	emit_mem (e, w, 0x83, op, base, disp);
	emit_byte (e, value);
}

static inline void emit_mem_i32 (struct emit *e, enum width w, enum immediate_op op, enum reg base,
				 int32_t disp, int64_t value)
{
	emit_mem (e, w, 0x81, op, base, disp);
	emit_32 (e, value);
}

static inline void emit_reg_i32 (struct emit *e, enum width w, enum immediate_op op, enum reg reg,
				 int64_t value)
{
	emit_reg (e, w, 0x81, op, reg);
	emit_32 (e, value);
}

/* The constant VALUE, that 32 bits hold, to memory. */
static inline void emit_store_i32 (struct emit *e, enum width w, enum reg base, int32_t disp,
				   int64_t value)
{
	emit_mem (e, w, 0xc7, 0, base, disp);
	emit_32 (e, value);
}

static inline void emit_inc (struct emit *e, enum width w, enum reg base, int32_t disp)
{
	emit_mem (e, w, 0xff, 0, base, disp);
}

static inline void emit_shift (struct emit *e, enum shift_op op, enum reg reg, unsigned bits)
{
	emit_reg (e, BITS_64, 0xc1, op, reg);
	emit_byte (e, bits);
}

/* RDX:RAX = RAX × REG, signed */
static inline void emit_imul (struct emit *e, enum reg reg)
{
	emit_reg (e, BITS_64, 0xf7, 5, reg);
}

static inline void emit_constant (struct emit *e, enum reg reg, uint64_t value)
{
	emit_rex (e, BITS_64, 0, 0, reg);
	emit_byte (e, 0xb8u | (reg & 7u));
	emit_bytes (e, &value, sizeof (value));
}

static inline void emit_address (struct emit *e, enum reg reg, uintptr_t address)
{
	emit_rex (e, BITS_64, reg, 0, 0);
	emit_byte (e, LEA);
	emit_byte (e, 0x05u | (reg & 7u) << 3);
	emit_distance (e, address);
}

/* ---- jumps ----------------------------------------------------------------------------------- */

static inline label emit_label (struct emit *e)
{
	if (e->n_labels == EMIT_LABELS) {
		e->failed = true;
		return 0;
	}
	e->place[e->n_labels] = 0;
	return e->n_labels++;
}

static inline void emit_here (struct emit *e, label l)
{
	e->place[l] = e->n + 1;
}

static inline void emit_use (struct emit *e, label l)
{
	if (e->n_uses == EMIT_USES)
		e->failed = true;
	else {
		e->uses[e->n_uses].at = e->n;
		e->uses[e->n_uses++].to = l;
	}
	emit_32 (e, 0);
}

static inline void emit_if (struct emit *e, enum condition c, label l)
{
	emit_byte (e, 0x0f);
	emit_byte (e, 0x80u | c);
	emit_use (e, l);
}

/* REG = where L is */
static inline void emit_label_address (struct emit *e, enum reg reg, label l)
{
	emit_rex (e, BITS_64, reg, 0, 0);
	emit_byte (e, LEA);
	emit_byte (e, 0x05u | (reg & 7u) << 3);
	emit_use (e, l);
}

static inline void emit_goto (struct emit *e, label l)
{
	emit_byte (e, 0xe9);
	emit_use (e, l);
}

static inline void emit_jump (struct emit *e, uintptr_t address)
{
	emit_byte (e, 0xe9);
	emit_distance (e, address);
}

static inline void emit_jump_to (struct emit *e, enum reg reg)
{
	emit_reg (e, BITS_32, 0xff, 4, reg);
}

static inline void emit_jump_if (struct emit *e, enum condition c, uintptr_t address)
{
	emit_byte (e, 0x0f);
	emit_byte (e, 0x80u | c);
	emit_distance (e, address);
}

/* Fills in where labels are. */
static inline void emit_finish (struct emit *e)
{
	for (unsigned i = 0; i < e->n_uses && !e->failed; i++) {
		size_t to = e->place[e->uses[i].to], at = e->uses[i].at;
		int32_t distance = (int32_t) ((int64_t) to - 1 - (int64_t) (at + 4));

		if (!to)
			e->failed = true;
		else
			memcpy (e->out + at, &distance, sizeof (distance));
	}
}

#endif
