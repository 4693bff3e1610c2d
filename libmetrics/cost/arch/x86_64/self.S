/* SPDX-License-Identifier: MIT */
/*
 * self.S: the library's own markers, whose cost is measured (cost.c). They are as the plugin emits them (pp_abi.h), in no table: nobody's
 * patterns mean them. The loops execute their markers %rdi times, each behind %rsi steps of work that keeps the processor busy; others, at the same
 * places of a line, are the same without markers. How long a loop takes depends on where it lies: each is there in PP_ARCH_SELF_LAYOUTS places.
 * For unwinders the stubs of a loop's markers belong to the loop.
 */
#include <pp_abi.h>

#ifdef __CET__
#include <cet.h>
#else
#define _CET_ENDBR
#endif

	.macro PUSH register
	pushq	\register
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset \register, 0
	.endm

	.macro POP register
	popq	\register
	.cfi_adjust_cfa_offset -8
	.cfi_restore \register
	.endm

	.macro SITE stub
	.byte	0x66, 0x0f, 0x1f, PP_ABI_X86_OFF, 0xe9
	.long	\stub\()f - . - 4
	.endm

	/* the stub of the marker at label MARKER; with PUSH its value is 0 */
	.macro STUB label, marker, entry, site, push
	.p2align 6
	.long	\marker\()b + PP_ABI_X86_NOP_BYTES - ., 0
\label:
	.byte	0x0f, 0x1f, 0x44, 0, 0
	leaq	-128(%rsp), %rsp
	.cfi_adjust_cfa_offset 128
	.if	\push
	{rex} pushq %rax
	.cfi_adjust_cfa_offset 8
	.endif
	PUSH	%rdi
	PUSH	%rsi
	leaq	\site(%rip), %rdi
	movq	\site + PP_ABI_SITE_PLAN(%rip), %rsi
	call	*\entry(%rsi)
	POP	%rsi
	POP	%rdi
	leaq	128 + 8 * \push(%rsp), %rsp
	.cfi_adjust_cfa_offset -128 - 8 * \push
	jmp	\marker\()b + PP_ABI_X86_NOP_BYTES
	.endm

	.macro MARKER marker, stub, site, op
	.pushsection .data
	.long	\marker\()b - ., \stub\()b - ., \site - ., 0
	.byte	\op, 0
	.short	0
	.popsection
	.endm

	/* eight independent chains of additions: nothing waits in them, so whatever is executed besides takes time */
	.macro WORK
	xorl	%ecx, %ecx
	testq	%rsi, %rsi
	jz	102f
101:	addq	%rbp, %rax
	xorq	%rbp, %rbx
	addq	%rcx, %rdx
	xorq	%rcx, %r12
	addq	%rbp, %r8
	xorq	%rbp, %r9
	addq	%rcx, %r10
	xorq	%rcx, %r11
	incq	%rcx
	cmpq	%rsi, %rcx
	jne	101b
102:
	.endm

	.macro LOOP pad, first, second
	.text
	.p2align 6
10:	.cfi_startproc
	_CET_ENDBR	/* called through a pointer */
	PUSH	%rbx
	PUSH	%rbp
	PUSH	%r12
	xorl	%ebp, %ebp
	.rept	\pad
	nop
	.endr
9:	WORK
	\first
	WORK
	\second
	incq	%rbp
	cmpq	%rdi, %rbp
	jne	9b
	.cfi_remember_state
	POP	%r12
	POP	%rbp
	POP	%rbx
	ret
	.cfi_restore_state
	.pushsection .data.rel.ro, "aw"
	.quad	10b
	.popsection
	.endm

	/* a marker that is none */
	.macro PLAIN
	.byte	0x66, 0x0f, 0x1f, PP_ABI_X86_OFF, 0xe9
	.long	0
	.endm

	.hidden	ppi_self_interval, ppi_self_point, ppi_self_value

	.data
	.p2align 2
	.hidden	pp_arch_self_markers
	.globl	pp_arch_self_markers
pp_arch_self_markers:
	.section .data.rel.ro, "aw"
	.p2align 3
	.hidden	pp_arch_self_loops
	.globl	pp_arch_self_loops
pp_arch_self_loops:

	.macro INTERVAL pad
	LOOP	\pad, "1: SITE 3", "2: SITE 4"
	STUB	3, 1, PP_ABI_PLAN_BEGIN, ppi_self_interval, 0
	STUB	4, 2, PP_ABI_PLAN_END, ppi_self_interval, 0
	.cfi_endproc
	MARKER	1, 3, ppi_self_interval, 0
	MARKER	2, 4, ppi_self_interval, 1
	LOOP	\pad, PLAIN, PLAIN
	.cfi_endproc
	.endm

	.macro POINT pad, site, push
	LOOP	\pad, "5: SITE 6"
	STUB	6, 5, PP_ABI_PLAN_POINT, \site, \push
	.cfi_endproc
	MARKER	5, 6, \site, 2
	LOOP	\pad, PLAIN
	.cfi_endproc
	.endm

	.irp	pad, 0, 16, 32, 48
	INTERVAL \pad
	.endr
	.irp	pad, 0, 16, 32, 48
	POINT	\pad, ppi_self_point, 0
	.endr
	.irp	pad, 0, 16, 32, 48
	POINT	\pad, ppi_self_value, 1
	.endr

	.section .note.GNU-stack, "", @progbits
