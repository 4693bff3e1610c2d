/* SPDX-License-Identifier: MIT */
/*
 * profile_view.h: what ppctl profile and ppctl sample share: how a profile is to be shown, as the
 * command line says it, and showing it.
 */
#ifndef PPCTL_PROFILE_VIEW_H
#define PPCTL_PROFILE_VIEW_H

#include "profiler/analysis/read.h"
#include "profiler/analysis/render.h"
#include "recording/read.h"

#define PPCTL_PROFILE_HELP                                                                         \
	"  --format FORMAT       text, chicken, json, dot, collapsed, speedscope or pprof\n"       \
	"  --order ORDER         of the text: topological (callers first), self or total\n"        \
	"  --hide-self PERCENT   of the text and dot: hide what has less time of its own,\n"       \
	"                        1 unless said, where ...\n"                                       \
	"  --hide-subs PERCENT   ... it is also less of each of its callers and callees,\n"        \
	"                        2 unless said\n"                                                  \
	"  --truncate-source N   of the text: columns of a name with its source; unless\n"         \
	"                        said what the terminal (COLUMNS) has room for, 50 of\n"           \
	"                        80; 0: all\n"                                                     \
	"  -o, --output FILE     writes there instead of standard output; never over a\n"          \
	"                        recording, or what is read\n"

#define PPCTL_PROFILE_OPTIONS(view)                                                                \
	{"format", PPCTL_TEXT, &(view).format, 0}, {"order", PPCTL_TEXT, &(view).order, 0},        \
		{"hide-self", PPCTL_TEXT, &(view).hide_self, 0},                                   \
		{"hide-subs", PPCTL_TEXT, &(view).hide_subs, 0},                                   \
		{"truncate-source", PPCTL_TEXT, &(view).truncate, 0},                              \
	{                                                                                          \
		"output", PPCTL_TEXT, &(view).output, 'o'                                          \
	}

struct ppctl_profile_format {
	const char *name;
	bool (*graph) (const struct ppi_profile *profile, const struct ppi_render_options *options,
		       FILE *out);
	bool (*stacks) (const struct ppi_samples *samples, FILE *out);
};

struct ppctl_profile_view {
	const char *verb; /* of ppctl, that messages begin with */
	const char *rate; /* of sample */
	struct ppi_samples_span span;
	const char *path, *format, *by, *order, *hide_self, *hide_subs, *truncate, *output;
	/* what ppctl_profile_understand makes of these */
	const struct ppctl_profile_format *shown;
	enum ppi_by what;
	struct ppi_render_options render;
};

#define PPCTL_PROFILE_VIEW(of_verb)                                                                \
	{                                                                                          \
		.verb = (of_verb), .format = "text", .order = "topological",                       \
		.span = PPI_SAMPLES_ALL, .render = PPI_RENDER_DEFAULTS                             \
	}

/* OK, or what is wrong was told. */
int ppctl_profile_understand (struct ppctl_profile_view *view);
int ppctl_profile_no_memory (const struct ppctl_profile_view *view);

/*
 * Reads the profile of VIEW->path's RECORDING, which may be one without a sample. OUT is freed by
 * ppi_profile_clear, whatever it says.
 */
int ppctl_profile_analyse (const struct ppctl_profile_view *view,
			   const struct ppi_recording *recording, struct ppi_profile *out);
/* Shows PROFILE, in a format that needs no stacks. */
int ppctl_profile_show (const struct ppctl_profile_view *view, const struct ppi_profile *profile);
/* Shows the profile of VIEW->path's RECORDING, in any format. */
int ppctl_profile_show_recording (const struct ppctl_profile_view *view,
				  const struct ppi_recording *recording);

#endif
