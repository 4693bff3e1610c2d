# SPDX-License-Identifier: MIT
# report: a recording as typed tables, and what prints them. A section is a file here and a line in sections.h.

noinst_LTLIBRARIES += report/libreport.la
report_libreport_la_CFLAGS = $(PP_LIB_CFLAGS)
report_libreport_la_SOURCES = \
	report/adaptations.c \
	report/assertions.c \
	report/captures.c \
	report/drops.c \
	report/history.c \
	report/figures.c \
	report/groups.c \
	report/head.c \
	report/knobs.c \
	report/metrics.c \
	report/model.c \
	report/model.h \
	report/names.c \
	report/overhead.c \
	report/pending.c \
	report/pp_report.c \
	report/read.c \
	report/read.h \
	report/render.h \
	report/render_text.c \
	report/screen.c \
	report/screen.h \
	report/screen_measured.c \
	report/screen_notes.c \
	report/sections.h \
	report/shell_word.c \
	report/shell_word.h \
	report/sites.c \
	report/verdict.c
# only ppctl prints JSON: libpp needs no library for it
EXTRA_DIST += report/render_json.c
dist_schema_DATA = report/features.schema.json report/report.schema.json
