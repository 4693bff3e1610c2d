/* SPDX-License-Identifier: MIT */
/*
 * sdt.c: two probes of <sys/sdt.h>: NOPs which something outside may turn into breakpoints. With
 * PEER_SDT_ENABLED=1 the kernel counts them: an event of perf's with a uprobe at each of their
 * places.
 */
#include "peer.h"

#include <elf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <fcntl.h>
#include <unistd.h>

#include <sys/sdt.h>

enum { PROBES_MAX = 64 };
static int events[PROBES_MAX];
static size_t event_count;
static const char own_path[] = "/proc/self/exe";

static long uprobe_type (void)
{
	char text[16] = "";
	FILE *in = fopen ("/sys/bus/event_source/devices/uprobe/type", "r");

	if (in == NULL)
		return -1;
	if (fgets (text, sizeof text, in) == NULL)
		text[0] = 0;
	fclose (in);
	return text[0] != 0 ? strtol (text, NULL, 10) : -1;
}

static int count_at (long type, uint64_t offset)
{
	struct perf_event_attr attributes = {.size = sizeof attributes,
					     .type = (uint32_t) type,
					     .config1 = (uintptr_t) own_path,
					     .config2 = offset};
	long event = syscall (SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (event < 0)
		return -1;
	events[event_count++] = (int) event;
	return 0;
}

/* The offset in the file of what the program's headers place at ADDRESS. */
static uint64_t offset_of (const Elf64_Ehdr *file, uint64_t address)
{
	const Elf64_Phdr *p = (const void *) ((const char *) file + file->e_phoff);

	for (size_t i = 0; i < file->e_phnum; i++)
		if (p[i].p_type == PT_LOAD && address - p[i].p_vaddr < p[i].p_filesz)
			return address - p[i].p_vaddr + p[i].p_offset;
	return 0;
}

/* Every note of .note.stapsdt begins with the address of its probe. */
static int count_all (long type, const Elf64_Ehdr *file)
{
	const Elf64_Shdr *sections = (const void *) ((const char *) file + file->e_shoff);
	const char *names = (const char *) file + sections[file->e_shstrndx].sh_offset;

	for (size_t i = 0; i < file->e_shnum; i++) {
		const char *at = (const char *) file + sections[i].sh_offset,
			   *end = at + sections[i].sh_size;

		if (strcmp (names + sections[i].sh_name, ".note.stapsdt") != 0)
			continue;
		while (at < end && event_count < PROBES_MAX) {
			const Elf64_Nhdr *note = (const void *) at;
			const char *content = at + sizeof *note + ((note->n_namesz + 3) & ~3U);
			uint64_t address;

			memcpy (&address, content, sizeof address);
			if (count_at (type, offset_of (file, address)) != 0)
				return -1;
			at = content + ((note->n_descsz + 3) & ~3U);
		}
	}
	return 0;
}

static int start (void)
{
	struct stat status;
	long type = uprobe_type ();
	int file, error;
	void *image;

	if (getenv ("PEER_SDT_ENABLED") == NULL)
		return 0;
	file = open (own_path, O_RDONLY | O_CLOEXEC);
	if (type < 0 || file < 0 || fstat (file, &status) != 0) {
		fprintf (stderr, "peer sdt: this kernel has no uprobes for perf_event_open\n");
		return PEER_SKIP;
	}
	image = mmap (NULL, (size_t) status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
	error = image == MAP_FAILED ? -1 : count_all (type, image);
	if (error == 0 && event_count == 0)
		errno = ENOENT;
	if (error == 0 && event_count > 0)
		return 0;
	fprintf (stderr, "peer sdt: no uprobes: %s\n", strerror (errno));
	return PEER_SKIP;
}

/* Two probes an execution. */
static double recorded (void)
{
	double sum = 0;

	for (size_t i = 0; i < event_count; i++) {
		uint64_t count = 0;

		if (read (events[i], &count, sizeof count) == sizeof count)
			sum += (double) count;
	}
	return event_count > 0 ? sum / 2 : -1;
}

const struct peer peer = {start, recorded};
PEER_LOOPS (DTRACE_PROBE (ppgcc_bench, begin), DTRACE_PROBE (ppgcc_bench, end))
