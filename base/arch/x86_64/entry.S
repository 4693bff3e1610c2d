/* SPDX-License-Identifier: MIT */
/*
 * entry.S: calls of ordinary C from markers. What runs at a marker uses general registers only; where it comes to C code
 * that may use others (users' functions, doubles, checks), it calls it through one of these:
 *
 *   uint64_t pp_arch_call_STATE (fn, a, b, c, d, stack)      returns what fn (a, b, c, d) returns
 *
 * They keep the vector state that the host may have live at the marker, and go over to the stack that ends at STACK, which is the
 * thread's own (0: stay), so that the host's may be a small one.
 *
 *   STATE     keeps                                              for markers in code that
 *   plain     nothing                                            calls us (guards): the ABI lets C clobber all of it
 *   sse       xmm0-15                                            was compiled without AVX
 *   avx       ymm0-15                                            ... without AVX-512
 *   avx512    zmm0-31, k0-7                                      may have any of them live
 *   all       the same and x87/MMX, by xsave (fxsave)            may have x87 registers live, or where the CPU is of no kind above
 *
 * Instructions for each register instead of xsave: xsave and xrstor are microcode, 115 to 160 ns for the pair, sixteen ymm
 * registers are stored and loaded in 5. The x87 stack needs no saving where the host's is empty: it is a stack, and C
 * functions leave it as they found it. C runs with the default mxcsr: a host may have let exceptions trap, and 0/0 is none here. The host's is given back,
 * with its flags, which are the program's to look at: what the call raised is taken back. So are the control word
 * and the flags of the x87, which fesetround and fetestexcept take for one with mxcsr; while C runs its control word is the
 * host's (reading all four takes 1.1 ns). errno is a variable of the thread's at a distance from %fs that is the same in all
 * threads.
 *
 * The upper halves: they are almost always zero and the CPU knows it; loading zeros into them would make it think otherwise
 * (mixing with legacy SSE code is slow then, on some by a factor of ten). So they are compared with zero once they are saved, and zeros are
 * restored by vzeroupper. XGETBV (1) would say it too, in 13 ns.
 *
 *      return address                          <- CFA is above it
 *      rbp                                     <- rbp
 *      rbx                                     not zero: upper halves to restore
 *      errno
 *      ... maybe on the other stack, aligned to 64: the area
 *      0: mxcsr  4: afterwards  8: x87 control  12: status  16, 20: afterwards  24: its environment  64: registers
 *
 * The CFA is rbp's on whatever stack, so unwinding goes through; a signal handler that comes in between runs where rsp is.
 * AMX tiles are left out: no code that is called from here uses them.
 */
#include <pp_abi.h>

/* defines _CET_ENDBR, and marks the object as prepared for -fcf-protection */
#ifdef __CET__
#include <cet.h>
#else
#define _CET_ENDBR
#endif

#define XSAVE_BYTES 2816 /* legacy 512 + header 64 + AVX 256 + AVX-512 in the standard format, up to 2688 */

	.macro OPEN name, bytes
	.globl	\name
	.hidden	\name
	.type	\name, @function
	.p2align 4
\name:
	.cfi_startproc
	_CET_ENDBR	/* called through the plan */
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register %rbp
	pushq	%rbx
	.cfi_offset %rbx, -24
	movq	pp_arch_errno(%rip), %r10
	movl	%fs:(%r10), %r10d
	pushq	%r10
	testq	%r9, %r9
	cmovneq	%r9, %rsp
	subq	$\bytes, %rsp
	andq	$-64, %rsp
	.endm

	.macro CALL_FN
	movq	%rdi, %rax
	movq	%rsi, %rdi
	movq	%rdx, %rsi
	movq	%rcx, %rdx
	movq	%r8, %rcx
	call	*%rax
	.endm

	.macro CLOSE name
	movq	pp_arch_errno(%rip), %rcx
	movl	-16(%rbp), %edx
	movl	%edx, %fs:(%rcx)
	movq	-8(%rbp), %rbx
	leave
	.cfi_def_cfa %rsp, 8
	ret
	.cfi_endproc
	.size	\name, .-\name
	.endm

/* Keeps the host's at 0(%rsp). All but its flags are what C is used to, as a rule. */
	.macro FP_DEFAULT
	stmxcsr	(%rsp)
	fnstcw	8(%rsp)
	fnstsw	12(%rsp)
	movl	(%rsp), %eax
	andl	$0xffc0, %eax
	cmpl	$0x1f80, %eax
	je	7f
	ldmxcsr	default_mxcsr(%rip)
7:
	.endm

/* An x87 stack that was left empty is as good as another, so of the status word only the flags are the host's. */
	.macro FP_RESTORE
	stmxcsr	4(%rsp)
	fnstcw	16(%rsp)
	fnstsw	20(%rsp)
	movl	(%rsp), %ecx
	cmpl	4(%rsp), %ecx
	je	8f
	ldmxcsr	(%rsp)
8:	movzwl	8(%rsp), %ecx
	movzbl	12(%rsp), %edx
	cmpw	%cx, 16(%rsp)
	jne	9f
	cmpb	%dl, 20(%rsp)
	je	8f
9:	fnstenv	24(%rsp)
	movw	%cx, 24(%rsp)
	movb	%dl, 28(%rsp)
	fldenv	24(%rsp)
8:
	.endm

#define TO_7 0, 1, 2, 3, 4, 5, 6, 7
#define TO_15 TO_7, 8, 9, 10, 11, 12, 13, 14, 15
#define FROM_16 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31

/* registers 0 to 15 all into number 0 */
	.macro OR_ALL insn, register
	.irp	n, 4, 8, 12
	\insn	%\register\n, %\register\()0, %\register\()0
	.endr
	.irp	n, 5, 9, 13
	\insn	%\register\n, %\register\()1, %\register\()1
	.endr
	.irp	n, 6, 10, 14, 2
	\insn	%\register\n, %\register\()3, %\register\()3
	.endr
	.irp	n, 7, 11, 15, 3
	\insn	%\register\n, %\register\()1, %\register\()1
	.endr
	\insn	%\register\()1, %\register\()0, %\register\()0
	.endm

/* registers 0 to 15, of so many BYTES; their lower halves do where the others are zero */
	.macro GIVE_BACK bytes, register
	testl	%ebx, %ebx
	jnz	1f
	vzeroupper
	.irp	n, TO_15
	vmovaps	64 + \bytes * \n(%rsp), %xmm\n
	.endr
	jmp	2f
1:
	.irp	n, TO_15
	vmovaps	64 + \bytes * \n(%rsp), %\register\n
	.endr
2:
	.endm

	.section .rodata
	.p2align 2
default_mxcsr:
	.long	0x1f80

	.text

	OPEN	pp_arch_call_plain, 64
	FP_DEFAULT
	CALL_FN
	FP_RESTORE
	CLOSE	pp_arch_call_plain

	OPEN	pp_arch_call_sse, 64+16*16
	FP_DEFAULT
	.irp	n, TO_15
	movaps	%xmm\n, 64 + 16 * \n(%rsp)
	.endr
	CALL_FN
	.irp	n, TO_15
	movaps	64 + 16 * \n(%rsp), %xmm\n
	.endr
	FP_RESTORE
	CLOSE	pp_arch_call_sse

	OPEN	pp_arch_call_avx, 64+16*32
	FP_DEFAULT
	.irp	n, TO_15
	vmovaps	%ymm\n, 64 + 32 * \n(%rsp)
	.endr
	OR_ALL	vorps, ymm
	vextractf128 $1, %ymm0, %xmm0
	xorl	%ebx, %ebx
	vptest	%xmm0, %xmm0
	setne	%bl
	vzeroupper
	CALL_FN
	GIVE_BACK 32, ymm
	FP_RESTORE
	CLOSE	pp_arch_call_avx

	OPEN	pp_arch_call_avx512, 64+32*64+64
	FP_DEFAULT
	.irp	n, TO_15, FROM_16
	vmovaps	%zmm\n, 64 + 64 * \n(%rsp)
	.endr
	.irp	n, TO_7
	kmovq	%k\n, 64 + 2048 + 8 * \n(%rsp)
	.endr
	OR_ALL	vporq, zmm
	vextracti64x4 $1, %zmm0, %ymm1
	vextracti128 $1, %ymm0, %xmm0
	vpor	%ymm0, %ymm1, %ymm0
	xorl	%ebx, %ebx
	vptest	%ymm0, %ymm0
	setne	%bl
	vzeroupper
	CALL_FN
	.irp	n, TO_7
	kmovq	64 + 2048 + 8 * \n(%rsp), %k\n
	.endr
	.irp	n, FROM_16
	vmovaps	64 + 64 * \n(%rsp), %zmm\n
	.endr
	GIVE_BACK 64, zmm
	FP_RESTORE
	CLOSE	pp_arch_call_avx512

	OPEN	pp_arch_call_all, XSAVE_BYTES
	movq	%rdx, %r10
	movl	pp_arch_xsave_mask(%rip), %eax
	movl	%eax, %ebx
	testl	%eax, %eax
	jz	1f
	/* xrstor faults unless the reserved part of the header is zero */
	xorl	%edx, %edx
	.irp	offset, 512, 520, 528, 536, 544, 552, 560, 568
	movq	%rdx, \offset(%rsp)
	.endr
	xsave64	(%rsp)
	testb	$4, %al
	jz	2f
	vzeroupper
	jmp	2f
1:	fxsave64 (%rsp)
2:	movq	%r10, %rdx
	/* an empty x87 stack and the defaults, as a function may expect */
	fninit
	ldmxcsr	default_mxcsr(%rip)
	cld
	CALL_FN
	movq	%rax, %r10
	movl	%ebx, %eax
	testl	%eax, %eax
	jz	3f
	xorl	%edx, %edx
	xrstor64 (%rsp)
	jmp	4f
3:	fxrstor64 (%rsp)
4:	movq	%r10, %rax
	CLOSE	pp_arch_call_all

/*
 * A call from a block (block_call.c): FN in rax, its arguments where the ABI has them; in r10 where the program goes on behind the marker, in r11
 * where the block does, which gets back what FN returned, a stack pointer as it was, and nothing else of what FN may clobber. Here
 * and not in the block, because unwinders know this code as any other: to them the marker has called it.
 *
 *      CFA                     the marker's stack pointer
 *      128 bytes               the marker's red zone
 *      -144  r10               the return address
 *      -152  rbp               <- rbp
 *      -160  r11               then what aligns the stack
 */
	.globl	pp_arch_block_call
	.hidden	pp_arch_block_call
	.type	pp_arch_block_call, @function
	.p2align 6
pp_arch_block_call:
	.cfi_startproc simple
	.cfi_signal_frame	/* the return address is not behind a call */
	.cfi_def_cfa %rsp, 0
	.cfi_register %rip, %r10
	_CET_ENDBR
	leaq	-160(%rsp), %rsp
	.cfi_def_cfa_offset 160
	movq	%r10, 16(%rsp)
	.cfi_offset %rip, -144
	movq	%rbp, 8(%rsp)
	.cfi_offset %rbp, -152
	leaq	8(%rsp), %rbp
	.cfi_def_cfa %rbp, 152
	movq	%r11, (%rsp)
	andq	$-16, %rsp
	call	*%rax
	movq	-8(%rbp), %r11
	movq	8(%rbp), %r10
	.cfi_register %rip, %r10
	movq	%rbp, %rcx
	.cfi_def_cfa_register %rcx
	movq	(%rbp), %rbp
	.cfi_restore %rbp
	leaq	152(%rcx), %rsp
	.cfi_def_cfa %rsp, 0
	jmp	*%r11
	.cfi_endproc
	.size	pp_arch_block_call, .-pp_arch_block_call

/*
 * CLOCK_MONOTONIC in ns, in rax, as the vDSO or the kernel says. Only rdx and the flags are lost, and what is below the stack is kept for 128 bytes:
 * this stands where RDTSC would, in C that has saved no registers for a call and in blocks. Jumped to, with where to go on in rax; in rdx the
 * address that unwinders are to find: behind the marker in a block, else the same. The vDSO has no vector registers.
 *
 *      CFA                     the caller's stack pointer
 *      128 bytes               its red zone
 *      -144  rdx               the return address
 *      -152  rbp               <- rbp
 *      -160  rax               where to go on
 *      -168  rcx, rsi, rdi, r8, r9, r10, r11
 *      -232  seconds, ns       then what aligns the stack
 */
	.globl	pp_arch_clock
	.hidden	pp_arch_clock
	.type	pp_arch_clock, @function
	.p2align 6
pp_arch_clock:
	.cfi_startproc simple
	.cfi_signal_frame	/* the return address is not behind a call */
	.cfi_def_cfa %rsp, 0
	.cfi_register %rip, %rdx
	_CET_ENDBR
	leaq	-232(%rsp), %rsp
	.cfi_def_cfa_offset 232
	movq	%rdx, 88(%rsp)
	.cfi_offset %rip, -144
	movq	%rbp, 80(%rsp)
	.cfi_offset %rbp, -152
	leaq	80(%rsp), %rbp
	.cfi_def_cfa %rbp, 152
	movq	%rax, -8(%rbp)
	movq	%rcx, -16(%rbp)
	movq	%rsi, -24(%rbp)
	movq	%rdi, -32(%rbp)
	movq	%r8, -40(%rbp)
	movq	%r9, -48(%rbp)
	movq	%r10, -56(%rbp)
	movq	%r11, -64(%rbp)
	andq	$-16, %rsp
	movl	$1, %edi	/* CLOCK_MONOTONIC */
	movq	%rsp, %rsi
	call	*pp_arch_clock_gettime(%rip)
	imulq	$1000000000, (%rsp), %rdx
	addq	8(%rsp), %rdx
	testl	%eax, %eax
	movl	$0, %eax
	cmovzq	%rdx, %rax	/* where the kernel refuses, 0 */
	movq	-16(%rbp), %rcx
	movq	-24(%rbp), %rsi
	movq	-32(%rbp), %rdi
	movq	-40(%rbp), %r8
	movq	-48(%rbp), %r9
	movq	-56(%rbp), %r10
	movq	-64(%rbp), %r11
	leaq	-64(%rbp), %rsp
	.cfi_def_cfa %rsp, 216
	movq	64(%rsp), %rbp
	.cfi_restore %rbp
	movq	56(%rsp), %rdx
	leaq	216(%rsp), %rsp
	.cfi_def_cfa_offset 0
	.cfi_register %rip, %rdx
	jmp	*%rdx
	.cfi_endproc
	.size	pp_arch_clock, .-pp_arch_clock

	.type	clock_by_kernel, @function
	.p2align 4
clock_by_kernel:
	.cfi_startproc
	_CET_ENDBR
	movl	$228, %eax	/* SYS_clock_gettime */
	syscall
	ret
	.cfi_endproc
	.size	clock_by_kernel, .-clock_by_kernel

	.data
	.globl	pp_arch_clock_gettime
	.hidden	pp_arch_clock_gettime
	.type	pp_arch_clock_gettime, @object
	.size	pp_arch_clock_gettime, 8
	.p2align 3
pp_arch_clock_gettime:
	.quad	clock_by_kernel

	.section .note.GNU-stack, "", @progbits
