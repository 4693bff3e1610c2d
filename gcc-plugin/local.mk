# SPDX-License-Identifier: MIT
# gcc-plugin: ppgcc.so. A shared object under the name that gcc looks for, so an automake "program" linked with -shared.
# Only plugin_init and plugin_is_GPL_compatible are visible: cc1 shares its symbol space with every plugin.

PPGCC_SOURCES = \
	gcc-plugin/asm-x86.cc \
	gcc-plugin/computed.cc \
	gcc-plugin/diag.cc \
	gcc-plugin/expr.cc \
	gcc-plugin/final.cc \
	gcc-plugin/front-c.cc \
	gcc-plugin/front-cxx.cc \
	gcc-plugin/gcc-compat.h \
	gcc-plugin/image.cc \
	gcc-plugin/lexer.cc \
	gcc-plugin/marker.cc \
	gcc-plugin/metric.cc \
	gcc-plugin/module.cc \
	gcc-plugin/plugin.cc \
	gcc-plugin/ppgcc.h \
	gcc-plugin/pragma.cc \
	gcc-plugin/record.cc \
	gcc-plugin/site.cc \
	gcc-plugin/source.cc

if HAVE_GCC_PLUGIN
gccplugin_PROGRAMS += gcc-plugin/ppgcc.so
endif
gcc_plugin_ppgcc_so_SOURCES = $(PPGCC_SOURCES)
gcc_plugin_ppgcc_so_CPPFLAGS = $(GCC_PLUGIN_INCLUDES) -I$(top_srcdir)/include
gcc_plugin_ppgcc_so_CXXFLAGS = -std=gnu++17 -fPIC -fvisibility=hidden -fno-rtti -fno-exceptions $(PP_CXX_WARNINGS)
gcc_plugin_ppgcc_so_LDFLAGS = -shared
