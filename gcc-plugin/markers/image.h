// SPDX-License-Identifier: GPL-3.0-or-later
//
// image.h: static data of a given layout.

#ifndef PPGCC_IMAGE_H
#define PPGCC_IMAGE_H

#include "gcc-plugin/base/gcc-compat.h"

class ppgcc_image
{
public:
	explicit ppgcc_image (unsigned text_offset) : m_text_offset (text_offset)
	{
	}
	void u8 (unsigned value)
	{
		number (value, 1);
	}
	void u16 (unsigned value)
	{
		number (value, 2);
	}
	void u32 (unsigned value)
	{
		number (value, 4);
	}
	void u64 (unsigned HOST_WIDE_INT value)
	{
		number (value, 8);
	}
	// ADDRESS is the address of a declaration, or NULL_TREE for a null pointer.
	void pointer (tree address);
	// The offset that TEXT will have; 0 where it is empty and OPTIONAL.
	unsigned text (const std::string &text, bool optional);
	// The structure's size so far announced: fields, text, padding.
	unsigned size () const;
	// A static variable with this content; 64-byte aligned where there is text. SECTION may be
	// NULL; KEEP: nothing may drop it.
	tree variable (const char *name, const char *section, bool keep, bool read_only);

private:
	void number (unsigned HOST_WIDE_INT value, unsigned bytes);
	void end_numbers ();
	struct field {
		tree type;
		tree value;
	};
	auto_vec<field> m_fields;
	auto_vec<tree> m_words; // numbers that are in no field yet
	unsigned HOST_WIDE_INT m_word = 0;
	unsigned m_offset = 0;
	unsigned m_text_offset;
	std::string m_text;
};

#endif
