/* SPDX-License-Identifier: MIT */
/*
 * elf.c: a program or shared object that anybody wrote, as ppctl sites and ppctl check --binary
 * read it. The mutator leaves most of the file alone: changes are to the section headers and to the
 * tables of sites, records and estimates.
 */
#include "ppctl/ppctl.h"
#include "tests/fuzz/fuzz.h"

#include <elf.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char policy[64];

static void remove_policy (void)
{
	unlink (policy);
}

int LLVMFuzzerInitialize (int *argc, char ***argv)
{
	FILE *f;

	(void) argc;
	(void) argv;
	fuzz_be_quiet ();
	/* a sanitizer writes to the descriptor, ppctl to the stream */
	stderr = fopen ("/dev/null", "w");
	snprintf (policy, sizeof policy, "/dev/shm/pp-fuzz-policy-%d", (int) getpid ());
	f = fopen (policy, "w");
	if (!f)
		return 1;
	fputs ("version: 1\n"
	       "metrics: {zz: {interval: elapsed, keep: stats}}\n"
	       "bind: [{metric: zz, sites: '**'}]\n"
	       "assertions:\n"
	       "  a: {at: '*/work', expect: zz.last <= 1s, on_fire: [{knob: {name: level, step: "
	       "1}}, {call: react}]}\n"
	       "  b: {at: '*/work', expect: values.avg < static.calls}\n",
	       f);
	atexit (remove_policy);
	return fclose (f);
}

static void call (int (*verb) (int argc, char **argv), char *a, char *b, char *c, char *d)
{
	char *arguments[] = {a, b, c, d, NULL};

	optind = 0;
	verb (d ? 4 : 3, arguments);
}

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t bytes)
{
	char *file = (char *) (uintptr_t) fuzz_file (data, bytes, ".elf");
	char sites[] = "sites", verbose[] = "--verbose", check[] = "check", binary[] = "--binary";
#ifdef FUZZ_JSON
	char json[] = "--json";

	call (ppctl_sites, sites, json, file, NULL);
#endif
	call (ppctl_sites, sites, verbose, file, NULL);
	call (ppctl_check, check, binary, file, policy);
	fuzz_forget ();
	return 0;
}

/*
 * ---- the mutator
 * -------------------------------------------------------------------------------------------------
 */

static size_t below (size_t n)
{
	return n ? (size_t) random () % n : 0;
}

/* Tables are in sections of ours, sites' descriptors in .data, and what relocates both in .rela. */
static bool is_ours (const uint8_t *name)
{
	return memcmp (name, "__pp_", 5) == 0 || memcmp (name, ".da", 3) == 0 ||
	       memcmp (name, ".re", 3) == 0;
}

/* One of those sections by chance, and how many bytes it has; 0: none. */
static size_t find_table (const uint8_t *data, size_t bytes, size_t *length)
{
	const Elf64_Ehdr *e = (const void *) data;
	Elf64_Shdr s, names;
	size_t table[64], lengths[64], n = 0;

	if (bytes < sizeof *e || e->e_shentsize != sizeof s || e->e_shoff > bytes ||
	    (size_t) e->e_shnum * sizeof s > bytes - e->e_shoff || e->e_shstrndx >= e->e_shnum)
		return 0;
	memcpy (&names, data + e->e_shoff + e->e_shstrndx * sizeof s, sizeof s);
	for (size_t i = 0; i < e->e_shnum && n < 64; i++) {
		memcpy (&s, data + e->e_shoff + i * sizeof s, sizeof s);
		if (s.sh_offset > bytes || s.sh_size > bytes - s.sh_offset || !s.sh_size ||
		    names.sh_offset > bytes || s.sh_name > bytes ||
		    names.sh_offset + s.sh_name + 5 > bytes ||
		    !is_ours (data + names.sh_offset + s.sh_name))
			continue;
		table[n] = s.sh_offset;
		lengths[n++] = s.sh_size;
	}
	if (!n)
		return 0;
	n = below (n);
	*length = lengths[n];
	return table[n];
}

static void change_bytes (uint8_t *at, size_t room)
{
	static const uint64_t numbers[] = {0,         1,          7,         255,       4096,
					   INT32_MAX, UINT32_MAX, INT64_MAX, UINT64_MAX};
	size_t to = below (room), bytes = (size_t) 1 << below (4);

	to &= ~(bytes - 1);
	if (bytes > room - to)
		return;
	if (random () % 2)
		memcpy (at + to, &numbers[below (sizeof numbers / sizeof *numbers)], bytes);
	else
		at[to] = (uint8_t) (at[to] + random () % 32 - 16);
}

size_t LLVMFuzzerCustomMutator (uint8_t *data, size_t bytes, size_t most, unsigned seed)
{
	const Elf64_Ehdr *e = (const void *) data;
	size_t length = 0, table;

	srandom (seed);
	table = find_table (data, bytes, &length);
	if (!table || random () % 32 == 0)
		return LLVMFuzzerMutate (data, bytes, most);
	for (unsigned times = 1 + (unsigned) below (5); times; times--)
		if (random () % 6 == 0)
			change_bytes (data + e->e_shoff, (size_t) e->e_shnum * sizeof (Elf64_Shdr));
		else
			change_bytes (data + table, length);
	return bytes;
}
