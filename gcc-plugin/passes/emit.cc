// SPDX-License-Identifier: GPL-3.0-or-later
//
// emit.cc: patch markers in the assembly file.
//
// Until right before instructions are written a marker is an asm with a note (markers/note.cc).
// Here it becomes its NOP, and what belongs to it out of line, stub, record and estimate, is
// remembered and written at the end of the file, all of one section together: every directive that
// changes sections or begins an FDE would cost the assembler more than the rest.
//
// A record's section goes with a section of code (SHF_LINK_ORDER), which the assembler wants to be
// told by a symbol there: the first function that has markers in it, or where its name would need
// quotes its first NOP.

#include "gcc-plugin/base/pass.h"
#include "gcc-plugin/target/asm.h"
#include "gcc-plugin/markers/note.h"
#include "gcc-plugin/markers/site.h"
#include "gcc-plugin/passes/final.h"
#include "gcc-plugin/passes/truth.h"
#include "pp_abi.h"

#include <rtl.h>

#include <emit-rtl.h>
#include <output.h>

#include <unordered_map>

namespace
{

struct group {
	section *where;
	std::string symbol; // that is in it
	std::vector<ppgcc_emitted> markers;
};

std::vector<group> groups; // in the order in which they came
std::unordered_map<section *, size_t> numbers;

// The unit's struct pp_abi_module, "" where there is none or GCC hands it over.
std::string module_symbol;
int module_priority;

bool plain_symbol (const char *symbol)
{
	for (const char *p = symbol; *p; p++)
		if (!ISIDNUM (*p) && *p != '.')
			return false;
	return *symbol && !ISDIGIT (*symbol);
}

// The label of the function that is being compiled.
const char *function_symbol ()
{
	const char *name = IDENTIFIER_POINTER (DECL_ASSEMBLER_NAME (current_function_decl));
	return *name == '*' ? name + 1 : name;
}

group &group_of (section *where, const std::string &number)
{
	auto found = numbers.emplace (where, groups.size ());
	if (found.second) {
		const char *symbol = function_symbol ();
		groups.push_back (
			group{where, plain_symbol (symbol) ? symbol : ".Lppn" + number, {}});
	}
	return groups[found.first->second];
}

// ADDRESS as an operand of an instruction.
std::string symbol_of (rtx address)
{
	if (GET_CODE (address) == SYMBOL_REF)
		return targetm.strip_name_encoding (XSTR (address, 0));
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream (&text, &size);
	gcc_assert (out);
	output_addr_const (out, address);
	fclose (out);
	std::string symbol (text, size);
	free (text);
	return symbol;
}

// Nothing, but for what is known of the interval.
void emit_anchor (rtx text, const ppgcc_emitted &marker)
{
	std::string label = ".Lppn" + marker.number, code;
	if (!marker.estimate.empty ()) {
		group &own = group_of (function_section (current_function_decl), marker.number);
		code = own.symbol == label ? label + ":" : "";
		own.markers.push_back (marker);
	}
	ASM_OPERANDS_TEMPLATE (text) = ggc_strdup (code.c_str ());
}

void emit (rtx_insn *insn, rtx text)
{
	static unsigned count;
	ppgcc_note note = ppgcc_note_read (ASM_OPERANDS_TEMPLATE (text));
	ppgcc_emitted marker;
	marker.number = std::to_string (count++);
	marker.code = note.code;
	marker.depth = note.depth;
	marker.flags = note.flags;
	marker.site = symbol_of (ASM_OPERANDS_INPUT (text, 0));
	if (note.code & PPGCC_ASM_VALUE)
		marker.value = ppgcc_asm_register (REGNO (ASM_OPERANDS_INPUT (text, 2)));
	marker.estimate = ppgcc_estimate_record (insn);
	if (note.code & PPGCC_ASM_ANCHOR) {
		emit_anchor (text, marker);
		return;
	}
	std::string code = ppgcc_asm_inline (note.code, marker.number);
	if (note.code & PPGCC_ASM_TEST)
		code += "\n\t.set .Lpps" + marker.number + ",%l2";
	ASM_OPERANDS_TEMPLATE (text) = ggc_strdup (code.c_str ());
	group_of (function_section (current_function_decl), marker.number)
		.markers.push_back (marker);
}

// ---- at the end

void write_stubs (const std::vector<ppgcc_emitted> &markers, bool value)
{
	bool any = false;
	for (const ppgcc_emitted &marker : markers) {
		if (marker.code & (PPGCC_ASM_TEST | PPGCC_ASM_ANCHOR) ||
		    marker.value.empty () == value)
			continue;
		if (!any) {
			fputs ("\t.subsection 1\n", asm_out_file);
			ppgcc_asm_frames_begin (asm_out_file, value);
		}
		any = true;
		ppgcc_asm_stub (asm_out_file, marker);
	}
	if (!any)
		return;
	ppgcc_asm_frames_end (asm_out_file);
	fputs ("\t.subsection 0\n", asm_out_file);
}

// struct pp_abi_marker
void write_records (const group &one)
{
	bool any = false;
	for (const ppgcc_emitted &marker : one.markers) {
		if (marker.code & (PPGCC_ASM_COLD | PPGCC_ASM_ANCHOR))
			continue; // its NOP is another one's, or there is none
		if (!any)
			fprintf (asm_out_file,
				 "\t.pushsection " PP_ABI_SECTION_SITES
				 ",\"ao?\",@progbits,%s\n\t.balign 4\n",
				 one.symbol.c_str ());
		any = true;
		const char *number = marker.number.c_str ();
		fprintf (asm_out_file, "\t.long .Lppn%s-.,.Lpps%s-.,%s-.,0,%u\n", number, number,
			 marker.site.c_str (),
			 (marker.code & PPGCC_ASM_OP) | marker.depth << 8 | marker.flags << 16);
	}
	if (any)
		fputs ("\t.popsection\n", asm_out_file);
}

// struct pp_abi_estimate
void write_estimates (const group &one)
{
	bool any = false;
	for (const ppgcc_emitted &marker : one.markers) {
		if (marker.estimate.empty ())
			continue;
		if (!any)
			fprintf (asm_out_file,
				 "\t.pushsection " PP_ABI_SECTION_ESTIMATES
				 ",\"ao?\",@progbits,%s\n\t.balign 8\n",
				 one.symbol.c_str ());
		any = true;
		fprintf (asm_out_file, "\t.long %s-.%s", marker.site.c_str (),
			 marker.estimate.c_str ());
	}
	if (any)
		fputs ("\t.popsection\n", asm_out_file);
}

// A function that passes struct pp_abi_module to ENTRY, and an entry for it in the table that HOOK
// fills.
void write_caller (const char *entry, const char *label, void (*hook) (rtx, int))
{
	switch_to_section (text_section);
	fprintf (asm_out_file, "%s:\n\t.cfi_startproc\n", label);
	ppgcc_asm_pass (asm_out_file, module_symbol.c_str (), entry);
	fputs ("\t.cfi_endproc\n", asm_out_file);
	hook (gen_rtx_SYMBOL_REF (Pmode, label), module_priority);
}

void write_all (void *, void *)
{
	if (!module_symbol.empty ()) {
		write_caller ("pp_rt_register", ".Lppregister", targetm.asm_out.constructor);
		write_caller ("pp_rt_unregister", ".Lppunregister", targetm.asm_out.destructor);
	}
	for (const group &one : groups) {
		switch_to_section (one.where);
		write_stubs (one.markers, false);
		write_stubs (one.markers, true);
		write_records (one);
		write_estimates (one);
	}
	groups.clear ();
}

const pass_data data = {RTL_PASS, "ppemit", OPTGROUP_NONE, TV_NONE, 0, 0, 0, 0, 0};

class emit_pass : public ppgcc_pass<rtl_opt_pass>
{
public:
	using ppgcc_pass::ppgcc_pass;

	unsigned execute (function *) final override
	{
		for (rtx_insn *insn = get_insns (); insn; insn = NEXT_INSN (insn))
			if (rtx text = ppgcc_marker_asm (insn))
				emit (insn, text);
		return 0;
	}
};

} // namespace

void ppgcc_emit_module (const char *symbol, int priority)
{
	module_symbol = symbol;
	module_priority = priority;
}

void ppgcc_emit_register (const char *plugin)
{
	ppgcc_add_pass (plugin, new emit_pass (data, ppgcc_may_have_markers),
			PASS_POS_INSERT_BEFORE, "final");
	register_callback (plugin, PLUGIN_FINISH_UNIT, write_all, NULL);
}
