/* SPDX-License-Identifier: MIT */
/*
 * torture.cc SECONDS: 16 threads that allocate, fork, load libraries, jump, throw and switch stacks
 * while they are sampled. Ends with 0 where all of that came out right.
 */
#include <atomic>
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dlfcn.h>
#include <mutex>
#include <pthread.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

namespace
{

enum { THREADS = 16, DEPTH = 12, BLOCKS = 64, FIBRE_BYTES = 16 << 10 };

std::atomic<unsigned> wrong;
time_t end_s;

time_t now_s ()
{
	struct timespec t;

	clock_gettime (CLOCK_MONOTONIC, &t);
	return t.tv_sec;
}

void check (bool is_right, const char *what)
{
	if (is_right)
		return;
	wrong++;
	fprintf (stderr, "wrong: %s\n", what);
}

__attribute__ ((noinline)) unsigned spin (unsigned n)
{
	volatile unsigned x = n;

	for (int i = 0; i < 300; i++)
		x = x * 3 + 1;
	return x;
}

void allocate ()
{
	unsigned char *block[BLOCKS];
	bool is_right = true;

	for (int i = 0; i < BLOCKS; i++) {
		size_t bytes = 16u << i % 10;

		block[i] = static_cast<unsigned char *> (malloc (bytes));
		memset (block[i], i, bytes);
	}
	for (int i = 0; i < BLOCKS; i++) {
		is_right = is_right && block[i][(16u << i % 10) - 1] == i;
		free (block[i]);
	}
	check (is_right, "what was allocated");
}

/* ThreadSanitizer ends a child in which a thread begins, as the library's does. */
#if defined __SANITIZE_THREAD__
void make_child ()
{
}
#else
void make_child ()
{
	int status = -1;
	pid_t child = fork ();

	if (child == 0)
		_exit (7);
	check (child > 0 && waitpid (child, &status, 0) == child && WIFEXITED (status) &&
		       WEXITSTATUS (status) == 7,
	       "a child's end");
}
#endif

void load ()
{
#if defined __SANITIZE_THREAD__
	/* it does not see the loader's lock */
	static std::mutex loading;
	std::lock_guard<std::mutex> held (loading);
#endif
	void *library = dlopen ("libanl.so.1", RTLD_NOW | RTLD_LOCAL);

	spin (1);
	if (library)
		check (dlclose (library) == 0, "a library that goes");
}

/* GCC does not know that longjmp ends it. */
#pragma GCC diagnostic ignored "-Wpragmas"
#pragma GCC diagnostic ignored "-Winfinite-recursion"
__attribute__ ((noinline)) void jump_from (jmp_buf *back, int depth)
{
	spin (2);
	if (!depth)
		longjmp (*back, 5);
	jump_from (back, depth - 1);
	spin (3);
}

void jump ()
{
	jmp_buf back;
	int came = setjmp (back);

	if (!came)
		jump_from (&back, DEPTH);
	check (came == 5, "a jump");
}

struct counted {
	int *n;
	explicit counted (int *n) : n (n)
	{
		++*n;
	}
	counted (const counted &) = delete;
	counted &operator= (const counted &) = delete;
	~counted ()
	{
		--*n;
	}
};

__attribute__ ((noinline)) void throw_from (int *n, int depth)
{
	counted one (n);

	spin (4);
	if (!depth)
		throw 9;
	throw_from (n, depth - 1);
	spin (5);
}

void raise ()
{
	int n = 0, caught = 0;

	try {
		throw_from (&n, DEPTH);
	} catch (int value) {
		caught = value;
	}
	check (caught == 9 && n == 0, "an exception");
}

/* ThreadSanitizer has to be told of stacks, and AddressSanitizer's own frames are large. */
#if defined __SANITIZE_THREAD__ || defined __SANITIZE_ADDRESS__
void run_fibres ()
{
}
#else
struct fibre {
	ucontext_t self, caller;
	unsigned turns;
	alignas (16) char stack[FIBRE_BYTES];
};

thread_local fibre *current;

void run_fibre ()
{
	for (;;) {
		spin (6);
		current->turns++;
		swapcontext (&current->self, &current->caller);
	}
}

void run_fibres ()
{
	static thread_local fibre two[2];

	for (fibre &f : two) {
		f.turns = 0;
		getcontext (&f.self);
		f.self.uc_stack.ss_sp = f.stack;
		f.self.uc_stack.ss_size = sizeof f.stack;
		makecontext (&f.self, run_fibre, 0);
	}
	for (int i = 0; i < 40; i++) {
		current = &two[i % 2];
		swapcontext (&current->caller, &current->self);
	}
	check (two[0].turns == 20 && two[1].turns == 20, "turns of fibres");
}
#endif

void *work (void *arg)
{
	const long number = reinterpret_cast<long> (arg);

	for (unsigned i = 0; now_s () < end_s; i++) {
		allocate ();
		jump ();
		raise ();
		run_fibres ();
		load ();
		if (number < 4 && i % 32 == 0)
			make_child ();
		if (number % 4 == 0)
			usleep (100);
	}
	return nullptr;
}

} // namespace

int main (int argc, char **argv)
{
	pthread_t thread[THREADS];

	end_s = now_s () + (argc > 1 ? atoi (argv[1]) : 2);
	for (long i = 0; i < THREADS; i++)
		if (pthread_create (&thread[i], nullptr, work, reinterpret_cast<void *> (i)) != 0)
			return 99;
	for (pthread_t t : thread)
		pthread_join (t, nullptr);
	printf ("%u wrong\n", wrong.load ());
	return wrong != 0;
}
