// SPDX-License-Identifier: GPL-3.0-or-later
//
// image.cc: static data with the layout of a structure of pp_abi.h. GCC's own struct types are of no use here: the
// program may not have included the header, and Fortran has none. So the fields are laid down one by one, and the text
// behind them.

#include "ppgcc.h"

void ppgcc_image::number (unsigned HOST_WIDE_INT value, unsigned bytes)
{
	gcc_assert (m_offset % bytes == 0);
	tree type = build_nonstandard_integer_type (bytes * BITS_PER_UNIT, 1);
	m_fields.safe_push (field{type, build_int_cstu (type, value)});
	m_offset += bytes;
}

void ppgcc_image::pointer (tree address)
{
	gcc_assert (m_offset % 8 == 0);
	m_fields.safe_push (field{ptr_type_node, address ? fold_convert (ptr_type_node, address) : null_pointer_node});
	m_offset += 8;
}

unsigned ppgcc_image::text (const std::string &text, bool optional)
{
	if (optional && text.empty ())
		return 0;
	unsigned offset = m_text_offset + m_text.size ();
	m_text += text;
	m_text += '\0';
	return offset;
}

unsigned ppgcc_image::size () const
{
	return ROUND_UP (m_text_offset + m_text.size (), PP_ABI_ALIGN);
}

tree ppgcc_image::variable (const char *name, const char *section, bool keep, bool read_only)
{
	gcc_assert (m_offset == m_text_offset);
	if (!m_text.empty ()) {
		m_text.resize (size () - m_text_offset, '\0');
		tree string = build_string (m_text.size (), m_text.data ());
		tree type = build_array_type (char_type_node, build_index_type (size_int (m_text.size () - 1)));
		TREE_TYPE (string) = type;
		m_fields.safe_push (field{type, string});
	}
	tree record = make_node (RECORD_TYPE), chain = NULL_TREE;
	vec<constructor_elt, va_gc> *elements = NULL;
	for (const field &f : m_fields) {
		tree decl = build_decl (BUILTINS_LOCATION, FIELD_DECL, NULL_TREE, f.type);
		DECL_CONTEXT (decl) = record;
		DECL_CHAIN (decl) = chain;
		chain = decl;
	}
	TYPE_FIELDS (record) = nreverse (chain);
	layout_type (record);
	tree decl = TYPE_FIELDS (record);
	for (const field &f : m_fields) {
		CONSTRUCTOR_APPEND_ELT (elements, decl, f.value);
		decl = DECL_CHAIN (decl);
	}
	tree init = build_constructor (record, elements);
	TREE_CONSTANT (init) = TREE_STATIC (init) = 1;

	tree var = build_decl (BUILTINS_LOCATION, VAR_DECL, get_identifier (name), record);
	TREE_STATIC (var) = TREE_ADDRESSABLE (var) = TREE_USED (var) = 1;
	TREE_READONLY (var) = read_only;
	DECL_ARTIFICIAL (var) = DECL_IGNORED_P (var) = 1;
	DECL_INITIAL (var) = init;
	SET_DECL_ASSEMBLER_NAME (var, DECL_NAME (var));
	SET_DECL_ALIGN (var, (m_text.empty () ? 8 : PP_ABI_ALIGN) * BITS_PER_UNIT);
	DECL_USER_ALIGN (var) = 1;
	if (section)
		set_decl_section_name (var, section);
	if (keep) {
		DECL_PRESERVE_P (var) = 1;
		DECL_ATTRIBUTES (var) = tree_cons (get_identifier ("used"), NULL_TREE, DECL_ATTRIBUTES (var));
	}
	varpool_node::finalize_decl (var);
	varpool_node *node = varpool_node::get (var);
	if (symtab->state == IPA && !node->analyzed) // too late for the usual queue, too early to be done by itself
		node->analyze ();
	return var;
}
