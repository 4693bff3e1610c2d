// SPDX-License-Identifier: GPL-3.0-or-later
//
// moved.cc: -Wpp-moved: tells of intervals that the optimiser has moved work out of.
//
// Small moves are everywhere and harm nobody, so by default only those are told of that change what
// is measured: more than a quarter of the cost, and something dear among it. Where a call or a loop
// that runs an unknown number of times stays inside, nobody knows what a quarter is. GCC lets no
// plugin add a warning option of its own: this one is a plugin argument; -w, -Werror and system
// headers work as for every warning, "#pragma GCC diagnostic" can't.

#include "gcc-plugin/markers/site.h"
#include "gcc-plugin/passes/truth.h"

#include <algorithm>
#include <set>

static bool asked_on, asked_off, asked_all, asked_error;

bool ppgcc_moved_argument (const char *value)
{
	asked_off = false;
	asked_on = true;
	if (value && !strcmp (value, "all"))
		asked_all = true;
	else if (value && !strcmp (value, "error"))
		asked_error = true;
	else if (value)
		error ("%<-fplugin-arg-ppgcc-Wpp-moved=%s%>: expected %<all%> or %<error%>", value);
	return !value || asked_all || asked_error;
}

bool ppgcc_not_moved_argument (const char *)
{
	asked_off = true;
	return true;
}

static const char *place (int direction)
{
	return direction == PPGCC_BEFORE   ? "before its begin"
	       : direction == PPGCC_BEHIND ? "behind its end"
					   : "outside";
}

static void tell_where (std::vector<ppgcc_moved> moved)
{
	enum { TOLD_MAX = 5 };
	std::set<ppgcc_position> told;
	std::stable_sort (moved.begin (), moved.end (),
			  [] (const ppgcc_moved &a, const ppgcc_moved &b) {
				  return (a.what != NULL) > (b.what != NULL);
			  });
	for (const ppgcc_moved &one : moved) {
		if (!one.what && !asked_all)
			break;
		if (told.size () == TOLD_MAX || !told.insert (ppgcc_position_of (one.loc)).second)
			continue;
		inform (one.loc, "this %s is %s now", one.what ? one.what : "operation",
			place (one.direction));
	}
}

// LOC as the user sees it: where the macro that the pragma comes from is used, for pp.h is a system
// header.
static location_t users_location (location_t loc)
{
	location_t pure = get_pure_location (loc);
	if (!linemap_location_from_macro_expansion_p (line_table, pure))
		return loc;
	return set_block (
		linemap_resolve_location (line_table, pure, LRK_MACRO_EXPANSION_POINT, NULL),
		LOCATION_BLOCK (loc));
}

void ppgcc_warn_moved (location_t loc, tree site, double inside, double outside, bool sure,
		       const std::vector<ppgcc_moved> &moved)
{
	static std::set<unsigned> told; // a site once, however many copies it has
	bool dear = false;
	for (const ppgcc_moved &one : moved)
		dear |= one.what != NULL;
	bool quiet = lookup_attribute (PPGCC_QUIET_ATTRIBUTE, DECL_ATTRIBUTES (site));
	if (asked_off || (quiet && !asked_on) || !(outside > 0) ||
	    (!asked_all && (!dear || !sure || outside <= 0.25 * (inside + outside))) ||
	    told.count (DECL_UID (site)) || (flag_generate_lto && !in_lto_p))
		return; // the linker's run says it where it is still compiled then
	const char *name = ppgcc_site_name (site);
	int percent = outside / (inside + outside) * 100 + 0.5;
	auto_diagnostic_group group;
	loc = users_location (loc);
	static const char text[] =
		G_ ("optimization has moved %d%% of the work of interval %qs out of it");
	if (asked_error)
		error_at (loc, text, percent, name);
	else if (!warning_at (loc, 0, text, percent, name))
		return;
	told.insert (DECL_UID (site));
	tell_where (moved);
	inform (loc, "%<fence%> keeps the order as written; %<-fplugin-arg-ppgcc-Wno-pp-moved%> "
		     "accepts the move");
}
