/* SPDX-License-Identifier: MIT */
/*
 * entry.S: the general entries. A stub calls them with the site's tag in rdi and the plan in rsi; they save
 * everything a C function of the host's could clobber (general registers, and x87/SSE/AVX/AVX-512 state by xsave),
 * align the stack and call the C routine:
 *
 *   ppi_general_X (tag, plan, sp, value)
 *
 *      host's frame
 *      128 bytes      red zone, stepped over by the stub
 *     [value]         points with a value, begins with a payload or dimensions
 *      rdi rsi        pushed by the stub
 *      return address into the stub            <- CFA is above it
 *      rbp                                     <- rbp
 *      rax rcx rdx r8 r9 r10 r11 rdi rsi
 *      ... aligned to 64: xsave area
 *
 * Components saved: x87, SSE, AVX, AVX-512 (mask in pp_arch_xsave_mask; 0 means fxsave). AMX tiles are left out: 8
 * KiB of a foreign stack are too many, and no function that is called from here uses them.
 */
#include <pp_abi.h>

/* defines _CET_ENDBR, and marks the object as prepared for -fcf-protection */
#ifdef __CET__
#include <cet.h>
#else
#define _CET_ENDBR
#endif

#define XSAVE_BYTES 2816 /* legacy 512 + header 64 + AVX 256 + AVX-512 in the standard format, up to 2688 */

/* Saves the vector state at the 64-byte aligned rsp; clobbers rax and rdx. */
	.macro SAVE_VECTORS
	movl	pp_arch_xsave_mask(%rip), %eax
	testl	%eax, %eax
	jz	1f
	/* xrstor faults unless the reserved part of the header is zero */
	xorl	%edx, %edx
	.irp	offset, 512, 520, 528, 536, 544, 552, 560, 568
	movq	%rdx, \offset(%rsp)
	.endr
	xsave64	(%rsp)
	jmp	2f
1:	fxsave64 (%rsp)
2:	cld
	.endm

	.macro RESTORE_VECTORS
	movl	pp_arch_xsave_mask(%rip), %eax
	testl	%eax, %eax
	jz	3f
	xorl	%edx, %edx
	xrstor64 (%rsp)
	jmp	4f
3:	fxrstor64 (%rsp)
4:
	.endm

	/* PUSHED: of the value, where the marker's stack pointer matters */
	.macro GENERAL name, function, pushed=0
	.globl	\name
	.hidden	\name
	.type	\name, @function
	.p2align 4
\name:
	.cfi_startproc
	_CET_ENDBR	/* stubs call it through the plan */
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register %rbp
	pushq	%rax
	.cfi_offset %rax, -24
	pushq	%rcx
	.cfi_offset %rcx, -32
	pushq	%rdx
	.cfi_offset %rdx, -40
	pushq	%r8
	.cfi_offset %r8, -48
	pushq	%r9
	.cfi_offset %r9, -56
	pushq	%r10
	.cfi_offset %r10, -64
	pushq	%r11
	.cfi_offset %r11, -72
	pushq	%rdi
	pushq	%rsi
	subq	$XSAVE_BYTES, %rsp
	andq	$-64, %rsp
	SAVE_VECTORS
	leaq	16+\pushed+PP_ABI_STUB_BYTES(%rbp), %rdx
	movq	16+PP_ABI_STUB_VALUE(%rbp), %rcx
	call	\function
	RESTORE_VECTORS
	leaq	-72(%rbp), %rsp
	popq	%rsi
	popq	%rdi
	popq	%r11
	popq	%r10
	popq	%r9
	popq	%r8
	popq	%rdx
	popq	%rcx
	popq	%rax
	popq	%rbp
	.cfi_def_cfa %rsp, 8
	ret
	.cfi_endproc
	.size	\name, .-\name
	.endm

	.text
	GENERAL	pp_arch_general_begin, ppi_general_begin
	GENERAL	pp_arch_general_begin_pushed, ppi_general_begin, 8
	GENERAL	pp_arch_general_end, ppi_general_end
	GENERAL	pp_arch_general_point, ppi_general_point

	.globl	pp_arch_saving_vectors
	.hidden	pp_arch_saving_vectors
	.type	pp_arch_saving_vectors, @function
	.p2align 4
pp_arch_saving_vectors:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register %rbp
	movq	%rdi, %r8
	movq	%rsi, %rdi
	movq	%rdx, %rsi
	movq	%rcx, %r9
	subq	$XSAVE_BYTES, %rsp
	andq	$-64, %rsp
	SAVE_VECTORS
	movq	%r9, %rdx
	call	*%r8
	RESTORE_VECTORS
	leave
	.cfi_def_cfa %rsp, 8
	ret
	.cfi_endproc
	.size	pp_arch_saving_vectors, .-pp_arch_saving_vectors

	.section .note.GNU-stack, "", @progbits
