# SPDX-License-Identifier: MIT
# ppctl: reports on recordings, lists the sites of binaries, checks policies.

# What reads recordings; nothing in it needs the runtime.
noinst_LTLIBRARIES += libmetrics/libreader.la
libmetrics_libreader_la_CPPFLAGS = $(PP_METRICS_CPPFLAGS)
libmetrics_libreader_la_CFLAGS = $(PP_CFLAGS)
libmetrics_libreader_la_SOURCES = libmetrics/recording_read.h libmetrics/recording_read.c libmetrics/recording_finish.h libmetrics/recording_finish.c \
	libmetrics/process.h libmetrics/process.c libmetrics/recording_check.h libmetrics/recording_check.c libmetrics/recording_file.h libmetrics/recording_file.c \
	libmetrics/contrast.h libmetrics/contrast.c libmetrics/report.h libmetrics/report_common.c \
	libmetrics/summary.h libmetrics/summary.c libmetrics/buckets.h libmetrics/buckets.c libmetrics/histogram.h libmetrics/accumulate_int.h libmetrics/accumulate_double.h libmetrics/twin.h libmetrics/types.c

bin_PROGRAMS += ppctl/ppctl
ppctl_ppctl_CPPFLAGS = $(PP_METRICS_CPPFLAGS)
ppctl_ppctl_CFLAGS = $(PP_CFLAGS)
ppctl_ppctl_LDFLAGS = $(PP_LDFLAGS)
ppctl_ppctl_LDADD = report/libreport.la libmetrics/libreader.la
ppctl_ppctl_SOURCES = ppctl/main.c ppctl/ppctl.h ppctl/report.c ppctl/reload.c ppctl/sources.c ppctl/statistics.c ppctl/suggest.c ppctl/suggest.h ppctl/suggest_write.c
if HAVE_JANSSON
ppctl_ppctl_CFLAGS += $(JANSSON_CFLAGS)
ppctl_ppctl_SOURCES += report/render_json.c
endif
# sites and check read ELF files; check also needs the policy's reader and checker
if HAVE_LIBELF
ppctl_ppctl_CPPFLAGS += -DPPCTL_CHECK
ppctl_ppctl_CFLAGS += $(LIBELF_CFLAGS) $(YAML_CFLAGS)
ppctl_ppctl_SOURCES += ppctl/check.c ppctl/elf_names.c ppctl/elf_read.c ppctl/elf_read.h assertions/language/ppctl.c assertions/language/ppctl.h assertions/language/rules_file.c ppctl/rules.c ppctl/sites.c ppctl/sites.h
ppctl_ppctl_LDADD += assertions/libassertions.la $(LIBELF_LIBS) $(YAML_LIBS)
if HAVE_JANSSON
ppctl_ppctl_SOURCES += ppctl/sites_json.c
endif
endif
ppctl_ppctl_LDADD += stdmetrics/libstdmetrics.la libmetrics/libmetrics.la
if HAVE_JANSSON
ppctl_ppctl_LDADD += $(JANSSON_LIBS)
endif
