# SPDX-License-Identifier: MIT
# tests/fuzz: what reads bytes that anybody may have written, with inputs that nobody would write. README.md says how.
#
# A target is linked with libreplay, whose main needs gcc alone; `make fuzz` builds it once more, by clang in build-fuzz. There FUZZ_ENGINE is
# -fsanitize=fuzzer: what libFuzzer has is not taken from libreplay.

PP_FUZZ = tests/fuzz/policy tests/fuzz/expression tests/fuzz/query tests/fuzz/mailbox tests/fuzz/blocks tests/fuzz/finisher
FUZZ_ENGINE =
FUZZ_SECONDS = 120

check_LTLIBRARIES += tests/fuzz/libmutate.la tests/fuzz/libreplay.la tests/fuzz/libppctl.la
tests_fuzz_libmutate_la_SOURCES = tests/fuzz/mutate.c tests/fuzz/input.c tests/fuzz/input.h tests/fuzz/fuzz.h
tests_fuzz_libreplay_la_SOURCES = tests/fuzz/replay.c
tests_fuzz_libreplay_la_LIBADD = tests/fuzz/libmutate.la
# ppctl without its main
tests_fuzz_libppctl_la_CPPFLAGS = $(ppctl_ppctl_CPPFLAGS)
tests_fuzz_libppctl_la_CFLAGS = $(ppctl_ppctl_CFLAGS) -Dmain=ppctl_main -Wno-missing-prototypes
tests_fuzz_libppctl_la_SOURCES = $(ppctl_ppctl_SOURCES) tests/fuzz/file.c
FUZZ_LIBS = tests/fuzz/libreplay.la tests/fuzz/libppctl.la $(ppctl_ppctl_LDADD) $(YAML_LIBS)

tests_fuzz_policy_SOURCES = tests/fuzz/policy.c
tests_fuzz_policy_LDFLAGS = $(PP_LDFLAGS) $(FUZZ_ENGINE)
tests_fuzz_policy_LDADD = $(FUZZ_LIBS)
tests_fuzz_expression_SOURCES = tests/fuzz/expression.c
tests_fuzz_expression_LDFLAGS = $(PP_LDFLAGS) $(FUZZ_ENGINE)
tests_fuzz_expression_LDADD = $(FUZZ_LIBS)
tests_fuzz_query_SOURCES = tests/fuzz/query.c
tests_fuzz_query_LDFLAGS = $(PP_LDFLAGS) $(FUZZ_ENGINE)
tests_fuzz_query_LDADD = $(FUZZ_LIBS)
# a program that measures itself, in the whole library
tests_fuzz_mailbox_SOURCES = tests/fuzz/mailbox.c
tests_fuzz_mailbox_LDFLAGS = $(PP_LDFLAGS) $(FUZZ_ENGINE)
tests_fuzz_mailbox_LDADD = tests/fuzz/libreplay.la libpp/libpp.la
# readers alone, which have time for many more inputs
tests_fuzz_blocks_SOURCES = tests/fuzz/blocks.c tests/fuzz/mutate_recording.c
tests_fuzz_blocks_LDFLAGS = $(PP_LDFLAGS) $(FUZZ_ENGINE)
tests_fuzz_blocks_LDADD = $(FUZZ_LIBS)
tests_fuzz_finisher_SOURCES = tests/fuzz/finisher.c tests/fuzz/mutate_recording.c tests/unit/sample_region.c
tests_fuzz_finisher_LDFLAGS = $(PP_LDFLAGS) $(FUZZ_ENGINE)
tests_fuzz_finisher_LDADD = $(FUZZ_LIBS)
if HAVE_JANSSON
PP_FUZZ += tests/fuzz/recording
endif
tests_fuzz_recording_SOURCES = tests/fuzz/recording.c tests/fuzz/mutate_recording.c
tests_fuzz_recording_LDFLAGS = $(PP_LDFLAGS) $(FUZZ_ENGINE)
tests_fuzz_recording_LDADD = $(FUZZ_LIBS)
if HAVE_LIBELF
tests_fuzz_recording_CPPFLAGS = -DFUZZ_TEST
PP_FUZZ += tests/fuzz/elf
endif
tests_fuzz_elf_SOURCES = tests/fuzz/elf.c
tests_fuzz_elf_LDFLAGS = $(PP_LDFLAGS) $(FUZZ_ENGINE)
tests_fuzz_elf_LDADD = $(FUZZ_LIBS)
if HAVE_JANSSON
tests_fuzz_elf_CPPFLAGS = -DFUZZ_JSON
endif
EXTRA_PROGRAMS += tests/fuzz/recording tests/fuzz/elf

# targets that are programs of their own, and what makes the first inputs of those that read binaries
PP_FUZZ_DRIVEN = tests/fuzz/drive
tests_fuzz_drive_SOURCES = tests/fuzz/drive.c
tests_fuzz_drive_LDADD = tests/fuzz/libmutate.la
if HAVE_GCC_PLUGIN
PP_FUZZ_DRIVEN += tests/fuzz/environment tests/fuzz/seeds
endif
EXTRA_PROGRAMS += tests/fuzz/environment tests/fuzz/seeds
tests_fuzz_environment_SOURCES = tests/fuzz/environment.c
tests_fuzz_environment_CFLAGS = $(PP_SYSTEM_CFLAGS)
tests_fuzz_environment_LDADD = $(PP_SYSTEM_LIBS)
$(tests_fuzz_environment_OBJECTS): $(PPGCC_SO)
tests_fuzz_seeds_SOURCES = tests/fuzz/seeds.c
tests_fuzz_seeds_CFLAGS = $(PP_SYSTEM_CFLAGS)
tests_fuzz_seeds_LDADD = $(PP_SYSTEM_LIBS)
$(tests_fuzz_seeds_OBJECTS): $(PPGCC_SO)

check_PROGRAMS += $(PP_FUZZ) $(PP_FUZZ_DRIVEN)
TESTS += tests/fuzz/fuzz.sh
EXTRA_DIST += tests/fuzz/README.md tests/fuzz/fuzz.sh tests/fuzz/instrument.sh tests/fuzz/corpus

# clang's build of the targets, below this one; it is configured once
.PHONY: fuzz check-fuzz fuzz-programs
FUZZ_BUILD = dir=$(abs_top_builddir)/build-fuzz && mkdir -p $$dir && cd $$dir && \
	{ test -f config.status || CONFIG_SHELL='$(SHELL)' $(abs_top_srcdir)/configure -q CC='$(CLANG)' CXX='$(CLANG)++' --disable-werror --disable-static --disable-plugin \
		--without-gcc --enable-sanitizer=address,undefined CFLAGS='-O1 -g1 -fsanitize=fuzzer-no-link' CCASFLAGS=-fno-integrated-as; } && \
	$(MAKE) $(AM_MAKEFLAGS) -j`nproc` $(PP_FUZZ) FUZZ_ENGINE=-fsanitize=fuzzer \
		libmetrics_libhot_la_CFLAGS='$$(PP_LIB_CFLAGS)' >$(abs_top_builddir)/build-fuzz.log 2>&1
fuzz-programs: $(PP_FUZZ) $(PP_FUZZ_DRIVEN)
fuzz check-fuzz: fuzz-programs
fuzz:
	+$(AM_V_at)test -z '$(CLANG)' || { $(FUZZ_BUILD); } || exit 1; $(AM_TESTS_ENVIRONMENT) \
		FUZZ_SECONDS='$(FUZZ_SECONDS)' FUZZ_SEED="$${FUZZ_SEED:-$$(date +%s)}" FUZZ_BUILD='$(if $(CLANG),$(abs_top_builddir)/build-fuzz)' bash $(abs_top_srcdir)/tests/fuzz/fuzz.sh
check-fuzz:
	+$(AM_V_at)FUZZ_SEED=1 $(MAKE) $(AM_MAKEFLAGS) --no-print-directory fuzz FUZZ_SECONDS=5
