// SPDX-License-Identifier: GPL-3.0-or-later
//
// hints.cc: what is suspicious about names once a whole unit is known: a pragma that binds to a
// site which is nearly one of the unit's; a site that is called like a metric which is bound to
// nothing. Both may be meant, and names may be other units': so nothing here is an error, and
// nothing is said unless a likelier name is there.

#include "gcc-plugin/base/diag.h"
#include "gcc-plugin/markers/barrier.h"
#include "gcc-plugin/markers/metric.h"
#include "gcc-plugin/markers/site.h"
#include "gcc-plugin/language/hints.h"
#include "gcc-plugin/language/pragma.h"
#include "pp_abi.h"

#include <set>
#include <vector>

namespace
{

struct named_place {
	std::string name;
	location_t loc;
};

struct suspect {
	std::string name;
	int kind;
	location_t loc;
};

std::set<std::string> sites, metrics_in_use;
std::vector<named_place> bound_to;
std::vector<suspect> without_metrics;

// What PATH calls the site itself, or "" where that isn't one name.
std::string last_part (const std::string &path)
{
	size_t slash = path.rfind ('/');
	if (ppgcc_by_property (path))
		return ""; // "group:g"
	std::string name = path.substr (slash == std::string::npos ? 0 : slash + 1);
	name.resize (std::min (name.find ('@'), name.size ()));
	return name.find_first_of ("*?\\") == std::string::npos ? name : "";
}

void check_bound (const named_place &place)
{
	std::string name = last_part (place.name);
	if (name.empty () || sites.count (name))
		return;
	ppgcc_words known;
	for (const std::string &site : sites)
		known.safe_push (site.c_str ());
	if (const char *closest = known.is_empty () ? NULL : ppgcc_closest (name.c_str (), known))
		warning_at (place.loc, 0, "no site here is called %qs; did you mean %qs?",
			    name.c_str (), closest);
}

void check_named_like_metric (const suspect &site)
{
	int kind = ppgcc_metric_kind (site.name);
	if (kind != site.kind || metrics_in_use.count (site.name))
		return;
	if (kind == PP_ABI_SITE_POINT)
		inform (site.loc,
			"point %qs is called like a metric that is bound to nothing here; did you "
			"mean %<point NAME(%s)%>?",
			site.name.c_str (), site.name.c_str ());
	else
		inform (site.loc,
			"interval %qs is called like a metric that is bound to nothing here; did "
			"you mean %<interval NAME(%s)%>?",
			site.name.c_str (), site.name.c_str ());
}

void finish_unit (void *, void *)
{
	if (in_lto_p || flag_preprocess_only || seen_error ())
		return;
	for (const named_place &place : bound_to)
		check_bound (place);
	for (const suspect &site : without_metrics)
		check_named_like_metric (site);
}

// SITE is of any origin.
void site_seen (const ppgcc_site &site)
{
	sites.insert (site.name);
	for (size_t at = 0; at < site.metrics.size ();) {
		size_t end = std::min (site.metrics.find (',', at), site.metrics.size ());
		metrics_in_use.insert (site.metrics.substr (at, end - at));
		at = end + 1;
	}
}

} // namespace

void ppgcc_site_written (const ppgcc_site &site, location_t loc)
{
	if (site.metrics.empty ())
		without_metrics.push_back ({site.name, site.kind, loc});
}

void ppgcc_metric_used (const char *name)
{
	metrics_in_use.insert (name);
}

void ppgcc_bind_seen (const char *metric, location_t metric_loc, const std::string &site,
		      location_t site_loc)
{
	metrics_in_use.insert (metric);
	bound_to.push_back ({site, site_loc});
	if (ppgcc_declared_metric (metric))
		return;
	if (const char *closest = ppgcc_closest_metric (metric))
		warning_at (metric_loc, 0, "metric %qs is not declared here; did you mean %qs?",
			    metric, closest);
}

void ppgcc_hints_register (const char *plugin)
{
	ppgcc_on_site (site_seen);
	register_callback (plugin, PLUGIN_FINISH_UNIT, finish_unit, NULL);
}
