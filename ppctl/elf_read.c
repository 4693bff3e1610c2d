/* SPDX-License-Identifier: MIT */
/* elf_read.c: finds sites and records in an ELF file with libelf; see elf_read.h. */
#include "ppctl/elf_read.h"

#include "base/estimate.h"
#include "base/names.h"
#include "base/types.h"
#include "ppctl/elf_file.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- sites ----------------------------------------------------------------------------------- */

static const char *offset_text (const void *object, uint32_t bytes, uint32_t offset)
{
	const char *text = (const char *) object + offset;

	return offset && offset < bytes && memchr (text, '\0', bytes - offset) ? text : "";
}

/* The site at ADDRESS, whole; NULL: WHY says what is wrong. */
static const struct pp_abi_site *site_at (struct elf_reader *r, uint64_t address)
{
	const struct pp_abi_site *site =
		ppctl_elf_at (r, address, offsetof (struct pp_abi_site, text));

	if (!site) {
		(void) ppctl_elf_fail (
			r, PP_EINVAL,
			"is damaged: a marker names a site at 0x%llx, which the file does not have",
			(unsigned long long) address);
		return NULL;
	}
	if ((uintptr_t) site % _Alignof(struct pp_abi_site) != 0) {
		(void) ppctl_elf_fail (r, PP_EINVAL,
				       "is damaged: the site at 0x%llx is not aligned",
				       (unsigned long long) address);
		return NULL;
	}
	if (site->abi != PP_ABI_VERSION) {
		(void) ppctl_elf_fail (r, PP_EINVAL,
				       "was built with version %u of the plugin's ABI; this ppctl "
				       "reads version %d",
				       site->abi, PP_ABI_VERSION);
		return NULL;
	}
	/* sections may lie over each other: it is whole in the one that it was found in */
	if (site->size < offsetof (struct pp_abi_site, text) ||
	    ppctl_elf_at (r, address, site->size) != (const void *) site) {
		(void) ppctl_elf_fail (r, PP_EINVAL, "is damaged: the site at 0x%llx is cut off",
				       (unsigned long long) address);
		return NULL;
	}
	return site;
}

static char *own (struct elf_reader *r, char *text)
{
	char **more = text ? realloc (r->own_text, (r->n_own + 1) * sizeof *more) : NULL;

	if (!more) {
		free (text);
		return NULL;
	}
	r->own_text = more;
	r->own_text[r->n_own++] = text;
	return text;
}

static struct ppctl_site *new_site (struct elf_reader *r, struct ppctl_binary *out,
				    const struct pp_abi_site *abi)
{
	struct ppctl_site *more, site = {.abi = abi, .module = r->module};
	char *full = NULL, name[48];

	site.file = offset_text (abi, abi->size, abi->file);
	site.function = offset_text (abi, abi->size, abi->function);
	site.name = offset_text (abi, abi->size, abi->name);
	site.groups = offset_text (abi, abi->size, abi->groups);
	site.metrics = offset_text (abi, abi->size, abi->metrics);
	site.dims = offset_text (abi, abi->size, abi->dims);
	snprintf (name, sizeof name, "L%u.%u", abi->line, abi->column);
	if (asprintf (&full, "%s!%s:%s/%s", r->module, site.file, site.function,
		      *site.name ? site.name : name) < 0)
		return NULL;
	site.full = own (r, full);
	site.base = site.full;
	more = site.full ? realloc (out->site, (out->n_sites + 1) * sizeof *more) : NULL;
	if (!more)
		return NULL;
	if (!*site.name)
		site.name = strrchr (site.full, '/') + 1;
	site.parts =
		(struct ppi_name_parts){.module = site.module,
					.file = site.file,
					.function = site.function,
					.name = site.name,
					.parameters = offset_text (abi, abi->size, abi->parameters),
					.function_line = abi->function_line,
					.line = abi->line,
					.nth = 1};
	out->site = more;
	out->site[out->n_sites] = site;
	return &out->site[out->n_sites++];
}

/* ---- places ---------------------------------------------------------------------------------- */

/*
 * Several descriptors (of an inline function in many files) of one place are one site, as in the
 * runtime: they are kept in a tree.
 */
struct place {
	const struct pp_abi_site *abi;
	size_t site; /* index */
};

static int compare (uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int compare_text (const struct pp_abi_site *a, uint32_t a_offset,
			 const struct pp_abi_site *b, uint32_t b_offset)
{
	return strcmp (offset_text (a, a->size, a_offset), offset_text (b, b->size, b_offset));
}

static int by_place (const void *left, const void *right)
{
	const struct pp_abi_site *a = ((const struct place *) left)->abi,
				 *b = ((const struct place *) right)->abi;
	int order = 0;

	if (a == b)
		return 0;
	(void) ((order = compare (a->line, b->line)) || (order = compare (a->column, b->column)) ||
		(order = compare (a->kind, b->kind)) || (order = compare (a->value, b->value)) ||
		(order = compare (a->flags & PP_ABI_SITE_TELLING,
				  b->flags & PP_ABI_SITE_TELLING)) ||
		(order = compare_text (a, a->dims, b, b->dims)) ||
		(order = compare (a->function_line, b->function_line)) ||
		(order = compare_text (a, a->parameters, b, b->parameters)) ||
		(order = compare_text (a, a->function, b, b->function)) ||
		(order = compare_text (a, a->name, b, b->name)) ||
		(order = compare_text (a, a->file, b, b->file)));
	return order;
}

static struct ppctl_site *take_site (struct elf_reader *r, struct ppctl_binary *out,
				     const struct pp_abi_site *abi)
{
	struct place *place = malloc (sizeof *place), **known;
	struct ppctl_site *site;

	if (!place)
		goto no_memory;
	*place = (struct place){abi, SIZE_MAX};
	known = tsearch (place, &r->places, by_place);
	if (!known || *known != place)
		free (place);
	if (!known)
		goto no_memory;
	if ((*known)->site != SIZE_MAX)
		return &out->site[(*known)->site];
	site = new_site (r, out, abi);
	if (!site)
		goto no_memory;
	(*known)->site = out->n_sites - 1;
	return site;
no_memory:
	(void) ppctl_elf_fail (r, PP_ENOMEM, "can't be read: no memory");
	return NULL;
}

static int read_markers (struct elf_reader *r, struct ppctl_binary *out)
{
	if (r->markers.bytes % sizeof (struct pp_abi_marker) != 0)
		return ppctl_elf_fail (r, PP_EINVAL,
				       "is damaged, or of another ABI: " PP_ABI_SECTION_SITES
				       " has %llu bytes",
				       (unsigned long long) r->markers.bytes);
	for (uint64_t at = 0; at < r->markers.bytes; at += sizeof (struct pp_abi_marker)) {
		const struct pp_abi_site *abi;
		struct pp_abi_marker marker;
		struct ppctl_site *site;

		memcpy (&marker, r->markers.data + at, sizeof marker);
		abi = site_at (r, r->markers.address + at + offsetof (struct pp_abi_marker, site) +
					  (uint64_t) (int64_t) marker.site);
		site = abi ? take_site (r, out, abi) : NULL;
		if (!site)
			return PP_EINVAL;
		if (marker.op <= PP_ABI_POINT) {
			site->markers[marker.op]++;
			site->in_copied_loops += marker.flags & PP_ABI_MARKER_LOOP ? 1 : 0;
		}
	}
	return 0;
}

static int read_guards (struct elf_reader *r, struct ppctl_binary *out)
{
	for (uint64_t at = 0; at < r->guards.bytes;) {
		const struct pp_abi_site *abi = site_at (r, r->guards.address + at);

		if (!abi)
			return PP_EINVAL;
		if (abi->size % PP_ABI_ALIGN != 0 || abi->size > r->guards.bytes - at)
			return ppctl_elf_fail (
				r, PP_EINVAL,
				"is damaged: a site of %u bytes in " PP_ABI_SECTION_GUARDS,
				abi->size);
		if (!take_site (r, out, abi))
			return PP_EINVAL;
		at += abi->size;
	}
	return 0;
}

/* ---- estimates ------------------------------------------------------------------------------- */

static int read_estimates (struct elf_reader *r, struct ppctl_binary *out)
{
	if (r->estimates.bytes % sizeof (struct pp_abi_estimate) != 0)
		return ppctl_elf_fail (r, PP_EINVAL,
				       "is damaged, or of another ABI: " PP_ABI_SECTION_ESTIMATES
				       " has %llu bytes",
				       (unsigned long long) r->estimates.bytes);
	for (uint64_t at = 0; at < r->estimates.bytes; at += sizeof (struct pp_abi_estimate)) {
		const struct pp_abi_site *abi;
		struct pp_abi_estimate estimate;
		struct ppctl_site *site;

		memcpy (&estimate, r->estimates.data + at, sizeof estimate);
		abi = site_at (r, r->estimates.address + at + (uint64_t) (int64_t) estimate.site);
		site = abi ? take_site (r, out, abi) : NULL;
		if (!site)
			return PP_EINVAL;
		ppi_statics_add (&site->sum, &estimate);
	}
	for (size_t i = 0; i < out->n_sites; i++)
		out->site[i].statics = ppi_statics_of (&out->site[i].sum);
	return 0;
}

/* ---- records --------------------------------------------------------------------------------- */

static size_t least_bytes (unsigned type)
{
	switch (type) {
	case PP_ABI_RECORD_METRIC:
		return sizeof (struct pp_abi_metric);
	case PP_ABI_RECORD_KNOB:
		return sizeof (struct pp_abi_knob);
	case PP_ABI_RECORD_CALLABLE:
		return sizeof (struct pp_abi_callable);
	case PP_ABI_RECORD_SOURCE:
		return sizeof (struct pp_abi_source);
	case PP_ABI_RECORD_OPERATOR:
	case PP_ABI_RECORD_STATISTIC:
		return sizeof (struct pp_abi_function);
	case PP_ABI_RECORD_EXPECT:
		return sizeof (struct pp_abi_expect);
	default:
		return sizeof (struct pp_abi_record);
	}
}

/* The macros' records point to "file:line"; the plugin's have both in their head. */
static const char *where_of (struct elf_reader *r, const struct pp_abi_record *abi,
			     uint64_t address)
{
	const char *file = offset_text (abi, abi->size, abi->file);
	char *text = NULL;

	_Static_assert(offsetof (struct pp_abi_knob, where) ==
				       offsetof (struct pp_abi_callable, where) &&
			       offsetof (struct pp_abi_knob, where) ==
				       offsetof (struct pp_abi_source, where) &&
			       offsetof (struct pp_abi_knob, where) ==
				       offsetof (struct pp_abi_function, where),
		       "the macros' records have WHERE at the same place");
	if (least_bytes (abi->type) > sizeof *abi && abi->type != PP_ABI_RECORD_METRIC &&
	    abi->type != PP_ABI_RECORD_EXPECT)
		return ppctl_elf_text_at (
			r,
			ppctl_elf_pointer_at (r, address + offsetof (struct pp_abi_knob, where)));
	if (!*file || asprintf (&text, "%s:%u", file, abi->line) < 0)
		return "";
	text = own (r, text);
	return text ? text : "";
}

/* NULL: no memory */
static const char *words_of (struct elf_reader *r, const struct pp_abi_record *abi,
			     uint64_t address)
{
	if (abi->type != PP_ABI_RECORD_KNOB ||
	    ((const struct pp_abi_knob *) abi)->type != PP_ABI_KNOB_ENUM)
		return "";
	return own (r, ppi_words_copy (ppctl_elf_text_at (
			       r, ppctl_elf_pointer_at (
					  r, address + offsetof (struct pp_abi_knob, words)))));
}

static int read_records (struct elf_reader *r, struct ppctl_binary *out)
{
	for (uint64_t at = 0; at < r->records.bytes;) {
		const struct pp_abi_record *abi =
			ppctl_elf_at (r, r->records.address + at, sizeof *abi);
		struct ppctl_record *more;
		const char *words;

		if (abi && (uintptr_t) abi % PP_ABI_ALIGN != 0)
			return ppctl_elf_fail (
				r, PP_EINVAL,
				"is damaged: the record at %llu of " PP_ABI_SECTION_RECORDS
				" is not aligned",
				(unsigned long long) at);
		/* sections may lie over each other: it is looked up once more, whole */
		if (!abi || abi->size < least_bytes (abi->type) || abi->size % PP_ABI_ALIGN != 0 ||
		    abi->size > r->records.bytes - at ||
		    ppctl_elf_at (r, r->records.address + at, abi->size) != (const void *) abi)
			return ppctl_elf_fail (
				r, PP_EINVAL,
				"is damaged: the record at %llu of " PP_ABI_SECTION_RECORDS
				" is not whole",
				(unsigned long long) at);
		if (abi->abi != PP_ABI_VERSION)
			return ppctl_elf_fail (r, PP_EINVAL,
					       "was built with version %u of the plugin's ABI; "
					       "this ppctl reads version %d",
					       abi->abi, PP_ABI_VERSION);
		more = realloc (out->record, (out->n_records + 1) * sizeof *more);
		if (more)
			out->record = more;
		words = words_of (r, abi, r->records.address + at);
		if (!more || !words)
			return ppctl_elf_fail (r, PP_ENOMEM, "can't be read: no memory");
		out->record[out->n_records++] = (struct ppctl_record){
			.abi = abi,
			.words = words,
			.has_setter = abi->type == PP_ABI_RECORD_KNOB &&
				      ppctl_elf_pointer_at (r, r->records.address + at +
								       offsetof (struct pp_abi_knob,
										 setter)) != 0,
			.name = offset_text (abi, abi->size, abi->name),
			.where = where_of (r, abi, r->records.address + at),
			.has_end = abi->type == PP_ABI_RECORD_SOURCE &&
				   ppctl_elf_pointer_at (
					   r, r->records.address + at +
						      offsetof (struct pp_abi_source, end)) != 0,
		};
		at += abi->size;
	}
	return 0;
}

const char *ppctl_record_text (const struct ppctl_record *record, uint32_t offset)
{
	return offset_text (record->abi, record->abi->size, offset);
}

/* ---- all of it ------------------------------------------------------------------------------- */

static int by_name (const void *a, const void *b)
{
	const struct ppctl_site *x = a, *y = b;
	int order = strcmp (x->full, y->full);

	return order ? order : (x->abi->line > y->abi->line) - (x->abi->line < y->abi->line);
}

/* As the source has them: a compiler may put them into the file backwards. */
static int in_source_order (const void *a, const void *b)
{
	const struct ppctl_record *x = a, *y = b;
	size_t n = strcspn (x->where, ":"), m = strcspn (y->where, ":");
	int order = x->abi->type - y->abi->type;

	if (!order)
		order = strncmp (x->where, y->where, n > m ? n : m);
	if (!order)
		order = (x->abi->line > y->abi->line) - (x->abi->line < y->abi->line);
	return order ? order : strcmp (x->name, y->name);
}

static int read_binary (struct elf_reader *r, struct ppctl_binary *out)
{
	int error;

	r->fd = open (r->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (r->fd < 0)
		return ppctl_elf_fail (r, PP_EIO, "can't be opened: %s", strerror (errno));
	if (elf_version (EV_CURRENT) == EV_NONE)
		return ppctl_elf_fail (r, PP_EIO, "can't be read: libelf is of another version");
	r->elf = elf_begin (r->fd, ELF_C_READ, NULL);
	if (!r->elf)
		return ppctl_elf_fail (r, PP_EINVAL, "is not an ELF file");
	error = ppctl_elf_check_kind (r);
	if (!error)
		error = ppctl_elf_read_sections (r);
	if (!error)
		error = read_markers (r, out);
	if (!error)
		error = read_guards (r, out);
	if (!error)
		error = read_estimates (r, out);
	if (!error)
		error = read_records (r, out);
	if (!error && out->n_sites)
		qsort (out->site, out->n_sites, sizeof *out->site, by_name);
	if (!error && !ppctl_name_sites (out))
		error = ppctl_elf_fail (r, PP_ENOMEM, "can't be read: no memory");
	if (!error && out->n_records)
		qsort (out->record, out->n_records, sizeof *out->record, in_source_order);
	return error;
}

int ppctl_binary_open (const char *path, struct ppctl_binary *out, char *why, size_t room)
{
	struct elf_reader *r = calloc (1, sizeof *r);
	int error;

	memset (out, 0, sizeof *out);
	if (!r) {
		snprintf (why, room, "no memory");
		return PP_ENOMEM;
	}
	r->fd = -1;
	r->path = path;
	r->module = strrchr (path, '/') ? strrchr (path, '/') + 1 : path;
	r->why = why;
	r->room = room;
	out->own = r;
	error = read_binary (r, out);
	if (error)
		ppctl_binary_close (out);
	return error;
}

const char *ppctl_binary_rules (const struct ppctl_binary *binary, size_t *bytes)
{
	const struct elf_section *s = &((const struct elf_reader *) binary->own)->rules;

	*bytes = s->bytes;
	return s->data;
}

static bool each_function_in (struct elf_reader *r, Elf_Scn *scn, const GElf_Shdr *header,
			      bool (*fn) (const char *name, void *arg), void *arg)
{
	Elf_Data *data = elf_getdata (scn, NULL);
	GElf_Sym symbol;

	for (int i = 0; data && gelf_getsym (data, i, &symbol); i++) {
		const char *name = elf_strptr (r->elf, header->sh_link, symbol.st_name);

		if (GELF_ST_TYPE (symbol.st_info) == STT_FUNC && symbol.st_shndx != SHN_UNDEF &&
		    name && *name && fn (name, arg))
			return true;
	}
	return false;
}

bool ppctl_binary_each_function (const struct ppctl_binary *binary,
				 bool (*fn) (const char *name, void *arg), void *arg)
{
	struct elf_reader *r = binary->own;
	GElf_Shdr header;

	for (Elf_Scn *scn = NULL; (scn = elf_nextscn (r->elf, scn));)
		if (gelf_getshdr (scn, &header) &&
		    (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM) &&
		    each_function_in (r, scn, &header, fn, arg))
			return true;
	return false;
}

bool ppctl_binary_spells (const struct ppctl_binary *binary, const char *text)
{
	const struct elf_section *s = &((const struct elf_reader *) binary->own)->literals;
	size_t bytes = strlen (text) + 1;

	for (const char *p = s->data, *end = p + s->bytes;
	     p && (p = memmem (p, (size_t) (end - p), text, bytes)); p++)
		if (p == s->data || !p[-1])
			return true;
	return false;
}

void ppctl_binary_close (struct ppctl_binary *binary)
{
	struct elf_reader *r = binary->own;

	if (!r)
		return;
	tdestroy (r->places, free);
	for (size_t i = 0; i < r->n_own; i++)
		free (r->own_text[i]);
	for (size_t i = 0; i < binary->n_sites; i++)
		free (binary->site[i].own_name);
	free (r->own_text);
	for (size_t i = 0; i < r->n_sections; i++)
		free (r->section[i].aligned);
	free (r->section);
	if (r->elf)
		elf_end (r->elf);
	if (r->fd >= 0)
		close (r->fd);
	free (binary->site);
	free (binary->record);
	free (r);
	memset (binary, 0, sizeof *binary);
}
