/* SPDX-License-Identifier: MIT */
/* estimate.c: sums up what the compiler knows of the copies of a site; see estimate.h. */
#include "base/estimate.h"

#include "base/types.h"

#include <math.h>

#define UNKNOWN __builtin_nan ("")

const char *const *ppi_static_names (void)
{
	static const char *const names[] = {
#define X(id, name, unit) name,
		PPI_STATICS_LIST (X)
#undef X
			NULL};

	return names;
}

enum ppi_unit ppi_static_unit (enum ppi_static which)
{
	static const uint8_t units[] = {
#define X(id, name, unit) PPI_UNIT_##unit,
		PPI_STATICS_LIST (X)
#undef X
	};

	return (enum ppi_unit) units[which];
}

static double figure_of (const struct pp_abi_estimate *copy, enum ppi_static which)
{
	switch (which) {
	case PPI_STATIC_COVERAGE:
		return copy->coverage == PP_ABI_COVERAGE_UNKNOWN ? UNKNOWN
								 : copy->coverage / 1000.0;
	case PPI_STATIC_OPS:
		return copy->operations;
	case PPI_STATIC_FLOPS:
		return copy->flops;
	case PPI_STATIC_LOADS:
		return copy->loads;
	case PPI_STATIC_STORES:
		return copy->stores;
	case PPI_STATIC_BRANCHES:
		return copy->branches;
	case PPI_STATIC_CALLS:
		return copy->calls;
	case PPI_STATICS:
		break;
	}
	return UNKNOWN;
}

void ppi_statics_add (struct ppi_statics_sum *sum, const struct pp_abi_estimate *copy)
{
	double weight = copy->weight > 0 ? (double) copy->weight : 0;

	for (int i = 0; i < PPI_STATICS; i++) {
		double x = figure_of (copy, (enum ppi_static) i);

		if (isnan (x))
			continue;
		if (!sum->figure[i].known++)
			sum->figure[i].first = x;
		sum->figure[i].differ |= x < sum->figure[i].first || x > sum->figure[i].first;
		sum->figure[i].weighted += weight * x;
		sum->figure[i].weight += weight;
		sum->figure[i].plain += x;
	}
	sum->copies++;
	sum->moved_out += copy->moved_out;
	sum->moved_in += copy->moved_in;
	sum->approximate |= copy->flags & PP_ABI_ESTIMATE_APPROXIMATE;
}

struct ppi_statics ppi_statics_of (const struct ppi_statics_sum *sum)
{
	struct ppi_statics out = {
		.copies = sum->copies,
		.moved_out = sum->moved_out,
		.moved_in = sum->moved_in,
		.approximate = sum->approximate,
	};

	for (int i = 0; i < PPI_STATICS; i++) {
		uint32_t known = sum->figure[i].known;

		if (!known || (known < sum->copies && i != PPI_STATIC_COVERAGE))
			out.value[i] = UNKNOWN;
		else if (!sum->figure[i].differ)
			out.value[i] = sum->figure[i].first;
		else if (sum->figure[i].weight > 0)
			out.value[i] = sum->figure[i].weighted / sum->figure[i].weight;
		else
			out.value[i] = sum->figure[i].plain / known;
		out.approximate |=
			i != PPI_STATIC_COVERAGE && !isnan (out.value[i]) && sum->figure[i].differ;
	}
	return out;
}
