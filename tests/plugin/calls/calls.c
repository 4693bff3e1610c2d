/* SPDX-License-Identifier: MIT */
/*
 * Points and intervals as calls. Names that begin with "library" must stay calls: their begins and ends are in different
 * functions, or the name is no literal.
 */
#include <pp.h>

__attribute__ ((noipa)) static int opaque (int x)
{
	return x;
}

static inline int body (int n)
{
	pp_begin ("body");
	for (int i = 0; i < n; i++) {
		pp_begin ("iteration");
		pp_point_int ("i", i);
		if (i == 2) {
			pp_end ("iteration");
			continue;
		}
		pp_point_double ("half", i * 0.5);
		pp_end ("iteration");
	}
	pp_point ("after");
	pp_end ("body");
	return n;
}

static void only_begin (void)
{
	pp_begin ("library across");
}

static void only_end (void)
{
	pp_end ("library across");
}

static int agreed (int x)
{
	if (x)
		pp_begin ("agreed");
	opaque (x);
	if (x)
		pp_end ("agreed");
	return x;
}

static void any_name (const char *name)
{
	pp_begin (name);
	pp_point (name);
	pp_end (name);
}

static int recursive (int n)
{
	pp_begin ("recursive");
	int r = n < 1 ? 0 : recursive (n - 1) + 1;
	pp_end ("recursive");
	return r;
}

static int features (int n)
{
	const char *volatile text = "text";

	pp_feature_begin ("lib.literal", "x");
	pp_antimark_begin ("lib.literal");
	opaque (n);
	pp_antimark_end ("lib.literal");
	pp_feature_end ("lib.literal");
	pp_feature_begin ("lib.variable", text);
	pp_feature_end ("lib.variable");
	pp_feature_begin_int ("lib.number", n);
	pp_feature_end ("lib.number");
	/* payloads of two types are no one site's */
	pp_feature_begin ("library.mixed", "x");
	pp_feature_end ("library.mixed");
	pp_feature_begin_int ("library.mixed", n);
	pp_feature_end ("library.mixed");
	return n;
}

static void (*const address) (const char *) = pp_point;

int main (void)
{
	body (opaque (4));
	only_begin ();
	only_end ();
	agreed (opaque (0));
	agreed (opaque (1));
	any_name (opaque (1) ? "library dynamic" : "library other");
	recursive (opaque (7));
	features (opaque (9));
	address (opaque (1) ? "library address" : "");
	return 0;
}
