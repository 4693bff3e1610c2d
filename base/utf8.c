/* SPDX-License-Identifier: MIT */
/* utf8.c: see utf8.h. */
#include "base/utf8.h"

size_t ppi_utf8 (const char *text, uint32_t *code)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	const unsigned char *p = (const unsigned char *) text;
	size_t n = *p < 0x80   ? 1
		   : *p < 0xc2 ? 0
		   : *p < 0xe0 ? 2
		   : *p < 0xf0 ? 3
		   : *p < 0xf5 ? 4
			       : 0;

	*code = n > 1 ? *p & (0x7fu >> n) : *p;
	for (size_t i = 1; i < n; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		*code = *code << 6 | (p[i] & 0x3f);
	}
	return n && (*code < least[n] || (*code >= 0xd800 && *code < 0xe000) || *code > 0x10ffff)
		       ? 0
		       : n;
}

size_t ppi_utf8_shown (const char *text)
{
	uint32_t code;
	size_t n = ppi_utf8 (text, &code);

	return code < ' ' || (code >= 0x7f && code < 0xa0) ? 0 : n;
}
