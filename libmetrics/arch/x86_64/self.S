/* SPDX-License-Identifier: MIT */
/*
 * self.S: the library's own markers, whose cost is measured (cost.c). They are as the plugin emits them (pp_abi.h), in no table: nobody's
 * patterns mean them. Each function executes its markers %rdi times, each time behind a chain of %rsi multiplications.
 */
#include <pp_abi.h>

	.macro NOP stub
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
	.if	\push
	{rex} pushq %rax
	.endif
	pushq	%rdi
	pushq	%rsi
	leaq	\site(%rip), %rdi
	movq	\site + PP_ABI_SITE_PLAN(%rip), %rsi
	call	*\entry(%rsi)
	popq	%rsi
	popq	%rdi
	leaq	128 + 8 * \push(%rsp), %rsp
	jmp	\marker\()b + PP_ABI_X86_NOP_BYTES
	.endm

	.macro MARKER marker, stub, site, op
	.long	\marker\()b - ., \stub\()b - ., \site - ., 0
	.byte	\op, 0
	.short	0
	.endm

	.macro WORK
	movq	%rsi, %rcx
	jrcxz	102f
101:	imulq	%rdx, %rdx
	decq	%rcx
	jnz	101b
102:
	.endm

	.macro FUNCTION name
	.text
	.p2align 6
	.globl	\name
	.hidden	\name
	.type	\name, @function
\name:
	.endm

	.hidden	ppi_self_interval, ppi_self_point, ppi_self_value
	.hidden pp_arch_self_markers
	.globl	pp_arch_self_markers

	FUNCTION pp_arch_self_interval
9:	WORK
1:	NOP	3
2:	NOP	4
	decq	%rdi
	jnz	9b
	ret
	STUB	3, 1, PP_ABI_PLAN_BEGIN, ppi_self_interval, 0
	STUB	4, 2, PP_ABI_PLAN_END, ppi_self_interval, 0
	.size	pp_arch_self_interval, . - pp_arch_self_interval

	FUNCTION pp_arch_self_point
9:	WORK
5:	NOP	6
	decq	%rdi
	jnz	9b
	ret
	STUB	6, 5, PP_ABI_PLAN_POINT, ppi_self_point, 0
	.size	pp_arch_self_point, . - pp_arch_self_point

	FUNCTION pp_arch_self_value
	xorl	%eax, %eax
9:	WORK
7:	NOP	8
	decq	%rdi
	jnz	9b
	ret
	STUB	8, 7, PP_ABI_PLAN_POINT, ppi_self_value, 1
	.size	pp_arch_self_value, . - pp_arch_self_value

	.data
	.p2align 2
pp_arch_self_markers:
	MARKER	1, 3, ppi_self_interval, 0
	MARKER	2, 4, ppi_self_interval, 1
	MARKER	5, 6, ppi_self_point, 2
	MARKER	7, 8, ppi_self_value, 2

	.section .note.GNU-stack, "", @progbits
