/* SPDX-License-Identifier: MIT */
/*
 * seeds.c: makes what the targets that read binaries begin with: "seeds RECORDINGS ELF" writes
 * recordings into one directory, of every accumulator and with everything else that a recording may
 * have, and into the other this program itself, and what was found: a copy each that is damaged in
 * just that way.
 */
#include <pp.h>

#include <elf.h>
#include <glob.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* clang-format off */
#pragma pp metric pairs   interval stats(elapsed)
#pragma pp metric spread  interval histogram(elapsed)
#pragma pp metric counted point    count(value)
#pragma pp metric sums    point    sumcount(value)
#pragma pp metric newest  point    scalar(value)
#pragma pp metric kept    point    bounded_series(value, size=20)
#pragma pp metric all     point    unbounded_series(value)
#pragma pp metric real    point    stats(value)
/* clang-format on */

PP_KNOB_INT (level, 5, 1, 9, 1)

static volatile long sink;

static void work (int i)
{
	double third = i / 3.0;

#pragma pp interval work(pairs, spread) group(inner) dim(n = i)
	sink = i;
#pragma pp point given(counted, sums, newest, kept, all) value(i)
#pragma pp point third(real) value(third)
}

static void *in_a_thread (void *arg)
{
	for (int i = 0; i < 50; i++)
		work (i - 20);
	return arg;
}

static const char policy[] =
	"version: 1\n"
	"metrics:\n"
	"  slow: {interval: elapsed, keep: stats, window: 10s}\n"
	"  cpu: {interval: cpu_time, keep: sumcount, every: 4}\n"
	"  share: {expr: sums.sum / sums.count}\n"
	"bind: [{metric: slow, sites: [work]}, {metric: cpu, sites: [work]}]\n"
	"assertions:\n"
	"  low: {at: given, expect: sums.last < 10, capture: [newest], on_fire: [{knob: {name: "
	"level, step: 1}}]}\n"
	"  often: {every: 10ms, expect: 'low.violations.share[1s] <= 5%', on_fire: [{log: info}]}\n"
	"  never: {every: 1h, expect: 'share < 1', on_fire: []}\n";

static int record (const char *directory, const char *name)
{
	char path[4096];

	snprintf (path, sizeof path, "%s/%s.pprec", directory, name);
	return pp_record (path);
}

/* The live region as it is in the middle: what a process that died leaves. */
static int copy_region (const char *directory)
{
	char pattern[64], path[4096];
	static char data[1 << 20];
	uint64_t used = 0;
	size_t bytes = 0;
	glob_t found;
	FILE *f;

	snprintf (pattern, sizeof pattern, "/dev/shm/pp.%d.*", (int) getpid ());
	if (glob (pattern, 0, NULL, &found) == 0) {
		f = fopen (found.gl_pathv[0], "r");
		bytes = f ? fread (data, 1, sizeof data, f) : 0;
		if (f)
			fclose (f);
	}
	globfree (&found);
	if (bytes < 64)
		return -1;
	memcpy (&used, data + 16, sizeof used);
	snprintf (path, sizeof path, "%s/region", directory);
	f = fopen (path, "w");
	if (!f)
		return -1;
	bytes = used < bytes ? used : bytes;
	if (fwrite (data, 1, bytes, f) != bytes)
		bytes = 0;
	return fclose (f) == 0 && bytes ? 0 : -1;
}

/* One that has values over time, and records of events at its end. */
static const char events[] = "version: 1\nevents: {records: [work, given, third, call]}\n";

static int record_series (const char *directory)
{
	char text[4200];
	int r = 0;

	snprintf (text, sizeof text,
		  "version: 1\nrecord: {file: %s/series.pprec, interval: 100ms}\n", directory);
	if (pp_policy_load_text ("series", text) < 0)
		return -1;
	for (int i = 0; i < 6; i++) {
		int64_t call = pp_event_begin ("call", PP_DIM ("text", "a text"), PP_DIM ("n", i));

		in_a_thread (NULL);
		usleep (120000);
		if (i == 3)
			r = copy_region (directory);
		/* behind the copy: chunks of events make the region large */
		if (i == 3 && pp_policy_load_text ("events", events) < 0)
			return -1;
		pp_event_end (call, PP_DIM ("ratio", i / 7.0));
	}
	return pp_policy_unload ("events") < 0 || pp_policy_unload ("series") < 0 ? -1 : r;
}

static int make_recordings (const char *directory)
{
	pthread_t thread;

	if (record (directory, "empty") < 0)
		return -1;
	in_a_thread (NULL);
	if (record (directory, "static") < 0 || pp_policy_load_text ("seeds", policy) < 0)
		return -1;
	in_a_thread (NULL);
	if (pthread_create (&thread, NULL, in_a_thread, NULL) == 0)
		pthread_join (thread, NULL);
	usleep (50000);
	pp_poll ();
	in_a_thread (NULL);
	return record (directory, "policy") < 0 ? -1 : record_series (directory);
}

/* ---- programs -------------------------------------------------------------------------------- */

enum { PROGRAM_MOST = 4 << 20 };

static char program[PROGRAM_MOST];
static size_t program_bytes;

static int read_program (void)
{
	FILE *f = fopen ("/proc/self/exe", "r");

	if (f) {
		program_bytes = fread (program, 1, sizeof program, f);
		fclose (f);
	}
	return program_bytes > sizeof (Elf64_Ehdr) && program_bytes < sizeof program ? 0 : -1;
}

static int write_program (const char *directory, const char *name)
{
	char path[4096];
	FILE *f;

	snprintf (path, sizeof path, "%s/%s", directory, name);
	f = fopen (path, "w");
	if (!f)
		return -1;
	if (fwrite (program, 1, program_bytes, f) != program_bytes)
		program_bytes = 0;
	return fclose (f) == 0 && program_bytes ? 0 : -1;
}

static Elf64_Shdr *section_named (const char *name)
{
	Elf64_Ehdr *e = (void *) program;
	Elf64_Shdr *section = (void *) (program + e->e_shoff);

	for (unsigned i = 0; i < e->e_shnum; i++)
		if (strcmp (program + section[e->e_shstrndx].sh_offset + section[i].sh_name,
			    name) == 0)
			return &section[i];
	return NULL;
}

/*
 * A section lies over the beginning of the first site: what is looked up there has fewer bytes than
 * the site says. (ppctl sites looked for the rest in the other section, and read behind this one.)
 */
static int overlap (void)
{
	Elf64_Shdr *markers = section_named ("__pp_sites"), *data = section_named (".data");
	Elf64_Shdr *over = section_named (".dynamic");
	uint64_t site;
	int32_t to;

	if (!markers || !data || !over || markers->sh_size < 12)
		return -1;
	memcpy (&to, program + markers->sh_offset + 8, sizeof to);
	site = markers->sh_addr + 8 + (uint64_t) (int64_t) to;
	if (site < data->sh_addr || site >= data->sh_addr + data->sh_size)
		return -1;
	over->sh_type = SHT_PROGBITS;
	over->sh_addr = site;
	over->sh_offset = data->sh_offset + (site - data->sh_addr);
	over->sh_size = 96;
	return 0;
}

int main (int argc, char **argv)
{
	if (argc != 3 || make_recordings (argv[1]) < 0 || read_program () < 0 ||
	    write_program (argv[2], "program") < 0)
		return 1;
	/* guards have no markers to begin with */
	if (overlap () == 0)
		return write_program (argv[2], "overlap") < 0;
	return 0;
}
