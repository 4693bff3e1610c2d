/* SPDX-License-Identifier: MIT */
/*
 * story.h: what the program tells about its own performance, while it runs and at its end.
 */
#ifndef RAYTRACER_STORY_H
#define RAYTRACER_STORY_H

/* What is remembered of a frame. */
struct frame_record {
	double seconds; /* by the program's own clock */
	int antialias;  /* the knob's value that it was drawn with */
	/* violations of the assertion slow_pixel during it; -1: no such assertion is loaded */
	long slow_pixels;
};

/* Whether report_render_state prints; it does until told otherwise. */
void story_set_quiet (int quiet);

/* Violations of slow_pixel so far, or -1 where no loaded policy has it. */
long story_slow_pixels (void);

/* Seconds since some moment in the past. */
double story_seconds_now (void);

/*
 * Prints the story on stdout, one fact per line: "frame 3 seconds 0.412 antialias 2 slow_pixels
 * 1234" for each of COUNT frames (the last two words only where slow_pixel is loaded), then the
 * metrics' and the assertions' figures as far as a policy has brought them.
 */
void story_print (const struct frame_record *frames, int count);

#endif
