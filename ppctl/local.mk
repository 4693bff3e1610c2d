# SPDX-License-Identifier: MIT
# ppctl: reports on recordings, lists the sites of binaries, checks policies.

# What reads recordings; nothing in it needs the runtime.
bin_PROGRAMS += ppctl/ppctl
ppctl_ppctl_CPPFLAGS =
ppctl_ppctl_CFLAGS = $(PP_CFLAGS) $(YAML_CFLAGS)
ppctl_ppctl_LDFLAGS = $(PP_LDFLAGS)
ppctl_ppctl_LDADD = report/libreport.la profiler/libanalysis.la
ppctl_ppctl_SOURCES = assertions/language/offline_events.c assertions/language/offline_events.h assertions/language/offline_file.c assertions/language/ppctl.c assertions/language/ppctl.h assertions/language/rules_features.c assertions/language/rules_features.h assertions/language/rules_file.c ppctl/control.c ppctl/door.c ppctl/door.h ppctl/dump.c ppctl/features.c ppctl/features_read.c ppctl/features_read.h ppctl/features_rows.c ppctl/features_rows.h ppctl/flight.c ppctl/history.c ppctl/look.c ppctl/main.c ppctl/merge.c ppctl/options.c ppctl/output.c ppctl/plugins.c ppctl/plugins.h ppctl/policies.c ppctl/ppctl.h ppctl/profile.c ppctl/profile_view.c ppctl/profile_view.h ppctl/ps.c ppctl/query.c ppctl/report.c ppctl/report.h ppctl/sample.c ppctl/sections.c ppctl/sections.h ppctl/sources.c ppctl/sql.c ppctl/statistics.c ppctl/suggest.c ppctl/suggest.h ppctl/suggest_text.c ppctl/suggest_text.h ppctl/suggest_write.c ppctl/unseen.c ppctl/unseen.h ppctl/verbs.h ppctl/where.c ppctl/who.c recording/pprec.c
if HAVE_JANSSON
ppctl_ppctl_CFLAGS += $(JANSSON_CFLAGS)
ppctl_ppctl_SOURCES += report/render_json.c
endif
if HAVE_SQLITE
ppctl_ppctl_CFLAGS += $(SQLITE_CFLAGS)
ppctl_ppctl_SOURCES += profiler/analysis/sql.c profiler/analysis/sql_print.c profiler/analysis/sql_records.c profiler/analysis/sql_tables.c
ppctl_ppctl_LDADD += $(SQLITE_LIBS)
endif
# what reads ELF files, or begins programs of which it reads them
if HAVE_LIBELF
ppctl_ppctl_CPPFLAGS += -DPP_LIB_DIR='"$(libdir)"'
ppctl_ppctl_CFLAGS += $(LIBELF_CFLAGS)
ppctl_ppctl_SOURCES += assertions/engine/trial.c assertions/engine/trial.h assertions/engine/trial_int.h assertions/engine/trial_names.c assertions/engine/trial_values.c recording/replay.c recording/replay.h ppctl/check.c ppctl/elf_file.c ppctl/elf_file.h ppctl/elf_names.c ppctl/elf_read.c ppctl/elf_read.h ppctl/calls.c ppctl/calls.h ppctl/preload.c ppctl/preload.h ppctl/rules.c ppctl/run.c ppctl/sites.c ppctl/test.c
ppctl_ppctl_LDADD += $(LIBELF_LIBS)
endif
ppctl_ppctl_LDADD += assertions/libassertions.la $(YAML_LIBS) stdmetrics/libstdmetrics.la libmetrics/libmetrics.la
if HAVE_JANSSON
ppctl_ppctl_LDADD += $(JANSSON_LIBS)
endif
