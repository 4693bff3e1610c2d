/* SPDX-License-Identifier: MIT */
/*
 * fast.S: the usual case of an interval with one elapsed metric, by hand. It does what elapsed_begin and elapsed_end
 * of hot.c do and goes to them (ppi_elapsed_..._entry, the same routines in C) for everything unusual, before it has
 * changed anything.
 *
 * Both read the clock first. RDTSC waits for what is in flight before it: behind the look-ups it would cost the
 * latency of all of them, twice the whole routine (throughput regime, w = 20: 2.9 times two bare reads against 2.0).
 * What an interval so measures of its own begin is the same every time.
 *
 * Entered from a stub: rdi tag, rsi plan, both saved by the stub and free here; all other registers are saved as
 * they are used.
 *
 *      host's frame
 *      128 bytes, rdi, rsi           the stub's          <- marker's rsp is PP_ABI_STUB_BYTES above the CFA
 *      return address                                    <- CFA
 *      saved registers
 */
#include <pp_abi.h>

/* defines _CET_ENDBR, and marks the object as prepared for -fcf-protection */
#ifdef __CET__
#include <cet.h>
#else
#define _CET_ENDBR
#endif

#include "layout.h"

	.macro SAVE reg, offset
	pushq	%\reg
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %\reg, 0
	.endm

	.macro GIVE_BACK reg
	popq	%\reg
	.cfi_adjust_cfa_offset -8
	.cfi_restore %\reg
	.endm

	.macro FUNCTION name
	.globl	\name
	.hidden	\name
	.type	\name, @function
	.p2align 5
\name:
	.cfi_startproc
	_CET_ENDBR	/* stubs call it through the plan */
	.endm

	.macro END_FUNCTION name
	.cfi_endproc
	.size	\name, .-\name
	.endm

	/* ---- begin ------------------------------------------------------------------------------------------------------- */

	FUNCTION pp_arch_elapsed_begin
	SAVE	rax
	SAVE	rcx
	SAVE	rdx
	SAVE	r8
	.cfi_remember_state
	rdtsc
	shlq	$32, %rdx
	orq	%rdx, %rax
	movq	%rax, %r8
	movq	ppi_scratch@gottpoff(%rip), %rdx
	movq	%fs:SCRATCH_SELF(%rdx), %rax	/* the thread's line */
	leaq	32 + 8 + PP_ABI_STUB_BYTES(%rsp), %rcx	/* the marker's sp */
	cmpq	$0, HOT_BUSY(%rax)
	jne	9f
	cmpq	$0, %fs:(%rdx)			/* as ppi_try_enter */
	jne	9f
	/*
	 * from here on a handler uses another state: what is read now stays so. ppi_nobody's line is shared; its
	 * span is 0
	 */
	movq	%rcx, HOT_BUSY(%rax)
	movq	%rcx, %rdx
	subq	HOT_LO(%rax), %rdx
	cmpq	HOT_SPAN(%rax), %rdx
	jae	8f
	movq	HOT_TOP(%rax), %rdx
	cmpq	%rcx, FRAME_SP(%rdx)
	jbe	3f
1:	/* the place behind the top, if it is in the page */
	addq	$FRAME_BYTES, %rdx
	subq	HOT_FIRST(%rax), %rdx
	cmpq	$FRAME_PAGE_BYTES - FRAME_PAGE_FIRST, %rdx
	jae	8f
	addq	HOT_FIRST(%rax), %rdx
	movq	%rdi, FRAME_TAG(%rdx)
	movq	%rcx, FRAME_SP(%rdx)
	movq	HOT_TOP(%rax), %rcx
	movq	%rcx, FRAME_PREV(%rdx)
	movq	%rsi, FRAME_PLAN(%rdx)
	movq	%r8, FRAME_TICKS(%rdx)
	movq	%rdx, HOT_TOP(%rax)
	movq	$0, HOT_BUSY(%rax)
	GIVE_BACK r8
	GIVE_BACK rdx
	GIVE_BACK rcx
	GIVE_BACK rax
	ret
	.cfi_restore_state
3:	/* intervals of one activation, nested; below it something stale */
	jb	8f
4:	cmpq	%rdi, FRAME_TAG(%rdx)
	je	8f
	movq	FRAME_PREV(%rdx), %rdx
	cmpq	%rcx, FRAME_SP(%rdx)
	je	4b
	movq	HOT_TOP(%rax), %rdx
	jmp	1b
8:	movq	$0, HOT_BUSY(%rax)
9:	GIVE_BACK r8
	GIVE_BACK rdx
	GIVE_BACK rcx
	GIVE_BACK rax
	jmp	ppi_elapsed_begin_entry
	END_FUNCTION pp_arch_elapsed_begin

	/* ---- end --------------------------------------------------------------------------------------------------------- */

	/* rax now, rcx line, rdx sp, r8 frame, rsi shard; busy is set */
	.macro END_PROLOGUE
	SAVE	rax
	SAVE	rcx
	SAVE	rdx
	SAVE	r8
	.cfi_remember_state
	rdtsc
	shlq	$32, %rdx
	orq	%rdx, %rax
	movq	ppi_scratch@gottpoff(%rip), %rdx
	cmpq	$0, %fs:(%rdx)
	jne	9f
	movq	%fs:SCRATCH_SELF(%rdx), %rcx
	leaq	32 + 8 + PP_ABI_STUB_BYTES(%rsp), %rdx
	cmpq	$0, HOT_BUSY(%rcx)
	jne	9f
	movq	%rdx, HOT_BUSY(%rcx)
	movq	%rdx, %r8
	subq	HOT_LO(%rcx), %r8
	cmpq	HOT_SPAN(%rcx), %r8
	jae	8f
	movq	HOT_TOP(%rcx), %r8
	cmpq	%rdi, FRAME_TAG(%r8)
	jne	8f
	cmpq	%rdx, FRAME_SP(%r8)
	jb	8f
	cmpq	%rsi, FRAME_PLAN(%r8)
	jne	8f
	movl	PLAN_FIRST_SLOT(%rsi), %esi
	cmpq	%rsi, HOT_SLOTS(%rcx)
	jbe	7f
	movq	HOT_TABLE(%rcx), %rdi
	movq	(%rdi,%rsi,8), %rsi
	testq	%rsi, %rsi
	je	7f
	.endm

	/* x in rax, now in rdx; seq odd in edi */
	.macro OPEN_SHARD
	movq	%rax, %rdx
	subq	FRAME_TICKS(%r8), %rax
	js	7f
	movl	SHARD_SEQ(%rsi), %edi
	orl	$1, %edi
	movl	%edi, SHARD_SEQ(%rsi)
	.endm

	.macro ADD_SUM
	addq	%rax, SHARD_SUM(%rsi)
	adcq	$0, SHARD_SUM+8(%rsi)
	.endm

	.macro SET_LAST
	movq	%rax, SHARD_LAST(%rsi)
	movq	%rdx, SHARD_LAST_TICKS(%rsi)
	.endm

	.macro END_EPILOGUE slow
	incq	SHARD_N(%rsi)
	incl	%edi
	movl	%edi, SHARD_SEQ(%rsi)
	movq	FRAME_PREV(%r8), %rax
	movq	%rax, HOT_TOP(%rcx)
	movq	$0, HOT_BUSY(%rcx)
	GIVE_BACK r8
	GIVE_BACK rdx
	GIVE_BACK rcx
	GIVE_BACK rax
	ret
	.cfi_restore_state
	.cfi_remember_state
	/* also where the clock went back: in C sums are signed */
7:	movq	FRAME_TAG(%r8), %rdi
	movq	FRAME_PLAN(%r8), %rsi
8:	movq	$0, HOT_BUSY(%rcx)
9:	GIVE_BACK r8
	GIVE_BACK rdx
	GIVE_BACK rcx
	GIVE_BACK rax
	jmp	\slow
	.cfi_restore_state	/* of what follows in the function */
	.endm

	FUNCTION pp_arch_elapsed_end_scalar
	END_PROLOGUE
	OPEN_SHARD
	SET_LAST
	END_EPILOGUE ppi_elapsed_end_scalar_entry
	END_FUNCTION pp_arch_elapsed_end_scalar

	FUNCTION pp_arch_elapsed_end_sumcount
	END_PROLOGUE
	OPEN_SHARD
	ADD_SUM
	SET_LAST
	END_EPILOGUE ppi_elapsed_end_sumcount_entry
	END_FUNCTION pp_arch_elapsed_end_sumcount

	FUNCTION pp_arch_elapsed_end_stats
	END_PROLOGUE
	OPEN_SHARD
	ADD_SUM
	SET_LAST
	cmpq	$0, SHARD_N(%rsi)
	je	4f
	cmpq	SHARD_MIN(%rsi), %rax
	jl	5f
1:	cmpq	SHARD_MAX(%rsi), %rax
	jg	6f
2:	mulq	%rax
	addq	%rax, SHARD_SQUARES(%rsi)
	adcq	%rdx, SHARD_SQUARES+8(%rsi)
	jc	10f
3:	END_EPILOGUE ppi_elapsed_end_stats_entry
4:	movq	%rax, SHARD_MIN(%rsi)
	movq	%rax, SHARD_MAX(%rsi)
	jmp	2b
5:	movq	%rax, SHARD_MIN(%rsi)
	jmp	1b
6:	movq	%rax, SHARD_MAX(%rsi)
	jmp	2b
10:	movq	$-1, SHARD_SQUARES(%rsi)	/* past 2^128: stays there */
	movq	$-1, SHARD_SQUARES+8(%rsi)
	jmp	3b
	END_FUNCTION pp_arch_elapsed_end_stats

	.section .note.GNU-stack, "", @progbits
