/* SPDX-License-Identifier: MIT */
/*
 * handler.c: does a signal's handler run on the calling thread? For functions of the program's that
 * markers call, which may take locks that the interrupted code holds.
 *
 * Nothing tells. On the signal stack the kernel does; elsewhere the stack is looked through for the
 * frame that the kernel put there for the handler to return through: its words are unlike anything
 * else's. What an earlier handler left behind in a hole of a live frame looks like that, too: then
 * a call is put off without need.
 */
#include "libmetrics/thread/handler.h"

#include "libmetrics/thread/thread.h"

#include <errno.h>
#include <sys/uio.h>
#include <unistd.h>

#if PP_ARCH_SIGNAL_FRAME_WORDS

#define WORDS 256u                            /* read at a time: stacks of fibres are small */
#define UNKNOWN_BYTES ((uintptr_t) 256 << 10) /* of a stack whose end is not known */
#define LARGEST_BYTES ((uintptr_t) 8 << 20)

/* Where the stack that AT lies in ends, or is looked through to. */
static uintptr_t stack_end (uintptr_t at)
{
	const struct ppi_thread *t = ppi_thread_self ();
	uintptr_t end = at + UNKNOWN_BYTES;

	if (t && at - t->own.lo < t->own.span)
		end = t->own.lo + t->own.span;
	return end - at < LARGEST_BYTES ? end : at + LARGEST_BYTES;
}

/* Copies what is there of COUNT words at AT; how many, also where the stack ends before. */
static size_t read_words (uintptr_t at, uint64_t *out, size_t count)
{
	struct iovec to = {out, 8 * count}, from = {(void *) at, 8 * count};
	ssize_t got = process_vm_readv (getpid (), &to, 1, &from, 1, 0);

	return got > 0 ? (size_t) got / 8 : 0;
}

static bool has_signal_frame (uintptr_t at)
{
	uintptr_t end = stack_end (at);
	uint64_t words[WORDS];
	size_t n;

	/*
	 * each piece begins before the last one's end, so that a frame lies in one of them as a
	 * whole
	 */
	for (; at < end; at += 8 * (uintptr_t) (WORDS - PP_ARCH_SIGNAL_FRAME_WORDS)) {
		n = read_words (at, words, WORDS);
		for (size_t i = PP_ARCH_SIGNAL_FRAME_WORDS; i < n; i++)
			if (pp_arch_is_signal_frame (&words[i]))
				return true;
		if (n < WORDS)
			break;
	}
	return false;
}

#else

static bool has_signal_frame (uintptr_t at)
{
	(void) at;
	return false;
}

#endif

bool ppi_in_handler (void)
{
	stack_t stack = {.ss_flags = 0};
	int saved = errno;
	bool found = pp_arch_sigaltstack (&stack) == 0 && (stack.ss_flags & SS_ONSTACK);

	found = found ||
		has_signal_frame ((uintptr_t) __builtin_frame_address (0) & ~(uintptr_t) 7);
	errno = saved;
	return found;
}
