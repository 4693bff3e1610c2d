/* SPDX-License-Identifier: MIT */
/* block_unwind.c: what unwinders are told of blocks (block.c). */
#include "block_gen.h"

/*
 * One FDE for an arena: the stack is the marker's everywhere, and where the program goes on stands
 * in RETURNS, one word for each line of the arena. An 'S' frame: the address is where it goes on,
 * not behind a call. Registers that a block uses are not to be had meanwhile.
 */
size_t pp_arch_block_unwind (uintptr_t code, size_t bytes, const uint64_t *returns,
			     bool for_debuggers, uint8_t *out, size_t room)
{
	/* rax, rdx, rcx, rsi, rdi, r8 to r11 */
	static const uint8_t lost[] = {0, 1, 2, 4, 5, 8, 9, 10, 11};
	enum { DEF_CFA = 0x0c, VAL_EXPRESSION = 0x16, UNDEFINED = 0x07, RIP = 16, DWARF_RSP = 7 };
	struct emit e = {.out = out, .room = room};
	uint32_t first_bytes, second_bytes;
	size_t begin, length;

	/* the common part */
	emit_32 (&e, 0);
	emit_32 (&e, 0);
	emit_bytes (&e, for_debuggers ? "\1zR" : "\1zRS", for_debuggers ? 4 : 5);
	emit_bytes (&e, "\1\x78\x10\1", 4); /* code 1, data -8, return address 16, one byte: */
	emit_byte (&e, 0);                  /* absolute addresses */
	emit_bytes (&e, (const uint8_t[]){DEF_CFA, DWARF_RSP, 0}, 3);
	for (size_t i = 0; i < sizeof (lost); i++)
		emit_bytes (&e, (const uint8_t[]){UNDEFINED, lost[i]}, 2);
	/* breg16 0; addr code; minus; lit6; shr; lit3; shl; addr returns; plus; deref */
	emit_bytes (&e, (const uint8_t[]){VAL_EXPRESSION, RIP, 27, 0x80, 0, 0x03}, 6);
	emit_bytes (&e, &code, 8);
	emit_bytes (&e, (const uint8_t[]){0x1c, 0x36, 0x25, 0x33, 0x24, 0x03}, 6);
	emit_bytes (&e, &returns, 8);
	emit_bytes (&e, (const uint8_t[]){0x22, 0x06}, 2);
	while (e.n % 8 != 4 && !e.failed)
		emit_byte (&e, 0);
	length = e.n - 4;
	begin = e.n;
	/* the arena's */
	emit_32 (&e, 0);
	emit_32 (&e, (int64_t) begin + 4);
	emit_bytes (&e, &code, 8);
	emit_bytes (&e, &bytes, 8);
	emit_byte (&e, 0);
	while ((e.n - begin) % 8 != 4 && !e.failed)
		emit_byte (&e, 0);
	emit_32 (&e, 0); /* the end of all */
	if (e.failed)
		return 0;
	first_bytes = (uint32_t) length;
	second_bytes = (uint32_t) (e.n - 4 - begin - 4);
	memcpy (out, &first_bytes, 4);
	memcpy (out + begin, &second_bytes, 4);
	return e.n;
}
