// SPDX-License-Identifier: GPL-3.0-or-later
//
// site.h: a site as text, and its descriptor.

#ifndef PPGCC_SITE_H
#define PPGCC_SITE_H

#include "gcc-plugin/base/gcc-compat.h"

enum ppgcc_marker_kind { PPGCC_PATCH, PPGCC_GUARD };
// What markers are made of in this compilation; decided late, when all options are known.
ppgcc_marker_kind ppgcc_kind ();

struct ppgcc_site {
	int kind;  // enum pp_abi_site_kind
	int flags; // enum pp_abi_site_flag, and the one below
	int line, column;
	int serial; // tells sites of one macro expansion apart; negative: calls, which have no scope
	int function_line = 0; // where the function is defined
	std::string name, function, file, groups, metrics;
	std::string parameters; // of the function, in C++: "(int) const"
	std::string dims; // the keys alone, "n,ratio": types are known when the marker is made
};

// In the flags of a site, but not of its descriptor: only -fplugin-arg-ppgcc-calls asked for it.
#define PPGCC_SITE_OF_CALLS 0x100
// Likewise: an attribute asked for it.
#define PPGCC_SITE_OF_ATTRIBUTE 0x200
// Whether SITE is in the source: a pragma or an attribute.
bool ppgcc_site_in_source (const ppgcc_site &site);

// Says in which function SITE is: FN.
void ppgcc_site_in (ppgcc_site &site, tree fn);
// Takes the first line off TEXT: the way to read what was packed. Every line ends with a newline.
std::string ppgcc_take_line (const char *&text);
// Has SEEN told of every site of the unit, whatever asked for it, when it is packed.
void ppgcc_on_site (void (*seen) (const ppgcc_site &site));
std::string ppgcc_site_pack (const ppgcc_site &site);
// Says that the unit has something that is open for a while: an interval, a mark or an antimark.
void ppgcc_unit_opens ();
// Whether that was said, or such a site was packed, so far.
bool ppgcc_unit_has_open ();
ppgcc_site ppgcc_site_unpack (const char *text);
// The same once parsing is over: PP_ABI_SITE_BARRIER is in the flags where it belongs.
ppgcc_site ppgcc_site_complete (const char *text);
// How the descriptors' names begin.
#define PPGCC_SITE_PREFIX "pp_site."
// The site's descriptor in this unit, made when first asked for. TEXT is packed. LETTERS say what a
// begin or point hands over: that of the value or payload ('-': there is none), then those of the
// dims; each a letter of pp_abi.h's dims; "" where there is nothing.
tree ppgcc_site_variable (const char *text, const std::string &letters, ppgcc_marker_kind kind);
// The attribute of the descriptor of a site with PP_ABI_SITE_BARRIER.
#define PPGCC_BARRIER_ATTRIBUTE "pp barrier"
// The attribute of a descriptor with the site's name, for messages.
#define PPGCC_NAME_ATTRIBUTE "pp name"
// The attribute of the descriptor of a site with "fence".
#define PPGCC_FENCE_ATTRIBUTE "pp fence"
// The attribute of the descriptor of a site that nobody is warned of: it is no interval, or the
// source does not have it.
#define PPGCC_QUIET_ATTRIBUTE "pp quiet"
// The attribute of the descriptor of a site with PPGCC_SITE_OF_CALLS.
#define PPGCC_OF_CALLS_ATTRIBUTE "pp of calls"
// How many descriptors this unit has.
unsigned ppgcc_sites ();
// Whether functions may have any: lto1 doesn't know what its units had.
bool ppgcc_may_have_markers ();

// The name of SITE, a descriptor, as in the source.
const char *ppgcc_site_name (tree site);
bool ppgcc_site_fenced (tree site);

#endif
