// SPDX-License-Identifier: GPL-3.0-or-later
//
// asm.cc: what the texts of patch markers have in common on all CPUs. Each begins with a line that sets the symbol .Lppd, the
// inline depth, and has a record in a section that goes with the section of .Lppn, the NOP. Until that depth is known the
// line is an error: a link with -flto and without the plugin would take all copies of a site for one.

#include "ppgcc.h"

static const char depth_line[] = "\t.set .Lppd%=,";

std::string ppgcc_asm_depth ()
{
	return std::string (depth_line) +
	       "0 ; .error \"compiled with ppgcc and -flto: the link needs -fplugin=ppgcc too\"\n";
}

std::string ppgcc_asm_record (int op, const char *stub, unsigned flags)
{
	return std::string ("\t.pushsection " PP_ABI_SECTION_SITES ",\"ao?\",@progbits,.Lppn%=\n\t.balign 4\n"
			    "\t.long .Lppn%=-.,") +
	       stub + "-.,%c0-.,0\n\t.byte " + std::to_string (op) + ",.Lppd%=\n\t.short " + std::to_string (flags) +
	       "\n\t.popsection";
}

bool ppgcc_asm_p (const char *text)
{
	return startswith (text, depth_line);
}

// The record's section goes with the section of the NOP. Named after the NOP, every record would be a section of its
// own; named after the function, there is one for each function. Names that need quotes are left alone.
static bool plain_symbol (const char *symbol)
{
	for (const char *p = symbol; *p; p++)
		if (!ISIDNUM (*p) && *p != '.')
			return false;
	return *symbol && !ISDIGIT (*symbol);
}

std::string ppgcc_asm_final (const char *text, unsigned depth, const char *symbol)
{
	static const char link_order[] = ",@progbits,";
	std::string out = depth_line + std::to_string (depth) + strchr (text, '\n');
	size_t at = out.find (link_order);
	if (at == std::string::npos || !plain_symbol (symbol))
		return out;
	at += strlen (link_order);
	return out.replace (at, out.find ('\n', at) - at, symbol);
}

int ppgcc_asm_op (const char *text)
{
	const char *record = strstr (text, "\t.pushsection " PP_ABI_SECTION_SITES);
	const char *depth = record ? strstr (record, ",.Lppd%=\n") : NULL; // behind the operation
	return depth ? depth[-1] - '0' : -1;
}

std::string ppgcc_asm_estimate (const std::string &text, const std::string &fields, const char *symbol)
{
	static const char end[] = "\t.popsection";
	size_t at = text.rfind (end);
	if (at == std::string::npos)
		return text;
	std::string out = text;
	return out.insert (at + strlen (end),
			   std::string ("\n\t.pushsection " PP_ABI_SECTION_ESTIMATES ",\"ao?\",@progbits,") +
				   (plain_symbol (symbol) ? symbol : ".Lppn%=") + "\n\t.balign 8\n\t.long %c0-.\n" +
				   fields + end);
}
