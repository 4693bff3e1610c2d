/* SPDX-License-Identifier: MIT */
/* policy_profile.c: what `profile:` says. What is asked for together has to go together. */
#include "assertions/language/policy.h"

#include <signal.h>

/* What is measured needs nothing that is said of samples. */
static bool is_exact_alone (struct ppi_diagnostics *d, const struct ppi_yaml *map)
{
	static const char *const of_samples[] = {"sampler", "rate", "clock", "signal", "threads"};

	for (size_t i = 0; i < sizeof of_samples / sizeof *of_samples; i++) {
		const struct ppi_yaml *value = ppi_yaml_get (map, of_samples[i]);

		if (!value)
			continue;
		ppi_diagnose (d, value->place,
			      "'features: exact' takes no samples: features are measured, by wall "
			      "clock; '%s' is for samplers",
			      of_samples[i]);
		return false;
	}
	return true;
}

void ppi_policy_read_profile (struct ppi_diagnostics *d, const struct ppi_yaml *map,
			      struct ppi_policy_profile *out)
{
	const struct ppi_policy_key *keys = ppi_keys_profile ();
	const struct ppi_yaml *sites, *threads;
	bool ok;

	*out = (struct ppi_policy_profile){.clock = PPI_CLOCK_USUAL,
					   .signal = PPI_SIGNAL_USUAL,
					   .features = PPI_FEATURES_UNSAID,
					   .rate = PPI_SAMPLE_RATE_USUAL};
	if (!map || !ppi_policy_is (d, map, PPI_YAML_MAP, "'profile'"))
		return;
	ok = ppi_policy_keys (d, map, "'profile'", keys, PPI_LACKS_NONE);
	ok = ppi_policy_take (d, map, keys, out) && ok;
	sites = ppi_yaml_get (map, "sites");
	ok = (!sites || ppi_policy_read_sites (d, sites, &out->sites)) && ok;
	threads = ppi_yaml_get (map, "threads");
	ok = (!threads || ppi_policy_read_patterns (d, threads, "'threads'", "a thread's name",
						    &out->threads)) &&
	     ok;
	if (ok && out->features == PPI_FEATURES_EXACT)
		ok = is_exact_alone (d, map);
	if (ok && out->sampler == PPI_PROFILE_WATCHER && out->signal != PPI_SIGNAL_USUAL)
		ppi_diagnose (d, ppi_yaml_get (map, "signal")->place,
			      "the watcher interrupts nobody; 'signal' is for 'sampler: "
			      "interrupter'");
	else if (ok && out->sampler == PPI_PROFILE_INTERRUPTER && sites)
		ppi_diagnose (d, sites->place,
			      "the interrupter samples functions, wherever they are; 'sites' is "
			      "for the watcher");
	else if (ok)
		out->key = map;
}

struct ppi_profile_wish ppi_policy_profile_wish (const struct ppi_policy_profile *written,
						 const char *pattern[PPI_SITES_COUNT],
						 const char *thread[PPI_SITES_COUNT])
{
	static const uint32_t signals[PPI_SIGNAL_USUAL] = {SIGURG, SIGWINCH};
	bool is_interrupter = written->sampler == PPI_PROFILE_INTERRUPTER;

	for (size_t i = 0; i < written->sites.n_sites; i++)
		pattern[i] = written->sites.sites[i]->scalar;
	for (size_t i = 0; i < written->threads.n_sites; i++)
		thread[i] = written->threads.sites[i]->scalar;
	return (struct ppi_profile_wish){
		.sampler = is_interrupter ? PPI_SAMPLER_INTERRUPTER : PPI_SAMPLER_WATCHER,
		.period_ns = PPI_SAMPLE_PERIOD (written->rate),
		.is_cpu = written->clock == PPI_CLOCK_CPU ||
			  (is_interrupter && written->clock == PPI_CLOCK_USUAL),
		.signal = written->signal < PPI_SIGNAL_USUAL ? signals[written->signal] : 0,
		.for_ns = written->for_ns,
		.features = written->features,
		.site = pattern,
		.sites = written->sites.n_sites,
		.thread = thread,
		.threads = written->threads.n_sites,
	};
}
