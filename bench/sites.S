/* SPDX-License-Identifier: MIT */
/*
 * sites.S: 50,000 functions (SITES) with one interval each, two markers, as the plugin emits them; compiling them as C
 * would take longer than everything else here. They are named f00000 and so on.
 */
#include <pp_abi.h>

#ifndef SITES
#define SITES 50000
#endif

	.macro NOP stub
	.byte	0x66, 0x0f, 0x1f, PP_ABI_X86_OFF, 0xe9
	.long	\stub\()f - . - 4
	.endm

	/* the stub of the marker at label MARKER for the site at label 5 */
	.macro STUB label, marker, entry
	.p2align 6
	.long	\marker\()b + PP_ABI_X86_NOP_BYTES - ., 0
\label:
	.byte	0x0f, 0x1f, 0x44, 0, 0
	leaq	-128(%rsp), %rsp
	pushq	%rdi
	pushq	%rsi
	leaq	5f(%rip), %rdi
	movq	5f + PP_ABI_SITE_PLAN(%rip), %rsi
	call	*\entry(%rsi)
	popq	%rsi
	popq	%rdi
	leaq	128(%rsp), %rsp
	jmp	\marker\()b + PP_ABI_X86_NOP_BYTES
	.endm

	.macro MARKER marker, stub, op
	.long	\marker\()b - ., \stub\()b - ., 5b - ., 0
	.byte	\op, 0
	.short	32					/* PP_ABI_MARKER_NO_METRICS */
	.endm

	.set	number, 0
	.text
	.globl	bench_functions
bench_functions:
	.rept	SITES
	.text
1:	NOP	3
2:	NOP	4
	ret
	.subsection 1
	STUB	3, 1, PP_ABI_PLAN_BEGIN
	STUB	4, 2, PP_ABI_PLAN_END

	.data
	.p2align 6
5:	.quad	0, 0, 0, 0
	.long	128
	.short	PP_ABI_VERSION
	.byte	2, 0, 0, 0, 0, 0			/* an interval */
	.long	number + 1, 1				/* line, column */
	.long	88, 90, 97, 0, 0, 0, 0, 0, 0		/* name, function, file */
	.asciz	"i"
	.byte	'f', '0' + number / 10000, '0' + number / 1000 % 10, '0' + number / 100 % 10
	.byte	'0' + number / 10 % 10, '0' + number % 10, 0
	.asciz	"sites.S"
	.p2align 6

	.section __pp_sites, "aw"
	MARKER	1, 3, 0
	MARKER	2, 4, 1
	.set	number, number + 1
	.endr

	.section .note.GNU-stack, "", @progbits
