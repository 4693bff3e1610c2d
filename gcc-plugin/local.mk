# SPDX-License-Identifier: MIT
# gcc-plugin: ppgcc.so, once for each compiler that configure found; compilers.mk has the rules, rooms the order.

ppgcc_sources = \
	gcc-plugin/base/diag.cc \
	gcc-plugin/base/diag.h \
	gcc-plugin/base/gcc-compat.h \
	gcc-plugin/base/names-cxx.cc \
	gcc-plugin/base/names.cc \
	gcc-plugin/base/names.h \
	gcc-plugin/base/pass.h \
	gcc-plugin/base/patterns.cc \
	gcc-plugin/base/patterns.h \
	gcc-plugin/base/unit.cc \
	gcc-plugin/base/unit.h \
	gcc-plugin/target/asm-aarch64.cc \
	gcc-plugin/target/asm-none.cc \
	gcc-plugin/target/asm-x86.cc \
	gcc-plugin/target/asm.h \
	gcc-plugin/target/fast.cc \
	gcc-plugin/target/live.cc \
	gcc-plugin/target/registers.h \
	gcc-plugin/markers/barrier.cc \
	gcc-plugin/markers/barrier.h \
	gcc-plugin/markers/calls.cc \
	gcc-plugin/markers/cold.cc \
	gcc-plugin/markers/computed.cc \
	gcc-plugin/markers/copies.cc \
	gcc-plugin/markers/copies.h \
	gcc-plugin/markers/declare.cc \
	gcc-plugin/markers/direct.cc \
	gcc-plugin/markers/image.cc \
	gcc-plugin/markers/image.h \
	gcc-plugin/markers/lowering.h \
	gcc-plugin/markers/marker.cc \
	gcc-plugin/markers/marker.h \
	gcc-plugin/markers/metric.cc \
	gcc-plugin/markers/metric.h \
	gcc-plugin/markers/note.cc \
	gcc-plugin/markers/note.h \
	gcc-plugin/markers/record.cc \
	gcc-plugin/markers/record.h \
	gcc-plugin/markers/scopes.cc \
	gcc-plugin/markers/site.cc \
	gcc-plugin/markers/site.h \
	gcc-plugin/markers/values.cc \
	gcc-plugin/markers/words.cc \
	gcc-plugin/markers/words.h \
	gcc-plugin/passes/addresses.h \
	gcc-plugin/passes/coverage.cc \
	gcc-plugin/passes/emit.cc \
	gcc-plugin/passes/estimate.cc \
	gcc-plugin/passes/fence.cc \
	gcc-plugin/passes/final.cc \
	gcc-plugin/passes/final.h \
	gcc-plugin/passes/loops.cc \
	gcc-plugin/passes/loops.h \
	gcc-plugin/passes/moved.cc \
	gcc-plugin/passes/positions.cc \
	gcc-plugin/passes/prices.cc \
	gcc-plugin/passes/reorder.cc \
	gcc-plugin/passes/strips.cc \
	gcc-plugin/passes/truth.h \
	gcc-plugin/passes/weight.cc \
	gcc-plugin/functions/attributes.cc \
	gcc-plugin/functions/attributes.h \
	gcc-plugin/functions/choose.cc \
	gcc-plugin/functions/fortran.cc \
	gcc-plugin/functions/functions-cxx.cc \
	gcc-plugin/functions/instrument-file.cc \
	gcc-plugin/functions/instrument.cc \
	gcc-plugin/functions/outcome.cc \
	gcc-plugin/functions/regions.cc \
	gcc-plugin/functions/report.cc \
	gcc-plugin/functions/rules.h \
	gcc-plugin/functions/wrap.cc \
	gcc-plugin/functions/wrap.h \
	gcc-plugin/language/captured-cxx.cc \
	gcc-plugin/language/expectation.cc \
	gcc-plugin/language/expr.cc \
	gcc-plugin/language/expr.h \
	gcc-plugin/language/front-c.cc \
	gcc-plugin/language/front-cxx.cc \
	gcc-plugin/language/front.h \
	gcc-plugin/language/hints.cc \
	gcc-plugin/language/hints.h \
	gcc-plugin/language/letters.cc \
	gcc-plugin/language/letters.h \
	gcc-plugin/language/lexer.cc \
	gcc-plugin/language/lexer.h \
	gcc-plugin/language/pragma-expect.cc \
	gcc-plugin/language/pragma-dim.cc \
	gcc-plugin/language/pragma-inline.cc \
	gcc-plugin/language/pragma-metric.cc \
	gcc-plugin/language/pragma-sample.cc \
	gcc-plugin/language/pragma-site.cc \
	gcc-plugin/language/pragma.cc \
	gcc-plugin/language/pragma.h \
	gcc-plugin/language/source.cc \
	gcc-plugin/module.cc \
	gcc-plugin/module.h \
	gcc-plugin/plugin.cc

# Only what ppgcc.map names is visible: cc1 shares its symbol space with every plugin.
PPGCC_CPPFLAGS = -I$(top_srcdir) -I$(top_srcdir)/include $(YAML_CFLAGS)
PPGCC_CXXFLAGS = -std=gnu++17 -fPIC -fvisibility=hidden -fno-rtti -fno-exceptions $(PP_CXX_WARNINGS)
# Of libstdc++ only what is needed becomes part of the plugin: relocating the whole would be most of what loading costs every compilation.
PPGCC_LIBS = $(YAML_LIBS) -static-libstdc++ -static-libgcc
EXTRA_DIST += $(ppgcc_sources) gcc-plugin/shim.c gcc-plugin/compilers.mk gcc-plugin/ppgcc.map gcc-plugin/rooms

if HAVE_GCC_PLUGIN
all-local: ppgcc
install-exec-local: install-ppgcc
uninstall-local: uninstall-ppgcc
mostlyclean-local: clean-ppgcc
-include $(top_srcdir)/gcc-plugin/compilers.mk
endif
