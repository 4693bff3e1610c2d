/* SPDX-License-Identifier: MIT */
/*
 * meteor.c: a puzzle of ten pieces, each of five hexagons, on a board of five times ten. The board
 * is a text, and a piece that is turned in some way is a regular expression that it must match
 * where the first hexagon is free.
 *
 *     aabb_#aabbb#_a___#    three rows of the board, each half a hexagon beside the one above
 *         _......__.___     a piece that fits
 */
#include "feature.h"

#include <regex.h>
#include <stdbool.h>
#include <string.h>

enum { WIDE = 5, HIGH = 10, ROW = WIDE + 1, CELLS = ROW * HIGH, BORDER = 5 * ROW };
enum { PIECES = 10, STEPS = 4, SIDES = 6, WAYS = 2 * SIDES };

/* The way from each hexagon of a piece to its next, by sides: 0 is east, then clockwise. */
static const char paths[PIECES][STEPS + 1] = {"0001", "1232", "3321", "0021", "4340",
					      "0053", "4553", "5105", "1101", "0444"};

/* of a row whose number is even, and odd; of a piece turned in that way */
static struct pattern {
	char text[BORDER];
	regex_t compiled;
} patterns[2][PIECES][WAYS];
static char board[CELLS + BORDER + 1];
static bool is_used[PIECES];
static long left, found;

static int side_of (int way, char step)
{
	int side = step - '0';

	return ((way < SIDES ? side : SIDES - side) + way) % SIDES;
}

/* From X, Y to the hexagon at that SIDE. */
static void go (int side, int *x, int *y)
{
	static const int down[SIDES] = {0, 1, 1, 0, -1, -1};
	static const int even[SIDES] = {1, 0, -1, -1, -1, 0}, odd[SIDES] = {1, 1, 0, -1, 0, 1};

	*x += *y % 2 ? odd[side] : even[side];
	*y += down[side];
}

/*
 * Where a piece's hexagons are on an endless board, from one in that ROW; the number of its first
 * row.
 */
static int place (int row, int piece, int way, int at[STEPS + 1])
{
	int x = 0, y = row, top = row;

	for (int i = 0; i <= STEPS; i++) {
		at[i] = y * ROW + x;
		top = y < top ? y : top;
		if (i < STEPS)
			go (side_of (way, paths[piece][i]), &x, &y);
	}
	return top;
}

/* The pattern of a piece whose first hexagon, from above and left, is in a row of that kind. */
static bool make_pattern (int odd, int piece, int way)
{
	struct pattern *out = &patterns[odd][piece][way];
	int at[STEPS + 1], first, last;

	if (place (HIGH, piece, way, at) % 2 != odd)
		place (HIGH + 1, piece, way, at);
	first = last = at[0];
	for (int i = 1; i <= STEPS; i++) {
		first = at[i] < first ? at[i] : first;
		last = at[i] > last ? at[i] : last;
	}
	out->text[0] = '^';
	memset (out->text + 1, '.', (size_t) last + 1 - (size_t) first);
	for (int i = 0; i <= STEPS; i++)
		out->text[1 + at[i] - first] = '_';
	return regcomp (&out->compiled, out->text, REG_NOSUB) == 0;
}

static void put (const struct pattern *pattern, char *at, char what)
{
	for (int i = 0; pattern->text[1 + i]; i++)
		if (pattern->text[1 + i] == '_')
			at[i] = what;
}

static void solve (int pieces)
{
	char *at = strchr (board, '_');

	if (!at || pieces == PIECES) {
		found += !at;
		return;
	}
	for (int piece = 0; piece < PIECES; piece++) {
		if (is_used[piece])
			continue;
		for (int way = 0; way < WAYS && left > 0; way++) {
			const struct pattern *pattern =
				&patterns[(at - board) / ROW % 2][piece][way];

			left--;
			if (regexec (&pattern->compiled, at, 0, NULL, 0) != 0)
				continue;
			put (pattern, at, (char) ('a' + piece));
			is_used[piece] = true;
			solve (pieces + 1);
			is_used[piece] = false;
			put (pattern, at, '_');
		}
	}
}

/* Of N tries to put a piece down, those that solved it. */
double feature_run (long n)
{
	for (int i = 0; i < 2 * PIECES * WAYS; i++)
		if (!make_pattern (i % 2, i / 2 % PIECES, i / 2 / PIECES))
			return -1;
	memset (board, '#', sizeof board - 1);
	for (int i = 0; i < CELLS; i += ROW)
		memset (board + i, '_', WIDE);
	left = n;
	solve (0);
	for (int i = 0; i < 2 * PIECES * WAYS; i++)
		regfree (&patterns[i % 2][i / 2 % PIECES][i / 2 / PIECES].compiled);
	return (double) found;
}
