# SPDX-License-Identifier: MIT
# tests/system: whole programs under policies, in processes of their own.

# ppctl, which needs libelf for half of it
if HAVE_LIBELF
if HAVE_GCC_PLUGIN
TESTS += tests/system/kill.sh tests/system/ppctl.sh
endif
endif
EXTRA_DIST += tests/system/kill.sh tests/system/ppctl.sh tests/system/ppctl/endless.c tests/system/ppctl/shop.c \
	tests/system/ppctl/shop.yaml tests/system/ppctl/wrong.yaml
check_PROGRAMS += tests/system/make_recording
tests_system_make_recording_SOURCES = tests/system/make_recording.c tests/unit/sample_region.c tests/unit/sample_region.h
