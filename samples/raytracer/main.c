/* SPDX-License-Identifier: MIT */
/*
 * main.c: a short film of a knot, by a ray tracer that minds how long its frames take.
 *
 * The program itself never lowers its quality. It says where its frames and pixels are (render.c,
 * pixel.c), that "antialias" may be turned (below) and what it can report (story.c); policy.yaml
 * beside it says the rest.
 *
 *     PP_POLICY=policy.yaml ./raytracer --frames 20 --out film
 */
#include "render.h"
#include "story.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <pp.h>

/* samples per pixel: at least this many, at most its square */
PP_KNOB_INT (antialias, 4, 1, ANTIALIAS_MOST, 1)

/* 0: what is mirrored is not followed, surfaces keep their own colour */
PP_KNOB_INT (reflections, 1, 0, 1, 1)

#define MOST_FRAMES 10000
#define MOST_PIXELS 16384 /* along one edge */
#define MOST_THREADS 256

/* On the sheet a frame is so many times smaller, and so far from the next. */
#define SHEET_PART 2
#define SHEET_GAP 4

/* What --probe's first frame may cost before it counts as too slow. */
#define PROBE_HEADROOM 1.6

struct options {
	int frames, width, height, threads;
	const char *out, *sheet;
	int quiet, probe;
};

static const char usage[] =
	"Usage: raytracer [OPTION]...\n"
	"Draws a short film as PNG files and tells how long its frames took.\n"
	"\n"
	"  -n, --frames=N      this many frames (default 20)\n"
	"  -s, --size=WxH      of a frame in pixels (default 320x240)\n"
	"  -t, --threads=N     threads that draw (default: the machine's processors)\n"
	"  -o, --out=DIR       where frame-000.png ... go, made if it isn't there (default: film)\n"
	"      --sheet=FILE    all frames, small, in one picture\n"
	"  -q, --quiet         say nothing while drawing, only the summary\n"
	"      --probe         draw only the first frame, twice, write nothing, and print which "
	"limit\n"
	"                      of frame time suits this machine; run it without a policy\n"
	"  -h, --help          this text\n"
	"\n"
	"Measured and steered by a policy: PP_POLICY=policy.yaml raytracer\n";

/* A whole number from LOW to HIGH, or an error that names OPTION: 0 or -1. */
static int parse_number (const char *option, const char *text, long low, long high, int *out)
{
	char *end;
	long number;

	errno = 0;
	number = strtol (text, &end, 10);
	if (errno || end == text || *end || number < low || number > high) {
		fprintf (stderr, "raytracer: %s: expected a number from %ld to %ld, not \"%s\"\n",
			 option, low, high, text);
		return -1;
	}
	*out = (int) number;
	return 0;
}

static int parse_size (const char *text, struct options *options)
{
	int used = 0;

	if (sscanf (text, "%dx%d%n", &options->width, &options->height, &used) == 2 &&
	    text[used] == '\0' && options->width >= 1 && options->height >= 1 &&
	    options->width <= MOST_PIXELS && options->height <= MOST_PIXELS)
		return 0;
	fprintf (stderr,
		 "raytracer: --size: expected something like 320x240, at most %dx%d, not \"%s\"\n",
		 MOST_PIXELS, MOST_PIXELS, text);
	return -1;
}

/* 0: go on; 1: all is said, end well; -1: the error is printed. */
static int parse_options (int argc, char **argv, struct options *options)
{
	static const struct option known[] = {
		{"frames", required_argument, NULL, 'n'},
		{"size", required_argument, NULL, 's'},
		{"threads", required_argument, NULL, 't'},
		{"out", required_argument, NULL, 'o'},
		{"quiet", no_argument, NULL, 'q'},
		{"probe", no_argument, NULL, 'p'},
		{"sheet", required_argument, NULL, 'S'},
		{"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0},
	};
	int option, bad = 0;

	while (!bad && (option = getopt_long (argc, argv, "n:s:t:o:qh", known, NULL)) != -1) {
		switch (option) {
		case 'n':
			bad = parse_number ("--frames", optarg, 1, MOST_FRAMES, &options->frames);
			break;
		case 's':
			bad = parse_size (optarg, options);
			break;
		case 't':
			bad = parse_number ("--threads", optarg, 1, MOST_THREADS,
					    &options->threads);
			break;
		case 'o':
			options->out = optarg;
			break;
		case 'S':
			options->sheet = optarg;
			break;
		case 'q':
			options->quiet = 1;
			break;
		case 'p':
			options->probe = 1;
			break;
		case 'h':
			fputs (usage, stdout);
			return 1;
		default: /* getopt_long has said what is wrong */
			bad = -1;
		}
	}
	if (!bad && optind < argc) {
		fprintf (stderr, "raytracer: \"%s\" is no option\n", argv[optind]);
		bad = -1;
	}
	if (bad)
		fprintf (stderr, "Try raytracer --help.\n");
	return bad;
}

static double draw (struct pool *pool, struct scene *scene, struct image *image, int number,
		    int antialias)
{
	struct frame frame = {.scene = scene,
			      .image = image,
			      .number = (uint32_t) number,
			      .antialias = antialias};
	double start = story_seconds_now ();

	render_frame (pool, &frame);
	return story_seconds_now () - start;
}

static int draw_probe (struct pool *pool, struct scene *scene, struct image *image)
{
	int antialias = (int) pp_knob_int (antialias);
	double first = draw (pool, scene, image, 0, antialias),
	       second = draw (pool, scene, image, 0, antialias);
	/* the first one also pays for cold caches and page faults */
	double seconds = second < first ? second : first;

	printf ("probe seconds %.4f antialias %d\n", seconds, antialias);
	printf ("limit_ms %.0f\n", seconds * PROBE_HEADROOM * 1e3 + 1.0);
	return 0;
}

static int save_frame (const struct options *options, const struct image *image, int number)
{
	char path[4096], problem[256];
	int length = snprintf (path, sizeof path, "%s/frame-%03d.png", options->out, number);

	if (length < 0 || (size_t) length >= sizeof path) {
		fprintf (stderr, "raytracer: --out: the name is too long\n");
		return -1;
	}
	if (image_write_png (image, path, problem, sizeof problem)) {
		fprintf (stderr, "raytracer: cannot write %s: %s\n", path, problem);
		return -1;
	}
	return 0;
}

/* A sheet for all frames, as many in a row as there are rows, or one more; black. */
static struct image *create_sheet (const struct options *options)
{
	int columns = 1, width = options->width / SHEET_PART, height = options->height / SHEET_PART;

	if (!options->sheet)
		return NULL;
	while (columns * columns < options->frames)
		columns++;
	return image_create (columns * (width + SHEET_GAP) + SHEET_GAP,
			     ((options->frames + columns - 1) / columns) * (height + SHEET_GAP) +
				     SHEET_GAP);
}

/* Frame NUMBER into its place. */
static void put_on_sheet (struct image *sheet, const struct image *image, int number)
{
	int width = image->width / SHEET_PART, height = image->height / SHEET_PART;
	int columns = (sheet->width - SHEET_GAP) / (width + SHEET_GAP);

	image_shrink (image, SHEET_PART, sheet, SHEET_GAP + number % columns * (width + SHEET_GAP),
		      SHEET_GAP + number / columns * (height + SHEET_GAP));
}

static int save_sheet (const struct options *options, const struct image *sheet)
{
	char problem[256];

	if (!image_write_png (sheet, options->sheet, problem, sizeof problem))
		return 0;
	fprintf (stderr, "raytracer: cannot write %s: %s\n", options->sheet, problem);
	return -1;
}

static int draw_film (const struct options *options, struct pool *pool, struct scene *scene,
		      struct image *image)
{
	struct frame_record *records = calloc ((size_t) options->frames, sizeof *records);
	struct image *sheet = create_sheet (options);
	double start = story_seconds_now ();
	int number, result = 0;

	if (!records || (options->sheet && !sheet)) {
		fprintf (stderr, "raytracer: out of memory\n");
		free (records);
		image_destroy (sheet);
		return -1;
	}
	for (number = 0; number < options->frames && !result; number++) {
		struct frame_record *record = &records[number];
		long slow_before = story_slow_pixels (), slow_after;

		scene_animate (scene, options->frames > 1
					      ? (float) number / (float) (options->frames - 1)
					      : 0.0f);
		scene->depth_limit = pp_knob_int (reflections) ? SCENE_DEPTH : 1;
		/* once per frame: a frame is of one quality */
		record->antialias = (int) pp_knob_int (antialias);
		record->seconds = draw (pool, scene, image, number, record->antialias);
		/*
		 * saving is no part of the frame's time, and gives the policy's actions time to
		 * arrive
		 */
		result = save_frame (options, image, number);
		if (sheet)
			put_on_sheet (sheet, image, number);
		slow_after = story_slow_pixels ();
		record->slow_pixels =
			slow_after < 0 ? -1 : slow_after - (slow_before < 0 ? 0 : slow_before);
		if (!options->quiet)
			fprintf (stderr, "drew frame %d of %d: antialias %d, %.3f s, at %.3f s\n",
				 number, options->frames, record->antialias, record->seconds,
				 story_seconds_now () - start);
	}
	if (sheet && !result)
		result = save_sheet (options, sheet);
	if (!result)
		story_print (records, number);
	free (records);
	image_destroy (sheet);
	return result;
}

static int make_directory (const char *path)
{
	struct stat status;

	if (mkdir (path, 0777) == 0)
		return 0;
	if (errno == EEXIST && stat (path, &status) == 0) {
		if (S_ISDIR (status.st_mode))
			return 0;
		errno = ENOTDIR;
	}
	fprintf (stderr, "raytracer: --out: cannot make the directory %s: %s\n", path,
		 strerror (errno));
	return -1;
}

int main (int argc, char **argv)
{
	long processors = sysconf (_SC_NPROCESSORS_ONLN);
	struct options options = {.frames = 20, .width = 320, .height = 240, .out = "film"};
	struct scene *scene;
	struct image *image;
	struct pool *pool = NULL;
	int result;

	options.threads = processors < 1              ? 1
			  : processors > MOST_THREADS ? MOST_THREADS
						      : (int) processors;
	result = parse_options (argc, argv, &options);
	if (result)
		return result > 0 ? EXIT_SUCCESS : 2;
	story_set_quiet (options.quiet);
	if (!options.probe && make_directory (options.out))
		return EXIT_FAILURE;
	scene = scene_create ();
	image = image_create (options.width, options.height);
	if (!scene || !image)
		fprintf (stderr, "raytracer: no memory for a picture of %dx%d\n", options.width,
			 options.height);
	else if (!(pool = pool_create (options.threads)))
		fprintf (stderr, "raytracer: cannot start %d threads: %s\n", options.threads,
			 strerror (errno));
	result = -1;
	if (pool)
		result = options.probe ? draw_probe (pool, scene, image)
				       : draw_film (&options, pool, scene, image);
	pool_destroy (pool);
	image_destroy (image);
	scene_destroy (scene);
	if (fflush (stdout) || ferror (stdout)) {
		fprintf (stderr, "raytracer: cannot write the summary: %s\n", strerror (errno));
		result = -1;
	}
	return result ? EXIT_FAILURE : EXIT_SUCCESS;
}
