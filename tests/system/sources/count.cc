/* SPDX-License-Identifier: MIT */
/*
 * count.cc: what sources count over an interval is what the program did in it, to the unit. Prints
 * "NAME SUM" for each metric; sources.sh knows the sums. Built as C++, so that operators new are
 * there too.
 */
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <memory>
#include <new>
#include <pp.h>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

#ifdef WITH_SDE
#include <dlfcn.h>
static long long work;

static void define_event ()
{
	typedef void *(*init_fn) (const char *);
	typedef int (*register_fn) (void *, const char *, int, int, void *);
	void *sde = dlopen ("libsde.so.1", RTLD_NOW | RTLD_GLOBAL);

	if (!sde)
		exit (77);
	/* read-only, running total, long long */
	((register_fn) dlsym (sde, "papi_sde_register_counter")) (
		((init_fn) dlsym (sde, "papi_sde_init")) ("count"), "work", 0, 0, &work);
}
#endif

#pragma pp metric allocs interval sumcount(heap_allocs)
#pragma pp metric bytes interval sumcount(heap_bytes)
#pragma pp metric cpu interval sumcount(cpu_time)
#pragma pp metric all_cpu interval sumcount(process_cpu_time)
#pragma pp metric faults interval sumcount(page_faults)
#pragma pp metric switches interval sumcount(context_switches)
#pragma pp metric loops interval count(count)
#pragma pp metric news interval sumcount(heap_allocs)
#pragma pp metric new_bytes interval sumcount(heap_bytes)
#pragma pp metric written interval sumcount(bytes_written)
#pragma pp metric writes interval sumcount(write_calls)
#pragma pp metric bytes_in interval sumcount(bytes_read)
#pragma pp metric weight interval sumcount(constant : 3)
#pragma pp metric ran interval sumcount(task_clock, fallback = cpu_time)
#pragma pp metric faulted interval sumcount(perf_page_faults, fallback = page_faults)

static void *volatile sink;

static void one_round (char *page)
{
#pragma pp interval round(allocs, bytes, cpu, all_cpu, faults, switches, loops)
	sink = malloc (100);
	free (sink);
	{
		std::unique_ptr<char[]> array (new char[300]);
		sink = array.get ();
	}
	*(volatile char *) page = 1;
	usleep (1000);
#ifdef WITH_SDE
	work += 7;
#endif
}

struct alignas (128) wide {
	char bytes[256];
};

/* Every operator new that there is: one allocation each, and 2 * (100 + 100 + 256 + 256) bytes */
static void every_new ()
{
#pragma pp interval every_new(news, new_bytes)
	char *a = new char[100], *b = new (std::nothrow) char[100];
	wide *c = new wide, *d = new (std::nothrow) wide;
	void *e = ::operator new (100), *f = ::operator new (100, std::nothrow);
	wide *g = new wide[1], *h = new (std::nothrow) wide[1];

	sink = a, sink = b, sink = c, sink = d, sink = e, sink = f, sink = g, sink = h;
	delete[] a;
	delete[] b;
	delete c;
	delete d;
	::operator delete (e);
	::operator delete (f);
	delete[] g;
	delete[] h;
}

static int null_device;

static void one_message ()
{
#pragma pp interval one_message(written, writes, bytes_in, weight, ran, faulted)
	if (write (null_device, "0123456789", 10) != 10)
		abort ();
}

int main ()
{
	size_t page = (size_t) sysconf (_SC_PAGESIZE);
	char *memory = (char *) mmap (nullptr, 50 * page, PROT_READ | PROT_WRITE,
				      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void) madvise (memory, 50 * page, MADV_NOHUGEPAGE);
#ifdef WITH_SDE
	define_event ();
	pp_metric *sde = nullptr;
	if (pp_metric_new (&sde, "sde", "interval sumcount(papi:sde:::count::work)") ||
	    pp_bind (sde, "one_round/round", 1) != 1) {
		const char *why = sde ? pp_unavailable (sde) : nullptr;

		printf ("sde: %s\n", why ? why : "can't be bound");
		return 1;
	}
#endif
	for (int i = 0; i < 50; i++)
		one_round (memory + (size_t) i * page);
	null_device = open ("/dev/null", O_WRONLY);
	for (int i = 0; i < 50; i++)
		one_message ();
	every_new ();
	printf ("news %.0f, %.0f\nwritten %.0f by %.0f\nread %.0f\nweight %.0f\n", pp_sum (news),
		pp_sum (new_bytes), pp_sum (written), pp_sum (writes), pp_sum (bytes_in),
		pp_sum (weight));
	printf ("perf %s\n", pp_sum (ran) > 0 && pp_count (ran) == 50 && pp_sum (faulted) >= 0 &&
					     pp_count (faulted) == 50
				     ? "counts"
				     : "does not");
	printf ("allocs %.0f\nbytes %.0f\nloops %.0f\n", pp_sum (allocs), pp_sum (bytes),
		pp_count (loops));
	printf ("faults %s\nswitches %s\ncpu %s\n", pp_sum (faults) >= 50 ? "enough" : "too few",
		pp_sum (switches) >= 50 ? "enough" : "too few",
		pp_sum (all_cpu) >= pp_sum (cpu) && pp_sum (cpu) > 0 ? "plausible" : "wrong");
#ifdef WITH_SDE
	printf ("sde %.0f\n", pp_sum (sde));
#endif
	return 0;
}
