# SPDX-License-Identifier: MIT
# include: what users' programs see.

include_HEADERS += include/pp.h include/pp_abi.h include/pp_abi_words.h include/pp_analysis.h include/pp_event.h include/pp_knob.h include/pp_metric.h include/pp_policy.h include/pp_pragmas.h include/pp_profile.h include/pp_records.h \
	include/pp_report.h include/pp_site.h include/pp_types.h

# Fortran's module: the source, for every compiler, and what gfortran makes of it.
include_HEADERS += include/pp.f90
if HAVE_GFORTRAN
nodist_include_HEADERS = include/pp.mod
CLEANFILES += include/pp.mod
include/pp.mod: include/pp.f90
	$(AM_V_GEN)$(MKDIR_P) include && $(GFORTRAN) -fsyntax-only -J include $<
endif
