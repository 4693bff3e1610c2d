/* SPDX-License-Identifier: MIT */
/*
 * count.cc: what sources count over an interval is what the program did in it, to the unit. Prints "NAME SUM" for each metric; sources.sh knows
 * the sums. Built as C++, so that operators new are there too.
 */
#include <cstdio>
#include <cstdlib>
#include <memory>
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
	((register_fn) dlsym (sde, "papi_sde_register_counter")) (((init_fn) dlsym (sde, "papi_sde_init")) ("count"),
								  "work", 0, 0, &work);
}
#endif

#pragma pp metric allocs interval sumcount(heap_allocs)
#pragma pp metric bytes interval sumcount(heap_bytes)
#pragma pp metric cpu interval sumcount(cpu_time)
#pragma pp metric all_cpu interval sumcount(process_cpu_time)
#pragma pp metric faults interval sumcount(page_faults)
#pragma pp metric switches interval sumcount(context_switches)
#pragma pp metric loops interval count(count)

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

int main ()
{
	size_t page = (size_t) sysconf (_SC_PAGESIZE);
	char *memory = (char *) mmap (nullptr, 50 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

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
	printf ("allocs %.0f\nbytes %.0f\nloops %.0f\n", pp_sum (allocs), pp_sum (bytes), pp_count (loops));
	printf ("faults %s\nswitches %s\ncpu %s\n", pp_sum (faults) >= 50 ? "enough" : "too few",
		pp_sum (switches) >= 50 ? "enough" : "too few",
		pp_sum (all_cpu) >= pp_sum (cpu) && pp_sum (cpu) > 0 ? "plausible" : "wrong");
#ifdef WITH_SDE
	printf ("sde %.0f\n", pp_sum (sde));
#endif
	return 0;
}
