/* SPDX-License-Identifier: MIT */
/*
 * dump.c: ppctl dump: a recording of a process as it is now. The process brings its figures up to
 * date and says which run it belongs to and what it has loaded; ppctl reads its region, and writes
 * the file: the process opens none.
 */
#include "base/command.h"
#include "ppctl/door.h"
#include "ppctl/ppctl.h"
#include "recording/file.h"
#include "recording/load.h"
#include "recording/read.h"
#include "recording/scan.h"
#include "recording/write.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

static void help (FILE *out)
{
	fprintf (out,
		 "usage: ppctl dump -o FILE WHO\n\n"
		 "Makes a recording of what a running process has measured until now. WHO is\n"
		 "its number or its program's name. It goes on measuring; whether it records\n"
		 "itself makes no difference.\n\n"
		 "  -o, --output FILE  where it goes; a recording that is there is replaced\n");
}

struct dump {
	struct ppi_run run;
	char *modules; /* malloced: struct ppi_module_entry ... */
	size_t bytes;
	char own[PPI_RECORD_PATH]; /* the process's own recording; "": none */
};

/* ---- what the process says ------------------------------------------------------------------- */

static int digit (char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Hex digits at *AT, two a byte, up to a blank or the end; how many bytes, at most ROOM. */
static size_t read_hex (const char **at, uint8_t *out, size_t room)
{
	size_t n = 0;

	while (n < room && digit ((*at)[0]) >= 0 && digit ((*at)[1]) >= 0) {
		out[n++] = (uint8_t) (digit ((*at)[0]) << 4 | digit ((*at)[1]));
		*at += 2;
	}
	*at += **at == ' ';
	return n;
}

/* "BASE ID PATH" */
static bool add_module (struct dump *dump, const char *line)
{
	struct ppi_module_entry entry = {.base = 0};
	char *at, *end;
	size_t path;

	entry.base = strtoull (line, &end, 16);
	line = end + (*end == ' ');
	entry.build_id_bytes = (uint32_t) read_hex (&line, entry.build_id, sizeof entry.build_id);
	/* without one */
	line += strncmp (line, "- ", 2) == 0 ? 2 : 0;
	path = strlen (line) + 1;
	entry.bytes = (uint32_t) ((sizeof entry + path + 7) & ~(size_t) 7);
	at = realloc (dump->modules, dump->bytes + entry.bytes);
	if (!at)
		return false;
	dump->modules = at;
	memset (at + dump->bytes, 0, entry.bytes);
	memcpy (at + dump->bytes, &entry, sizeof entry);
	memcpy (at + dump->bytes + sizeof entry, line, path);
	dump->bytes += entry.bytes;
	return true;
}

/* Lines "run ID" and "module BASE ID PATH"; 0 or an exit status. */
static int ask (const struct ppctl_process *process, struct dump *dump)
{
	const char *word[] = {"dump"};
	struct ppctl_reply reply;
	int status = ppctl_ask ("dump", process, word, 1, &reply);
	char *rest = reply.text, *line;
	bool good = true;

	if (status != PPCTL_OK)
		return status;
	if (reply.status != 0)
		return ppctl_tell ("dump", process, &reply);
	while (rest && good && (line = strsep (&rest, "\n"))) {
		const char *at = line + 5;

		if (strncmp (line, "arun ", 5) == 0)
			(void) read_hex (&at, dump->run.id, sizeof dump->run.id);
		else if (strncmp (line, "amodule ", 8) == 0)
			good = add_module (dump, line + 8);
	}
	free (reply.text);
	return good ? PPCTL_OK : ppctl_fail (PPCTL_PROBLEM, "dump", "no memory");
}

/* ---- what is written ------------------------------------------------------------------------- */

/* As readers are to see it, and whatever others wrote there. */
static void make_header (const struct ppctl_process *process, struct ppi_region_header *h)
{
	uint64_t used = (uint64_t) process->bytes < h->used ? (uint64_t) process->bytes : h->used;

	h->used = h->limit = used;
	h->header_bytes = sizeof *h > h->header_bytes ? (uint32_t) sizeof *h : h->header_bytes;
	h->state = PPI_RECORDING_LIVE;
	h->sum = h->zeros = h->mailbox = 0;
	h->program[sizeof h->program - 1] = '\0';
	/* that of the process itself is another file */
	memset (h->record_path, 0, sizeof h->record_path);
	h->record_device = h->record_inode = 0;
}

static uint64_t ns_of (const struct ppi_region_header *h, uint64_t ticks)
{
	double ns = ((double) ticks - (double) h->start_ticks) * h->seconds_per_tick * 1e9;

	return ns > 0 ? h->start_ns + (uint64_t) ns : h->start_ns;
}

/* The process's own recording; -1: there is none, or it is another's. *SIZE is as of now. */
static int open_own (const struct dump *dump, uint64_t *size)
{
	const struct ppi_region_header *h = &dump->run.header;
	int fd = open (dump->own, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct ppi_run run;
	struct stat st;
	uint32_t state;

	if (fd < 0)
		return -1;
	*size = fstat (fd, &st) == 0 && S_ISREG (st.st_mode) ? (uint64_t) st.st_size : 0;
	if (*size && ppi_run_read (fd, *size, &run, &state) && run.header.pid == h->pid &&
	    run.header.start_ticks == h->start_ticks)
		return fd;
	close (fd);
	return -1;
}

/*
 * The entries of the block at SCAN, if they are older than the copy of the region: it has the rest
 * of each chunk, and what entries that came later name it does not have.
 */
static int copy_block (struct ppi_writer *writer, const struct dump *dump,
		       const struct ppi_recording *region, struct ppi_scan *scan)
{
	const char *why, *content = ppi_scan_content (scan, &why);
	const struct ppi_stream_chunk *c;
	struct ppi_stream_head head;

	/* what is damaged there is missing here, which who reads it tells */
	if (!content || scan->head.unpacked < sizeof head)
		return 0;
	memcpy (&head, content, sizeof head);
	c = ppi_recording_find (region, PPI_CHUNK_STREAM, head.chunk);
	if (c ? head.offset >= c->taken : head.first_ticks > dump->run.header.now_ticks)
		return 0;
	return ppi_writer_put (writer, PPI_BLOCK_STREAM, scan->head.thread, scan->head.first_ns,
			       scan->head.last_ns, &head, sizeof head, content + sizeof head,
			       scan->head.unpacked - sizeof head);
}

/*
 * What the process has taken out of streams is in its own recording and nowhere else. That is read
 * after the region, so nothing is in neither.
 */
static int copy_own (struct ppi_writer *writer, const struct dump *dump,
		     const struct ppi_recording *region)
{
	struct ppi_scan scan;
	uint64_t size = 0;
	int e = 0, fd;

	if (!*dump->own)
		return 0;
	fd = open_own (dump, &size);
	if (fd < 0) {
		fprintf (
			stderr,
			"ppctl dump: what process %u wrote one by one until now (records, samples) "
			"is in its own recording, %s, which can't be read: it is missing here\n",
			dump->run.header.pid, dump->own);
		return 0;
	}
	ppi_scan_begin (&scan, fd, size);
	while (e == 0 && ppi_scan_next (&scan))
		if (scan.head.type == PPI_BLOCK_STREAM)
			e = copy_block (writer, dump, region, &scan);
	ppi_scan_end (&scan);
	close (fd);
	return e;
}

/* What threads have put into streams and nobody has taken yet. */
static int write_streams (struct ppi_writer *writer, const struct dump *dump,
			  const struct ppi_recording *region)
{
	const struct ppi_region_header *h = &dump->run.header;
	const struct ppi_stream_chunk *c = NULL;
	int e = 0;

	while (e == 0 && (c = ppi_recording_next (region, PPI_CHUNK_STREAM, c))) {
		const struct ppi_stream_head head = {c->kind, c->chunk.id,    c->taken,
						     1,       c->first_ticks, c->last_ticks};

		if (c->used > c->taken && c->used <= c->chunk.bytes - sizeof *c)
			e = ppi_writer_put (writer, PPI_BLOCK_STREAM, c->thread,
					    ns_of (h, c->first_ticks), ns_of (h, c->last_ticks),
					    &head, sizeof head, (const char *) c->data + c->taken,
					    c->used - c->taken);
	}
	return e;
}

static int write_blocks (struct ppi_writer *writer, const struct dump *dump,
			 const struct ppi_recording *region, const void *memory)
{
	const struct ppi_region_header *h = &dump->run.header;
	int e = ppi_writer_run (writer, &dump->run);

	if (e == 0 && dump->bytes)
		e = ppi_writer_put (writer, PPI_BLOCK_MODULES, 0, h->now_ns, h->now_ns, NULL, 0,
				    dump->modules, dump->bytes);
	if (e == 0)
		e = ppi_writer_update (writer, memory, h->used, h, false);
	if (e == 0)
		e = copy_own (writer, dump, region);
	if (e == 0)
		e = write_streams (writer, dump, region);
	return e == 0 ? ppi_writer_finish (writer, PPI_RECORDING_FINISHED, h->now_ns) : e;
}

/* A new file with all that; 0 or an exit status. */
static int put_file (const char *output, const struct dump *dump,
		     const struct ppi_recording *region, const void *memory)
{
	struct ppi_new_file file;
	struct ppi_writer writer;
	char why[800] = "";
	int e = ppi_file_begin (output, PPI_REPLACE_RECORDING, NULL, &file, why, sizeof why), fd;

	if (e != PP_OK)
		return ppctl_fail (PPCTL_PROBLEM, "dump", "%s can't be written: %s", output, why);
	fd = file.fd;
	e = ppi_writer_open (&writer, fd, 0);
	if (e == 0) {
		e = write_blocks (&writer, dump, region, memory);
		ppi_writer_close (&writer);
	}
	if (e < 0) {
		ppi_file_abandon (&file);
		return ppctl_fail (PPCTL_PROBLEM, "dump", "%s can't be written: %s", output,
				   strerror (-e));
	}
	if (ppi_file_commit (&file, why, sizeof why) != PP_OK)
		return ppctl_fail (PPCTL_PROBLEM, "dump", "%s can't be written: %s", output, why);
	close (fd);
	return PPCTL_OK;
}

static int write_dump (const char *output, const struct ppctl_process *process, struct dump *dump)
{
	struct ppi_region_header *h = &dump->run.header;
	struct ppi_recording *region;
	struct utsname name;
	char path[64], why[600] = "";
	void *memory;
	int status;

	if (pread (process->fd, h, sizeof *h, 0) != (ssize_t) sizeof *h)
		return ppctl_fail (PPCTL_PROBLEM, "dump", "process %d: its region can't be read",
				   (int) process->pid);
	memcpy (dump->own, h->record_path, sizeof dump->own - 1);
	make_header (process, h);
	if (uname (&name) == 0)
		memcpy (dump->run.host, name.nodename,
			strnlen (name.nodename, sizeof dump->run.host - 1));
	/* what others write is copied before it is looked at, as of every region */
	snprintf (path, sizeof path, "/proc/self/fd/%d", process->fd);
	if (ppi_recording_open (path, &region, why, sizeof why) != 0)
		return ppctl_fail (PPCTL_PROBLEM, "dump", "process %d: %s", (int) process->pid,
				   why);
	memory = mmap (NULL, h->used, PROT_READ, MAP_SHARED, process->fd, 0);
	status = memory == MAP_FAILED ? ppctl_fail (PPCTL_PROBLEM, "dump", "process %d: %s",
						    (int) process->pid, strerror (errno))
				      : put_file (output, dump, region, memory);
	if (memory != MAP_FAILED)
		munmap (memory, h->used);
	ppi_recording_close (region);
	return status;
}

int ppctl_dump (int argc, char **argv)
{
	const char *output = NULL;
	const struct ppctl_option options[] = {{"output", PPCTL_TEXT, &output, 'o'}, {0}};
	struct dump dump = {.modules = NULL};
	struct ppctl_process process;
	int status = ppctl_options (argc, argv, "dump", options, help);

	if (status != PPCTL_GO_ON)
		return status;
	if (!output)
		return ppctl_wrong ("dump", "-o says where the recording goes");
	if (argc - optind != 1)
		return ppctl_wrong ("dump", "it needs a process");
	status = ppctl_find ("dump", argv[optind], &process);
	if (status != PPCTL_OK)
		return status;
	status = ask (&process, &dump);
	if (status == PPCTL_OK)
		status = write_dump (output, &process, &dump);
	free (dump.modules);
	if (status == PPCTL_OK)
		printf ("process %d: dumped into %s\n", (int) process.pid, output);
	ppctl_leave (&process);
	return status;
}
