# SPDX-License-Identifier: MIT
# assertions: policies, expressions, the engine that checks and acts.

noinst_LTLIBRARIES += assertions/libassertions.la
assertions_libassertions_la_CFLAGS = $(PP_LIB_CFLAGS) $(YAML_CFLAGS)
assertions_libassertions_la_SOURCES =
