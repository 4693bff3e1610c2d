# SPDX-License-Identifier: MIT
# gcc-plugin: ppgcc.so, once for each compiler that configure found; compilers.mk has the rules.

ppgcc_sources = \
	gcc-plugin/addresses.h \
	gcc-plugin/asm.cc \
	gcc-plugin/asm-aarch64.cc \
	gcc-plugin/asm-none.cc \
	gcc-plugin/asm-x86.cc \
	gcc-plugin/attributes.cc \
	gcc-plugin/barrier.cc \
	gcc-plugin/calls.cc \
	gcc-plugin/cold.cc \
	gcc-plugin/computed.cc \
	gcc-plugin/coverage.cc \
	gcc-plugin/diag.cc \
	gcc-plugin/direct.cc \
	gcc-plugin/emit.cc \
	gcc-plugin/emit.h \
	gcc-plugin/estimate.cc \
	gcc-plugin/expectation.cc \
	gcc-plugin/expr.cc \
	gcc-plugin/fast.cc \
	gcc-plugin/fence.cc \
	gcc-plugin/final.cc \
	gcc-plugin/fortran.cc \
	gcc-plugin/front-c.cc \
	gcc-plugin/front-cxx.cc \
	gcc-plugin/functions.h \
	gcc-plugin/functions-cxx.cc \
	gcc-plugin/gcc-compat.h \
	gcc-plugin/hints.cc \
	gcc-plugin/image.cc \
	gcc-plugin/instrument-file.cc \
	gcc-plugin/instrument.cc \
	gcc-plugin/letters.cc \
	gcc-plugin/lexer.cc \
	gcc-plugin/live.cc \
	gcc-plugin/loops.cc \
	gcc-plugin/marker.cc \
	gcc-plugin/metric.cc \
	gcc-plugin/module.cc \
	gcc-plugin/moved.cc \
	gcc-plugin/names.cc \
	gcc-plugin/outcome.cc \
	gcc-plugin/patterns.cc \
	gcc-plugin/plugin.cc \
	gcc-plugin/positions.cc \
	gcc-plugin/ppgcc.h \
	gcc-plugin/prices.cc \
	gcc-plugin/pragma-expect.cc \
	gcc-plugin/pragma-inline.cc \
	gcc-plugin/pragma-sample.cc \
	gcc-plugin/pragma-site.cc \
	gcc-plugin/pragma.cc \
	gcc-plugin/record.cc \
	gcc-plugin/regions.cc \
	gcc-plugin/reorder.cc \
	gcc-plugin/report.cc \
	gcc-plugin/scopes.cc \
	gcc-plugin/site.cc \
	gcc-plugin/source.cc \
	gcc-plugin/strips.cc \
	gcc-plugin/truth.h \
	gcc-plugin/values.cc \
	gcc-plugin/weight.cc \
	gcc-plugin/words.cc \
	gcc-plugin/wrap.cc

# Only what ppgcc.map names is visible: cc1 shares its symbol space with every plugin.
PPGCC_CPPFLAGS = -I$(top_srcdir)/include $(YAML_CFLAGS)
PPGCC_CXXFLAGS = -std=gnu++17 -fPIC -fvisibility=hidden -fno-rtti -fno-exceptions $(PP_CXX_WARNINGS)
# Of libstdc++ only what is needed becomes part of the plugin: relocating the whole would be most of what loading costs every compilation.
PPGCC_LIBS = $(YAML_LIBS) -static-libstdc++ -static-libgcc
EXTRA_DIST += $(ppgcc_sources) gcc-plugin/shim.c gcc-plugin/compilers.mk gcc-plugin/ppgcc.map

if HAVE_GCC_PLUGIN
all-local: ppgcc
install-exec-local: install-ppgcc
uninstall-local: uninstall-ppgcc
mostlyclean-local: clean-ppgcc
-include $(top_srcdir)/gcc-plugin/compilers.mk
endif
