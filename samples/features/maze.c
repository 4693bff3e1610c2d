/* SPDX-License-Identifier: MIT */
/*
 * maze.c: makes a maze of hexagons, looks for the way through it, and draws it. The drawing goes to
 * standard output without a buffer, so that whoever watches sees it grow; the bottom of a hexagon
 * is three characters, written one by one. A plain profile has the time under write; the profile of
 * features names the three calls. What looks dear and is not: the checked cast inside of the sets.
 *
 *     maze ROWS COLUMNS SEED >/dev/null; ppctl features maze.*.pprec
 *
 * -DREPAIRED writes the three characters at once, and nothing else changes.
 */
#include <pp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* A hexagon owns the three walls at its bottom; those at its top are its neighbours'. */
enum { SOUTH_WEST, SOUTH, SOUTH_EAST, WALLS };

/* What a set holds may be anything: its kind is looked at before it is taken for a cell. */
struct object {
	enum kind { CELL = 1 } kind;
	struct object *parent; /* in the set that it belongs to, or itself */
};

struct cell {
	struct object object;
	uint32_t rank;
	uint8_t walls;   /* bit by bit: is the wall there? */
	bool is_on_path; /* from the first to the last */
	int32_t from;    /* the cell that the search came from; -1: none yet */
};

struct maze {
	int rows, columns; /* columns are odd in number, so that both borders look the same */
	struct cell *cells;
	uint64_t random;
};

static uint32_t chance_below (struct maze *maze, uint32_t limit)
{
	maze->random ^= maze->random << 13;
	maze->random ^= maze->random >> 7;
	maze->random ^= maze->random << 17;
	return (uint32_t) ((maze->random >> 32) * limit >> 32);
}

/* ---- sets ------------------------------------------------------------------------------------ */

static struct cell *cast_to_cell (struct object *object)
{
	PP_FEATURE (maze.cast)
	if (object->kind != CELL) {
		fprintf (stderr, "maze: what is in a set is no cell but %d\n", (int) object->kind);
		abort ();
	}
	return (struct cell *) object;
}

static struct cell *set_of (struct object *object)
{
	while (object->parent != object) {
		/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): main gave each a parent */
		object->parent = object->parent->parent;
		object = object->parent;
	}
	return cast_to_cell (object);
}

/* False where they were one set already. */
static bool join (struct object *a, struct object *b)
{
	struct cell *first = set_of (a), *second = set_of (b), *swapped;

	if (first == second)
		return false;
	if (first->rank < second->rank) {
		swapped = first;
		first = second;
		second = swapped;
	}
	second->object.parent = &first->object;
	first->rank += first->rank == second->rank;
	return true;
}

/* ---- the maze -------------------------------------------------------------------------------- */

/* The cell beyond that wall; -1: the outside. Odd columns lie half a hexagon lower. */
static int beyond (const struct maze *maze, int at, int wall)
{
	int row = at / maze->columns, column = at % maze->columns;

	if (wall == SOUTH || column % 2 == 1)
		row++;
	column += wall - SOUTH;
	return row < maze->rows && column >= 0 && column < maze->columns
		       ? row * maze->columns + column
		       : -1;
}

/* Takes walls away in an order that chance chooses, as long as that joins what was apart. */
static void dig (struct maze *maze, int *order)
{
	int n = maze->rows * maze->columns * WALLS, swapped, other, chosen;

	for (int i = 0; i < n; i++)
		order[i] = i;
	for (int i = n - 1; i > 0; i--) {
		chosen = (int) chance_below (maze, (uint32_t) i + 1);
		swapped = order[i];
		order[i] = order[chosen];
		order[chosen] = swapped;
	}
	for (int i = 0; i < n; i++) {
		other = beyond (maze, order[i] / WALLS, order[i] % WALLS);
		if (other >= 0 &&
		    join (&maze->cells[order[i] / WALLS].object, &maze->cells[other].object))
			maze->cells[order[i] / WALLS].walls &= (uint8_t) ~(1u << order[i] % WALLS);
	}
}

/* The cell on the other side of one of six walls, where it may be entered; -1 else. */
static int open_neighbour (const struct maze *maze, int at, int side)
{
	int row = at / maze->columns, column = at % maze->columns, wall = side % WALLS, other;

	if (side < WALLS)
		return maze->cells[at].walls >> wall & 1 ? -1 : beyond (maze, at, wall);
	/* its top walls are the bottom walls of those above */
	if (wall == SOUTH || column % 2 == 0)
		row--;
	column += SOUTH - wall;
	if (row < 0 || column < 0 || column >= maze->columns)
		return -1;
	other = row * maze->columns + column;
	return maze->cells[other].walls >> wall & 1 ? -1 : other;
}

/* How many cells the way from the first to the last has; 0: there is none. */
static int solve (struct maze *maze, int *queue)
{
	int n = maze->rows * maze->columns, begin = 0, end = 0, length = 0, at, other;

	maze->cells[0].from = 0;
	queue[end++] = 0;
	while (begin < end) {
		at = queue[begin++];
		for (int side = 0; side < 2 * WALLS; side++) {
			other = open_neighbour (maze, at, side);
			if (other < 0 || maze->cells[other].from >= 0)
				continue;
			maze->cells[other].from = at;
			queue[end++] = other;
		}
	}
	if (maze->cells[n - 1].from < 0)
		return 0;
	for (at = n - 1;; at = maze->cells[at].from) {
		maze->cells[at].is_on_path = true;
		length++;
		if (at == 0)
			return length;
	}
}

/* ---- the drawing ----------------------------------------------------------------------------- */

static void draw_bottom (unsigned walls)
{
#ifdef REPAIRED
	const char bottom[] = {walls >> SOUTH_WEST & 1 ? '\\' : ' ', walls >> SOUTH & 1 ? '_' : ' ',
			       walls >> SOUTH_EAST & 1 ? '/' : ' '};

	fwrite (bottom, sizeof bottom, 1, stdout);
#else
	putc (walls >> SOUTH_WEST & 1 ? '\\' : ' ', stdout);
	putc (walls >> SOUTH & 1 ? '_' : ' ', stdout);
	putc (walls >> SOUTH_EAST & 1 ? '/' : ' ', stdout);
#endif
}

static void draw_inside (const struct maze *maze, int row, int column)
{
	bool is_on_path = row < maze->rows && maze->cells[row * maze->columns + column].is_on_path;

	putc (is_on_path ? '.' : ' ', stdout);
}

/* Each line has the bottoms of every second column, and the insides of those between. */
static void draw (const struct maze *maze)
{
	const unsigned all = (1u << WALLS) - 1;

	for (int column = 0; column < maze->columns; column += 2)
		fputs (" _  ", stdout);
	putc ('\n', stdout);
	for (int row = 0; row <= maze->rows; row++) {
		putc (row < maze->rows ? '/' : ' ', stdout);
		draw_inside (maze, row, 0);
		for (int column = 1; column < maze->columns; column += 2) {
			draw_bottom (
				row == 0 ? all
					 : maze->cells[(row - 1) * maze->columns + column].walls);
			draw_inside (maze, row, column + 1);
		}
		fputs (row < maze->rows ? "\\\n" : "\n", stdout);
		for (int column = 0; row < maze->rows && column < maze->columns; column++)
			if (column % 2 == 0)
				draw_bottom (maze->cells[row * maze->columns + column].walls);
			else
				draw_inside (maze, row, column);
		if (row < maze->rows)
			putc ('\n', stdout);
	}
}

int main (int argc, char **argv)
{
	struct maze maze = {.rows = argc > 1 ? atoi (argv[1]) : 300,
			    .columns = (argc > 2 ? atoi (argv[2]) : 301) | 1,
			    .random = argc > 3 ? strtoull (argv[3], NULL, 10) : 1};
	int n, length, *room;

	if (maze.rows < 1 || maze.rows > 10000 || maze.columns < 1 || maze.columns > 10000 ||
	    maze.random == 0) {
		fputs ("usage: maze ROWS COLUMNS SEED: 1 to 10,000 of both, and a SEED that is not "
		       "0\n",
		       stderr);
		return 2;
	}
	n = maze.rows * maze.columns;
	maze.cells = calloc ((size_t) n, sizeof *maze.cells);
	room = calloc ((size_t) n * WALLS, sizeof *room);
	if (maze.cells == NULL || room == NULL) {
		fputs ("maze: no memory\n", stderr);
		free (maze.cells);
		free (room);
		return 1;
	}
	for (int i = 0; i < n; i++)
		maze.cells[i] = (struct cell){
			.object = {CELL, &maze.cells[i].object}, .walls = 7, .from = -1};
	setvbuf (stdout, NULL, _IONBF, 0);
	dig (&maze, room);
	length = solve (&maze, room);
	draw (&maze);
	printf ("%d cells, the way through has %d\n", n, length);
	free (room);
	free (maze.cells);
	return length > 0 ? 0 : 1;
}
