/* SPDX-License-Identifier: MIT */
/*
 * entry.S: what stubs call. They have the site's tag in x0 and the plan in x1, and have saved x0, x1, x16 and x30; the entry saves
 * everything else that a C function may clobber, the flags too, and calls the routine that the plan has for guard markers:
 *
 *   guard_X (tag, plan, sp, value)
 *
 *      host's frame                               <- the marker's sp
 *      PP_ABI_STUB_BYTES: x0 x1 x30 value x16     <- CFA of the entry
 *      x2 .. x15, x17, x18, nzcv
 *      x29 x30                                    <- x29
 *      the general entries: fpsr fpcr, then q0 .. q31, or z0 .. z31, p0 .. p15 and ffr where there is SVE
 */
#include <pp_abi.h>

#include "layout.h"

#define FRAME 160
#define VECTORS (16 + 32 * 16)

	.macro PAIRS insn
	\insn	x2, x3, [x29, #16]
	\insn	x4, x5, [x29, #32]
	\insn	x6, x7, [x29, #48]
	\insn	x8, x9, [x29, #64]
	\insn	x10, x11, [x29, #80]
	\insn	x12, x13, [x29, #96]
	\insn	x14, x15, [x29, #112]
	\insn	x17, x18, [x29, #128]
	.endm

	/* x2 .. x15, x17, x18, nzcv and the frame record; the CFA is x29 + FRAME then */
	.macro SAVE_GENERAL
	sub	sp, sp, #FRAME
	.cfi_def_cfa_offset FRAME
	stp	x29, x30, [sp]
	.cfi_offset 29, -FRAME
	.cfi_offset 30, -FRAME + 8
	mov	x29, sp
	.cfi_def_cfa_register 29
	PAIRS	stp
	mrs	x16, nzcv
	str	x16, [x29, #144]
	.endm

	.macro RESTORE_GENERAL
	ldr	x16, [x29, #144]
	msr	nzcv, x16
	PAIRS	ldp
	mov	sp, x29
	.cfi_def_cfa_register 31
	ldp	x29, x30, [sp]
	.cfi_restore 29
	.cfi_restore 30
	add	sp, sp, #FRAME
	.cfi_def_cfa_offset 0
	.endm

	/* below sp; clobbers x16 and x17 */
	.macro SAVE_VECTORS
	mrs	x16, fpsr
	mrs	x17, fpcr
	stp	x16, x17, [sp, #-16]!
	adrp	x16, pp_arch_has_sve
	ldr	w16, [x16, #:lo12:pp_arch_has_sve]
	cbnz	w16, 1f
	sub	sp, sp, #(32 * 16)
	mov	x16, sp
	.irp	first, 0, 4, 8, 12, 16, 20, 24, 28
	STORE_FOUR \first
	.endr
	b	2f
	.arch_extension sve
1:	addvl	sp, sp, #-32
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
	str	z\n, [sp, #\n, mul vl]
	.endr
	/* 16 predicates and ffr, each an eighth of a vector; three vectors, so that sp stays aligned */
	addvl	sp, sp, #-3
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	str	p\n, [sp, #\n, mul vl]
	.endr
	rdffr	p0.b
	str	p0, [sp, #16, mul vl]
	.arch_extension nosve
2:
	.endm

	.macro RESTORE_VECTORS
	adrp	x16, pp_arch_has_sve
	ldr	w16, [x16, #:lo12:pp_arch_has_sve]
	cbnz	w16, 3f
	mov	x16, sp
	.irp	first, 0, 4, 8, 12, 16, 20, 24, 28
	LOAD_FOUR \first
	.endr
	add	sp, sp, #(32 * 16)
	b	4f
	.arch_extension sve
3:	ldr	p0, [sp, #16, mul vl]
	wrffr	p0.b
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	ldr	p\n, [sp, #\n, mul vl]
	.endr
	addvl	sp, sp, #3
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
	ldr	z\n, [sp, #\n, mul vl]
	.endr
	addvl	sp, sp, #31
	addvl	sp, sp, #1
	.arch_extension nosve
4:	ldp	x16, x17, [sp], #16
	msr	fpsr, x16
	msr	fpcr, x17
	.endm

	/* four vectors from FIRST on, at x16 */
	.macro STORE_FOUR first
	.altmacro
	FOUR	st1, \first, %(\first + 1), %(\first + 2), %(\first + 3)
	.noaltmacro
	.endm

	.macro LOAD_FOUR first
	.altmacro
	FOUR	ld1, \first, %(\first + 1), %(\first + 2), %(\first + 3)
	.noaltmacro
	.endm

	.macro FOUR insn, a, b, c, d
	\insn	{v\a\().2d, v\b\().2d, v\c\().2d, v\d\().2d}, [x16], #64
	.endm

	.macro FUNCTION name
	.globl	\name
	.hidden	\name
	.type	\name, %function
	.p2align 4
\name:
	.cfi_startproc
	hint	#34	/* bti c: stubs call it through the plan */
	.endm

	.macro END_FUNCTION name
	ret
	.cfi_endproc
	.size	\name, .-\name
	.endm

	.macro CALL_GUARD routine
	add	x2, x29, #(FRAME + PP_ABI_STUB_BYTES)
	ldr	x3, [x29, #(FRAME + PP_ABI_STUB_VALUE)]
	ldr	x16, [x1, #\routine]
	blr	x16
	.endm

	.macro PLAIN name, routine
	FUNCTION \name
	SAVE_GENERAL
	CALL_GUARD \routine
	RESTORE_GENERAL
	END_FUNCTION \name
	.endm

	.macro GENERAL name, routine
	FUNCTION \name
	SAVE_GENERAL
	SAVE_VECTORS
	CALL_GUARD \routine
	RESTORE_VECTORS
	RESTORE_GENERAL
	END_FUNCTION \name
	.endm

	.text
	PLAIN	pp_arch_plain_begin, PLAN_GUARD_BEGIN
	PLAIN	pp_arch_plain_end, PLAN_GUARD_END
	PLAIN	pp_arch_plain_point, PLAN_GUARD_POINT
	GENERAL	pp_arch_general_begin, PLAN_GUARD_BEGIN
	GENERAL	pp_arch_general_end, PLAN_GUARD_END
	GENERAL	pp_arch_general_point, PLAN_GUARD_POINT

	/* x0: the function, then its arguments */
	FUNCTION pp_arch_saving_vectors
	stp	x29, x30, [sp, #-16]!
	.cfi_def_cfa_offset 16
	.cfi_offset 29, -16
	.cfi_offset 30, -8
	mov	x29, sp
	.cfi_def_cfa_register 29
	SAVE_VECTORS
	mov	x16, x0
	mov	x0, x1
	mov	x1, x2
	mov	x2, x3
	blr	x16
	RESTORE_VECTORS
	mov	sp, x29
	.cfi_def_cfa_register 31
	ldp	x29, x30, [sp], #16
	.cfi_restore 29
	.cfi_restore 30
	.cfi_def_cfa_offset 0
	END_FUNCTION pp_arch_saving_vectors

	.section .note.GNU-stack, "", %progbits
