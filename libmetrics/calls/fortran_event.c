/* SPDX-License-Identifier: MIT */
/*
 * fortran_event.c: events with dimensions as Fortran compilers call them; see fortran.c. A
 * dimension has its key and text in itself: what a Fortran program hands over may be a temporary
 * that is gone when the event begins.
 */
#include "base/message.h"
#include "libmetrics/calls/call.h"

#include <pp.h>
#include <string.h>

#define KEY_BYTES 64
#define TEXT_BYTES 256
#define TYPE_BYTES 256

/* type (pp_dimension) of include/pp.f90. */
struct dimension {
	int64_t value; /* its bits */
	int32_t type;  /* enum pp_abi_value */
	char key[KEY_BYTES], text[TEXT_BYTES];
};

PP_ABI_ASSERT (sizeof (struct dimension) == 336);

/* TEXT without blanks at its end; false: it is longer than N - 1 bytes, and is cut there. */
static bool copy_text (char *to, size_t n, const char *text, size_t length)
{
	bool fits;

	while (length > 0 && text[length - 1] == ' ')
		length--;
	fits = length < n;
	if (!fits)
		length = n - 1;
	memcpy (to, text, length);
	to[length] = 0;
	return fits;
}

static struct dimension make (const char *key, size_t length, enum pp_abi_value type, int64_t value)
{
	struct dimension d = {.value = value, .type = (int32_t) type};

	if (!copy_text (d.key, sizeof d.key, key, length))
		ppi_message_once (key,
				  "a key is cut at %d bytes, and is the same as others that begin "
				  "like this: \"%s\"",
				  KEY_BYTES - 1, d.key);
	return d;
}

static int64_t bits_of (double value)
{
	int64_t bits;

	memcpy (&bits, &value, sizeof bits);
	return bits;
}

/* Valid as long as D is. */
static struct pp_event_dim event_dim (const struct dimension *d)
{
	struct pp_event_dim dim = {d->key, (uint64_t) d->value, (uint32_t) d->type, 0};

	if (d->type == PP_ABI_VALUE_STRING)
		dim.value = (uintptr_t) d->text;
	return dim;
}

/*
 * What PP_DIM and pp_dim are of one type: pp_dimension_NAME_, a function, and pp_dim_NAME_. Not in
 * pp.h: C has no use for them.
 */
#define OF_TYPE(NAME, T, letter, bits)                                                             \
	struct dimension pp_dimension_##NAME##_ (const char *key, T value, size_t length);         \
	void pp_dim_##NAME##_ (const char *key, T value, size_t length);                           \
	struct dimension pp_dimension_##NAME##_ (const char *key, T value, size_t length) {        \
		return make (key, length, PP_ABI_VALUE_##letter, bits);                            \
	} void pp_dim_##NAME##_ (const char *key, T value, size_t length)                          \
	{                                                                                          \
		const struct dimension d = make (key, length, PP_ABI_VALUE_##letter, bits);        \
                                                                                                   \
		(void) pp_dim_add (event_dim (&d));                                                \
	}

#pragma GCC visibility push(default)
OF_TYPE (int32, int32_t, INT, value)
OF_TYPE (int64, int64_t, INT, value)
OF_TYPE (logical, int32_t, BOOL, value != 0)
OF_TYPE (real32, float, DOUBLE, bits_of (value))
OF_TYPE (real64, double, DOUBLE, bits_of (value))

struct dimension pp_dimension_text_ (const char *key, const char *value, size_t length,
				     size_t value_length);
void pp_dim_text_ (const char *key, const char *value, size_t length, size_t value_length);
/* absent dimensions are NULL */
int64_t pp_event_begin_ (const char *type, const struct dimension *a, const struct dimension *b,
			 const struct dimension *c, const struct dimension *d,
			 const struct dimension *e, const struct dimension *f,
			 const struct dimension *g, const struct dimension *h, size_t length);
void pp_event_end_ (int64_t id, const struct dimension *a, const struct dimension *b,
		    const struct dimension *c, const struct dimension *d, const struct dimension *e,
		    const struct dimension *f, const struct dimension *g, const struct dimension *h,
		    int32_t *status);
void pp_feature_begin_dims_ (const char *name, const struct dimension *a, const struct dimension *b,
			     const struct dimension *c, const struct dimension *d,
			     const struct dimension *e, const struct dimension *f,
			     const struct dimension *g, const struct dimension *h, size_t length);
#pragma GCC visibility pop

struct dimension pp_dimension_text_ (const char *key, const char *value, size_t length,
				     size_t value_length)
{
	struct dimension d = make (key, length, PP_ABI_VALUE_STRING, 0);

	(void) copy_text (d.text, sizeof d.text, value, value_length);
	return d;
}

void pp_dim_text_ (const char *key, const char *value, size_t length, size_t value_length)
{
	const struct dimension d = pp_dimension_text_ (key, value, length, value_length);

	(void) pp_dim_add (event_dim (&d));
}

static unsigned given (const struct dimension *const from[PP_ABI_DIMS],
		       struct pp_event_dim to[PP_ABI_DIMS])
{
	unsigned n = 0;

	for (unsigned i = 0; i < PP_ABI_DIMS; i++)
		if (from[i])
			to[n++] = event_dim (from[i]);
	return n;
}

int64_t pp_event_begin_ (const char *type, const struct dimension *a, const struct dimension *b,
			 const struct dimension *c, const struct dimension *d,
			 const struct dimension *e, const struct dimension *f,
			 const struct dimension *g, const struct dimension *h, size_t length)
{
	const struct dimension *const all[PP_ABI_DIMS] = {a, b, c, d, e, f, g, h};
	struct pp_event_dim dims[PP_ABI_DIMS];
	char name[TYPE_BYTES];

	copy_text (name, sizeof name, type, length);
	return ppi_event_begin (name, given (all, dims), dims, PPI_CALLER ());
}

void pp_event_end_ (int64_t id, const struct dimension *a, const struct dimension *b,
		    const struct dimension *c, const struct dimension *d, const struct dimension *e,
		    const struct dimension *f, const struct dimension *g, const struct dimension *h,
		    int32_t *status)
{
	const struct dimension *const all[PP_ABI_DIMS] = {a, b, c, d, e, f, g, h};
	struct pp_event_dim dims[PP_ABI_DIMS];
	int error = ppi_event_end (id, given (all, dims), dims, PPI_CALLER ());

	if (status)
		*status = error;
}

/* A mark of a feature: as pp_event_begin_. */
void pp_feature_begin_dims_ (const char *name, const struct dimension *a, const struct dimension *b,
			     const struct dimension *c, const struct dimension *d,
			     const struct dimension *e, const struct dimension *f,
			     const struct dimension *g, const struct dimension *h, size_t length)
{
	const struct dimension *const all[PP_ABI_DIMS] = {a, b, c, d, e, f, g, h};
	struct pp_event_dim dims[PP_ABI_DIMS];
	char copy[TYPE_BYTES];

	(void) copy_text (copy, sizeof copy, name, length);
	ppi_call_feature_dims (copy, given (all, dims), dims, PPI_CALLER ());
}
