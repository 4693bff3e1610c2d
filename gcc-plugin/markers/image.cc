// SPDX-License-Identifier: GPL-3.0-or-later
//
// image.cc: static data with the layout of a structure of pp_abi.h. GCC's own struct types are of
// no use here: the program may not have included the header, and Fortran has none. So the fields
// are laid down one by one, and the text behind them.

#include "gcc-plugin/markers/image.h"
#include "pp_abi.h"

static tree build_constant (tree type, vec<constructor_elt, va_gc> *elements)
{
	tree init = build_constructor (type, elements);
	TREE_CONSTANT (init) = TREE_STATIC (init) = 1;
	return init;
}

// Numbers are put together in words of 64 bits: a field of the type that is built, and a line of
// assembly, costs the compiler more than the number.
void ppgcc_image::number (unsigned HOST_WIDE_INT value, unsigned bytes)
{
	gcc_assert (m_offset % bytes == 0);
	unsigned at = m_offset % 8,
		 shift = (BYTES_BIG_ENDIAN ? 8 - at - bytes : at) * BITS_PER_UNIT;
	if (at == 0)
		m_word = 0;
	m_word |= (bytes == 8 ? value : value & ((HOST_WIDE_INT_1U << bytes * BITS_PER_UNIT) - 1))
		  << shift;
	m_offset += bytes;
	if (m_offset % 8 == 0)
		m_words.safe_push (build_int_cstu (long_long_unsigned_type_node, m_word));
}

void ppgcc_image::pointer (tree address)
{
	gcc_assert (m_offset % 8 == 0);
	if (!address)
		return number (0, 8);
	end_numbers ();
	m_fields.safe_push (field{ptr_type_node, fold_convert (ptr_type_node, address)});
	m_offset += 8;
}

// What has come since the last pointer becomes one field. Zeros are left out, which makes them one
// line of assembly.
void ppgcc_image::end_numbers ()
{
	if (m_words.is_empty ())
		return;
	tree type = build_array_type_nelts (long_long_unsigned_type_node, m_words.length ());
	vec<constructor_elt, va_gc> *elements = NULL;
	for (unsigned i = 0; i < m_words.length (); i++)
		if (!integer_zerop (m_words[i]))
			CONSTRUCTOR_APPEND_ELT (elements, size_int (i), m_words[i]);
	m_fields.safe_push (field{type, build_constant (type, elements)});
	m_words.truncate (0);
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
	end_numbers ();
	if (!m_text.empty ()) { // a literal that is shorter than its type: the rest is zero
		tree string = build_string (m_text.size (), m_text.data ());
		tree type = build_array_type_nelts (char_type_node, size () - m_text_offset);
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
	tree init = build_constant (record, elements);

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
		DECL_ATTRIBUTES (var) =
			tree_cons (get_identifier ("used"), NULL_TREE, DECL_ATTRIBUTES (var));
	}
	varpool_node::finalize_decl (var);
	varpool_node *node = varpool_node::get (var);
	if (symtab->state == IPA &&
	    !node->analyzed) // too late for the usual queue, too early to be done by itself
		node->analyze ();
	return var;
}
