/* SPDX-License-Identifier: MIT */
/*
 * recorder.c: a stand-in for the runtime. It enables every marker of every module that registers and writes down what happens, so
 * that the plugin can be tested on its own:
 *
 *     B loop        begin of the interval "loop"
 *     E loop        its end
 *     P p           point "p"; "P p 7" with a value, "P p 1.5" with a real one, "P p n=7 name=text" with dimensions; begins too
 *     S m ...       metric "m" is measured by the code itself: sample_begin, sample_end, inline sites
 *     D i n=7       a dimension of the interval "i" that came later; begins that are open name the one it is of
 *     BAD ...       an end that does not fit the innermost open begin: another site or depth, or a higher stack pointer
 *
 * With PPREC_FUNCTIONS=1 a site is written with its function: "B serve/loop".
 *
 * The log is printed when the program ends, "bind", "unbind" and "expect" included. PPREC_TABLES=1 prints sites and records too;
 * PPREC_OFF=1 leaves the markers disabled.
 */
#define _GNU_SOURCE
#include <pp_abi.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <unwind.h>

#define EVENTS 100000
#define DEPTH 4096

struct event {
	const struct pp_abi_site *site;
	char op;
	char text[127];
};

static struct event events[EVENTS];
static unsigned event_count;
static __thread struct {
	uintptr_t tag, stack;
} frames[DEPTH];
static __thread unsigned depth;
static unsigned markers, bad_markers, deepest;
static struct {
	const void *sites, *guards, *records;
} seen[64];
static unsigned seen_count;
void *recorder_unwind_goal; /* a function that unwinding from the entries must reach, or NULL */

static const char *text_at (const void *base, uint32_t offset)
{
	const char *text = (const char *) base + offset;
	return offset && *text ? text : "-";
}

static struct event *new_event (char op, const struct pp_abi_site *site)
{
	unsigned i = __atomic_fetch_add (&event_count, 1, __ATOMIC_RELAXED);
	if (i >= EVENTS)
		_exit (99);
	events[i].op = op;
	events[i].site = site;
	return &events[i];
}

struct walk {
	int frames;
	int reached;
};

static _Unwind_Reason_Code step (struct _Unwind_Context *context, void *arg)
{
	struct walk *walk = arg;
	walk->frames++;
	if (_Unwind_FindEnclosingFunction ((void *) _Unwind_GetIP (context)) == recorder_unwind_goal)
		walk->reached = 1;
	return _URC_NO_REASON;
}

static void check_unwinding (void)
{
	struct walk walk = {0, 0};
	if (!recorder_unwind_goal)
		return;
	_Unwind_Backtrace (step, &walk);
	snprintf (new_event ('U', NULL)->text, 20, walk.reached ? "reached" : "lost %d", walk.frames);
}

/* ---- values and dimensions */

static char *show_value (char *at, char *stop, char letter, int64_t value)
{
	double real;
	switch (letter) {
	case 'd':
		memcpy (&real, &value, sizeof real);
		return at + snprintf (at, (size_t) (stop - at), "%g", real);
	case 's':
		return at + snprintf (at, (size_t) (stop - at), "%s", value ? (const char *) value : "(null)");
	case 'p':
		return at + snprintf (at, (size_t) (stop - at), "%s", value ? "pointer" : "null");
	case 'b':
		return at + snprintf (at, (size_t) (stop - at), "%s", value ? "true" : "false");
	default:
		return at + snprintf (at, (size_t) (stop - at), "%lld", (long long) value);
	}
}

static int pushes (const struct pp_abi_site *site)
{
	return site->value || (site->flags & PP_ABI_SITE_ARRAY);
}

/* Writes what SITE hands over, PUSHED, into the event: strings live only as long as the entry. */
static void take_values (struct event *e, const struct pp_abi_site *site, int64_t pushed)
{
	const int64_t *values = site->flags & PP_ABI_SITE_ARRAY ? (const int64_t *) pushed : &pushed;
	char *at = e->text, *stop = e->text + sizeof e->text;
	if (site->value) {
		*at++ = ' ';
		at = show_value (at, stop, "-idps"[site->value], *values++);
	}
	const char *dims = text_at (site, site->dims);
	for (int i = 0; i < site->n_dims; i++) {
		size_t key = strcspn (dims, ":");
		at += snprintf (at, (size_t) (stop - at), " %.*s=", (int) key, dims);
		at = show_value (at, stop, dims[key + 1], values[i]);
		dims += key + 2 + (dims[key + 2] == ',');
	}
}

static void begin (uintptr_t tag, uintptr_t stack, int64_t pushed)
{
	const struct pp_abi_site *site = (const struct pp_abi_site *) (tag & ~(uintptr_t) PP_ABI_DEPTH_MASK);
	struct event *e = new_event ('B', site);
	if (pushes (site))
		take_values (e, site, pushed);
	if ((tag & PP_ABI_DEPTH_MASK) > deepest)
		deepest = tag & PP_ABI_DEPTH_MASK;
	for (unsigned i = 0; i < depth; i++)
		if (frames[i].tag == tag && frames[i].stack == stack)
			strcpy (new_event ('!', NULL)->text, "two frames alike");
	if (depth < DEPTH) {
		frames[depth].tag = tag;
		frames[depth++].stack = stack;
	}
	check_unwinding ();
}

static void end (uintptr_t tag, uintptr_t stack)
{
	new_event ('E', (const struct pp_abi_site *) (tag & ~(uintptr_t) PP_ABI_DEPTH_MASK));
	if (depth == 0)
		strcpy (new_event ('!', NULL)->text, "end without begin");
	else if (frames[--depth].tag != tag)
		strcpy (new_event ('!', NULL)->text, "another site or depth");
	else if (stack > frames[depth].stack)
		strcpy (new_event ('!', NULL)->text, "stack pointer went up");
	check_unwinding ();
}

/* For programs that jump: how many intervals the thread has open, and that those beyond DEPTH were left by a longjmp. */
unsigned recorder_depth (void)
{
	return depth;
}

void recorder_drop (unsigned to)
{
	depth = to;
}

/* "#pragma pp dim": how many, then key and value of each; of the innermost frame with that tag. */
static void late (uintptr_t tag, const int64_t *dims)
{
	const struct pp_abi_site *site = (const struct pp_abi_site *) (tag & ~(uintptr_t) PP_ABI_DEPTH_MASK);
	struct event *e = new_event ('D', site);
	char *at = e->text, *stop = e->text + sizeof e->text;
	unsigned of = depth;
	for (int64_t i = 0; i < dims[0]; i++) {
		const char *key = (const char *) dims[1 + 2 * i];
		at += snprintf (at, (size_t) (stop - at), " %s=", key + 1);
		at = show_value (at, stop, *key, dims[2 + 2 * i]);
	}
	while (of && frames[of - 1].tag != tag)
		of--;
	if (!of)
		strcpy (new_event ('!', NULL)->text, "dimension without begin");
	check_unwinding ();
}

static void point (uintptr_t tag, int64_t value)
{
	const struct pp_abi_site *site = (const struct pp_abi_site *) (tag & ~(uintptr_t) PP_ABI_DEPTH_MASK);
	if (site->kind != PP_ABI_SITE_POINT) {
		late (tag, (const int64_t *) value);
		return;
	}
	struct event *e = new_event ('P', site);
	if (pushes (site))
		take_values (e, site, value);
	check_unwinding ();
}

/* ---- patch markers: FRAME is the call frame address of the entry */

__attribute__ ((used)) static void recorder_begin (uintptr_t tag, uintptr_t frame)
{
	const struct pp_abi_site *site = (const struct pp_abi_site *) (tag & ~(uintptr_t) PP_ABI_DEPTH_MASK);
	int pushed = pushes (site);
	begin (tag, frame + PP_ABI_STUB_BYTES + (pushed ? PP_ABI_STUB_PUSHED : 0),
	       pushed ? *(const int64_t *) (frame + PP_ABI_STUB_VALUE) : 0);
}

__attribute__ ((used)) static void recorder_end (uintptr_t tag, uintptr_t frame)
{
	end (tag, frame + PP_ABI_STUB_BYTES);
}

__attribute__ ((used)) static void recorder_point (uintptr_t tag, uintptr_t frame)
{
	const struct pp_abi_site *site = (const struct pp_abi_site *) (tag & ~(uintptr_t) PP_ABI_DEPTH_MASK);
	point (tag, pushes (site) || site->kind != PP_ABI_SITE_POINT ? *(const int64_t *) (frame + PP_ABI_STUB_VALUE) : 0);
}

#ifdef __x86_64__
/* An entry: keeps every register, vectors too, and realigns the stack. */
#define ENTRY(NAME, FN)                                                                                                \
	void NAME (void);                                                                                              \
	__asm__(".text\n.p2align 4\n.type " #NAME ",@function\n" #NAME ":\n"                                           \
		"\t.cfi_startproc\n"                                                                                   \
		"\tpushq %rbp\n\t.cfi_def_cfa_offset 16\n\t.cfi_offset %rbp,-16\n"                                     \
		"\tmovq %rsp,%rbp\n\t.cfi_def_cfa_register %rbp\n"                                                     \
		"\tpushq %rax\n\tpushq %rcx\n\tpushq %rdx\n\tpushq %r8\n\tpushq %r9\n\tpushq %r10\n\tpushq %r11\n"     \
		"\tpushq %rbx\n\t.cfi_offset %rbx,-80\n"                                                               \
		"\tmovq %rsp,%rbx\n\tsubq $512,%rsp\n\tandq $-64,%rsp\n\tfxsave64 (%rsp)\n"                            \
		"\tleaq 16(%rbp),%rsi\n\tcall " #FN "\n"                                                               \
		"\tfxrstor64 (%rsp)\n\tmovq %rbx,%rsp\n"                                                               \
		"\tpopq %rbx\n\tpopq %r11\n\tpopq %r10\n\tpopq %r9\n\tpopq %r8\n\tpopq %rdx\n\tpopq %rcx\n"            \
		"\tpopq %rax\n\tpopq %rbp\n\t.cfi_def_cfa %rsp,8\n\tret\n\t.cfi_endproc\n")

/* Turns the NOP at AT into a jump; -1: there is none, or it does not lead to STUB. */
static int jump (unsigned char *at, const unsigned char *stub)
{
	unsigned char nop[] = PP_ABI_X86_NOP;
	int32_t distance;
	memcpy (&distance, at + PP_ABI_X86_REL32, 4);
	if (distance != stub - (at + PP_ABI_X86_NOP_BYTES))
		return -1;
	if (at[PP_ABI_X86_SWITCH] == PP_ABI_X86_ON)
		nop[PP_ABI_X86_SWITCH] = PP_ABI_X86_ON;
	if (memcmp (at, nop, sizeof nop))
		return -1;
	at[PP_ABI_X86_SWITCH] = PP_ABI_X86_ON;
	return 0;
}
#elif defined __aarch64__
/* An entry: keeps every register, vectors and flags too. */
#define ENTRY(NAME, FN)                                                                                                \
	void NAME (void);                                                                                              \
	__asm__(".text\n.p2align 4\n.type " #NAME ",@function\n" #NAME ":\n"                                           \
		"\t.cfi_startproc\n\thint 34\n"                                                                        \
		"\tsub sp,sp,704\n\t.cfi_def_cfa_offset 704\n\tstp x29,x30,[sp]\n\t.cfi_offset "                       \
		"29,-704\n\t.cfi_offset 30,-696\n"                                                                     \
		"\tmov x29,sp\n\t.cfi_def_cfa_register 29\n"                                                           \
		"\tstp x2,x3,[sp,16]\n\tstp x4,x5,[sp,32]\n\tstp x6,x7,[sp,48]\n\tstp x8,x9,[sp,64]\n"                 \
		"\tstp x10,x11,[sp,80]\n\tstp x12,x13,[sp,96]\n\tstp x14,x15,[sp,112]\n\tstp x16,x17,[sp,128]\n"       \
		"\tmrs x16,nzcv\n\tstp x18,x16,[sp,144]\n"                                                             \
		"\tadd x17,sp,176\n"                                                                                   \
		"\tst1 {v0.2d-v3.2d},[x17],64\n\tst1 {v4.2d-v7.2d},[x17],64\n"                                         \
		"\tst1 {v8.2d-v11.2d},[x17],64\n\tst1 {v12.2d-v15.2d},[x17],64\n"                                      \
		"\tst1 {v16.2d-v19.2d},[x17],64\n\tst1 {v20.2d-v23.2d},[x17],64\n"                                     \
		"\tst1 {v24.2d-v27.2d},[x17],64\n\tst1 {v28.2d-v31.2d},[x17],64\n"                                     \
		"\tadd x1,sp,704\n\tbl " #FN "\n"                                                                      \
		"\tadd x17,sp,176\n"                                                                                   \
		"\tld1 {v0.2d-v3.2d},[x17],64\n\tld1 {v4.2d-v7.2d},[x17],64\n"                                         \
		"\tld1 {v8.2d-v11.2d},[x17],64\n\tld1 {v12.2d-v15.2d},[x17],64\n"                                      \
		"\tld1 {v16.2d-v19.2d},[x17],64\n\tld1 {v20.2d-v23.2d},[x17],64\n"                                     \
		"\tld1 {v24.2d-v27.2d},[x17],64\n\tld1 {v28.2d-v31.2d},[x17],64\n"                                     \
		"\tldp x18,x16,[sp,144]\n\tmsr nzcv,x16\n"                                                             \
		"\tldp x2,x3,[sp,16]\n\tldp x4,x5,[sp,32]\n\tldp x6,x7,[sp,48]\n\tldp x8,x9,[sp,64]\n"                 \
		"\tldp x10,x11,[sp,80]\n\tldp x12,x13,[sp,96]\n\tldp x14,x15,[sp,112]\n\tldp x16,x17,[sp,128]\n"       \
		"\tldp x29,x30,[sp]\n\tadd sp,sp,704\n\t.cfi_def_cfa 31,0\n\t.cfi_restore 29\n\t.cfi_restore 30\n"     \
		"\tret\n\t.cfi_endproc\n")

static int jump (unsigned char *at, const unsigned char *stub)
{
	enum { NOP = 0xd503201f, B = 0x14000000, B_MASK = 0xfc000000 };
	uint32_t word, branch = (uint32_t) B | ((uint32_t) ((stub - at) / 4) & ~(uint32_t) B_MASK);
	memcpy (&word, at, 4);
	if ((word & B_MASK) == B)
		return 0;
	if (word != (uint32_t) NOP)
		return -1;
	__atomic_store_n ((uint32_t *) at, branch, __ATOMIC_RELAXED);
	__builtin___clear_cache ((char *) at, (char *) at + 4);
	return 0;
}
#endif

#ifdef ENTRY
ENTRY (recorder_entry_begin, recorder_begin);
ENTRY (recorder_entry_end, recorder_end);
ENTRY (recorder_entry_point, recorder_point);

static void (*const plan[]) (void) = {recorder_entry_begin, recorder_entry_end, recorder_entry_point};

static void enable (const struct pp_abi_marker *marker)
{
	unsigned char *at = (unsigned char *) &marker->nop + marker->nop;
	unsigned char *stub = (unsigned char *) &marker->stub + marker->stub;
	struct pp_abi_site *site = (struct pp_abi_site *) ((char *) &marker->site + marker->site);
	uintptr_t page = (uintptr_t) at & -(uintptr_t) 4096;
	markers++;
	site->plan = plan;
	site->wanted = ~0u;
	if (getenv ("PPREC_OFF"))
		return;
	if (mprotect ((void *) page, 8192, PROT_READ | PROT_WRITE | PROT_EXEC))
		mprotect ((void *) page, 4096, PROT_READ | PROT_WRITE | PROT_EXEC);
	if ((uintptr_t) site % PP_ABI_ALIGN || marker->op > PP_ABI_POINT || jump (at, stub))
		bad_markers++;
	/* the flag spares the runtime a look at the site */
	if (!(marker->flags & PP_ABI_MARKER_NO_METRICS) != !!site->metrics)
		bad_markers++;
	__atomic_store_n (&site->enabled, 1, __ATOMIC_RELAXED); /* loops with a clean copy ask */
}
#else
static void enable (const struct pp_abi_marker *marker)
{
	(void) marker;
	bad_markers++;
}
#endif

/* ---- tables */

static void show_site (const char *kind, const struct pp_abi_site *site)
{
	printf ("%s %s kind=%d flags=%d value=%d line=%u column=%u function=%s groups=%s metrics=%s file=%s\n", kind,
		text_at (site, site->name), site->kind, site->flags, site->value, site->line, site->column,
		text_at (site, site->function), text_at (site, site->groups), text_at (site, site->metrics),
		text_at (site, site->file));
}

static void show_metric (const struct pp_abi_metric *metric)
{
	char out[PP_ABI_RESULT_BYTES] __attribute__ ((aligned (64))),
		sample[PP_ABI_RESULT_BYTES] __attribute__ ((aligned (64)));
	printf ("metric %s kind=%d acc=%s source=%s options=%s decl=%s sample=%d bytes=%d",
		text_at (metric, metric->head.name), metric->kind, text_at (metric, metric->accumulator),
		text_at (metric, metric->source), text_at (metric, metric->options),
		text_at (metric, metric->declaration), metric->sample_type, metric->result_bytes);
	if (metric->begin) {
		metric->begin (out, NULL);
		memcpy (sample, out, sizeof out);
		if (metric->end)
			metric->end (sample, out);
		if (metric->sample_type == PP_ABI_SAMPLE_DOUBLE)
			printf (" =%g", *(double *) sample);
		else
			printf (" =%lld", (long long) *(int64_t *) sample);
	}
	printf ("\n");
}

static void show_records (const char *at, const char *stop)
{
	while (at < stop) {
		const struct pp_abi_record *head = (const struct pp_abi_record *) at;
		if (head->size == 0 || head->size % PP_ABI_ALIGN || head->abi != PP_ABI_VERSION) {
			printf ("BAD record\n");
			return;
		}
		if (head->type == PP_ABI_RECORD_METRIC)
			show_metric ((const struct pp_abi_metric *) at);
		else
			printf ("record type=%d name=%s\n", head->type, text_at (at, head->name));
		at += head->size;
	}
}

static void show_sites (const struct pp_abi_module *module)
{
	const struct pp_abi_site *shown[1000];
	unsigned count = 0, i;
	for (const struct pp_abi_marker *m = module->sites_begin; m < (const struct pp_abi_marker *) module->sites_end;
	     m++) {
		const struct pp_abi_site *site = (const struct pp_abi_site *) ((const char *) &m->site + m->site);
		for (i = 0; i < count && shown[i] != site; i++)
			;
		if (i == count && count < 1000)
			show_site ("site", shown[count++] = site);
	}
	for (const char *at = module->guards_begin; at < (const char *) module->guards_end;
	     at += ((const struct pp_abi_site *) at)->size)
		show_site ("guard", (const struct pp_abi_site *) at);
}

static void fill_variables (const char *at, const char *stop)
{
	for (; at < stop && ((const struct pp_abi_record *) at)->size; at += ((const struct pp_abi_record *) at)->size)
		if (((const struct pp_abi_record *) at)->type == PP_ABI_RECORD_METRIC)
			*(const void **) ((const struct pp_abi_metric *) at)->variable = at;
}

void pp_rt_register (const struct pp_abi_module *module)
{
	if (module->size != sizeof *module || module->abi != PP_ABI_VERSION ||
	    module->marker_bytes != sizeof (struct pp_abi_marker))
		bad_markers++;
	for (unsigned i = 0; i < seen_count; i++)
		if (seen[i].sites == module->sites_begin && seen[i].guards == module->guards_begin &&
		    seen[i].records == module->records_begin)
			return;
	if (seen_count == 64)
		_exit (98);
	seen[seen_count].sites = module->sites_begin;
	seen[seen_count].guards = module->guards_begin;
	seen[seen_count++].records = module->records_begin;
	for (const struct pp_abi_marker *m = module->sites_begin; m < (const struct pp_abi_marker *) module->sites_end;
	     m++)
		enable (m);
	for (char *at = (char *) module->guards_begin; at < (const char *) module->guards_end;
	     at += ((struct pp_abi_site *) at)->size) {
		struct pp_abi_site *site = (struct pp_abi_site *) at;
		if (site->size == 0 || site->size % PP_ABI_ALIGN || !(site->flags & PP_ABI_SITE_GUARD)) {
			bad_markers++;
			break;
		}
		site->wanted = ~0u;
		if (!getenv ("PPREC_OFF"))
			__atomic_store_n (&site->enabled, 1, __ATOMIC_RELAXED);
	}
	fill_variables (module->records_begin, module->records_end);
	if (getenv ("PPREC_TABLES")) {
		show_sites (module);
		show_records (module->records_begin, module->records_end);
	}
}

void pp_rt_unregister (const struct pp_abi_module *module)
{
	(void) module;
}

void pp_rt_guard_begin (const void *site)
{
	begin ((uintptr_t) site, (uintptr_t) __builtin_frame_address (0), 0);
}

void pp_rt_guard_begin_value (const void *site, int64_t value)
{
	begin ((uintptr_t) site, (uintptr_t) __builtin_frame_address (0), value);
}

void pp_rt_guard_end (const void *site)
{
	end ((uintptr_t) site, (uintptr_t) __builtin_frame_address (0));
}

void pp_rt_guard_point (const void *site, int64_t value)
{
	point ((uintptr_t) site, value);
}

/* ---- what the code measures by itself */

static __thread struct {
	const struct pp_abi_metric *metric;
	char room[PP_ABI_RESULT_BYTES] __attribute__ ((aligned (16)));
} opened[64];
static __thread unsigned opened_count;

static void sample_event (const struct pp_abi_metric *metric, const char *format, ...)
{
	struct event *e = new_event ('S', NULL);
	int length = snprintf (e->text, sizeof e->text, " %s ", text_at (metric, metric->head.name));
	va_list args;
	va_start (args, format);
	vsnprintf (e->text + length, sizeof e->text - (size_t) length, format, args);
	va_end (args);
}

void *pp_rt_sample_begin (void *metric)
{
	if (opened_count == 64)
		_exit (97);
	sample_event (metric, "begins");
	opened[opened_count].metric = metric;
	return opened[opened_count++].room;
}

void *pp_rt_sample_end (void *metric)
{
	static __thread char room[PP_ABI_RESULT_BYTES] __attribute__ ((aligned (16)));
	const struct pp_abi_metric *m = metric;
	unsigned i = opened_count;
	while (i && opened[i - 1].metric != m)
		i--;
	sample_event (m, i ? "ends" : "is not open");
	if (!i)
		return NULL;
	memcpy (room, opened[i - 1].room, sizeof room);
	memmove (&opened[i - 1], &opened[i], (opened_count-- - i) * sizeof *opened);
	return m->begin || (m->head.flags & PP_ABI_METRIC_ARGUMENTS) ? room : NULL;
}

void pp_rt_sample_int (void *metric, int64_t sample)
{
	sample_event (metric, "%lld", (long long) sample);
}

void pp_rt_sample_double (void *metric, double sample)
{
	sample_event (metric, "%g", sample);
}

static const char *inline_name (const void *site)
{
	const struct pp_abi_site *s = site;
	if (!(s->flags & PP_ABI_SITE_INLINE))
		bad_markers++;
	return text_at (s, s->name);
}

void pp_rt_inline_int (const void *site, void *metric, int64_t sample)
{
	sample_event (metric, "%lld at %s", (long long) sample, inline_name (site));
}

void pp_rt_inline_double (const void *site, void *metric, double sample)
{
	sample_event (metric, "%g at %s", sample, inline_name (site));
}

static void statement (const char *what, const char *first, const char *second, const char *third)
{
	printf ("%s %s %s %s\n", what, first, second, third);
}

void pp_rt_bind (const struct pp_abi_bind *what)
{
	statement ("bind", what->metric, what->site, what->function);
}

void pp_rt_unbind (const struct pp_abi_bind *what)
{
	statement ("unbind", what->metric, what->site, what->function);
}

void pp_rt_expect (struct pp_abi_expect *what)
{
	statement ("expect", text_at (what, what->head.name), text_at (what, what->expression),
		   text_at (what, what->function));
	if (what->clauses)
		printf ("clauses %s\n", text_at (what, what->clauses));
	if (what->call)
		what->call (NULL, what);
}

/* ---- the log */

static void show_event (const struct event *e)
{
	const char *function = e->site && getenv ("PPREC_FUNCTIONS") ? text_at (e->site, e->site->function) : "";
	if (e->op == 'U')
		printf ("U %s\n", e->text);
	else if (e->op == 'S')
		printf ("S%s\n", e->text);
	else if (e->op == '!')
		printf ("BAD %s\n", e->text);
	else
		printf ("%c %s%s%s%s\n", e->op, function, *function ? "/" : "", text_at (e->site, e->site->name),
			e->text);
}

__attribute__ ((destructor)) static void show_log (void)
{
	for (unsigned i = 0; i < event_count; i++)
		show_event (&events[i]);
	if (bad_markers)
		printf ("BAD markers %u\n", bad_markers);
	if (getenv ("PPREC_TABLES"))
		printf ("deepest %u\n", deepest);
	fflush (stdout);
}
