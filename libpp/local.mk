# SPDX-License-Identifier: MIT
# libpp: the library that programs link, made of the rooms' convenience libraries; constructor, environment, fork.

lib_LTLIBRARIES += libpp/libpp.la
pkgconfig_DATA += libpp/pp.pc
EXTRA_DIST += libpp/libpp.map

# a function that is profiled may end by an exception
libpp_libpp_la_CFLAGS = $(PP_LIB_CFLAGS) -fexceptions -DPP_MODULE_DIR='"$(pkglibdir)"'
libpp_libpp_la_SOURCES = libpp/door.c libpp/door.h libpp/main.c libpp/needed.c libpp/needed.h libpp/parts.h libpp/profile.c libpp/profile.h libpp/profile_events.c libpp/profile_renderer.c libpp/profile_results.c libpp/recording.c libpp/thread.c libpp/thread.h
# calls among ourselves are bound here: the loader has fewer to look up, and a program that has a
# function of such a name does not get them
# current:revision:age; see CONTRIBUTING.md before changing it
libpp_libpp_la_LDFLAGS = $(PP_LDFLAGS) -version-info 0:0:0 -Wl,--version-script=$(top_srcdir)/libpp/libpp.map -Wl,-z,now -Wl,-z,nodelete -Wl,-Bsymbolic-functions
# a symbol that no room defines is found here, not by users; sanitizers' runtimes come with the program
if !SANITIZE
libpp_libpp_la_LDFLAGS += -Wl,-z,defs
endif
libpp_libpp_la_LIBADD = assertions/libassertions.la profiler/libsampler.la profiler/libevents.la report/libreport.la stdmetrics/libstdmetrics.la libmetrics/libmetrics.la $(YAML_LIBS)
libpp_libpp_la_DEPENDENCIES = $(top_srcdir)/libpp/libpp.map \
	assertions/libassertions.la profiler/libsampler.la profiler/libevents.la report/libreport.la stdmetrics/libstdmetrics.la libmetrics/libmetrics.la
