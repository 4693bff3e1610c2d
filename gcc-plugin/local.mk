# SPDX-License-Identifier: MIT
# gcc-plugin: ppgcc.so. A shared object under the name that gcc looks for, so an automake "program" linked with -shared:
#
#   if HAVE_GCC_PLUGIN
#   gccplugin_PROGRAMS += gcc-plugin/ppgcc.so
#   gcc_plugin_ppgcc_so_SOURCES = gcc-plugin/plugin.cc ...
#   gcc_plugin_ppgcc_so_CPPFLAGS = $(GCC_PLUGIN_INCLUDES) -I$(top_srcdir)/include
#   gcc_plugin_ppgcc_so_CXXFLAGS = -std=gnu++17 -fPIC -fno-rtti -fno-exceptions $(PP_CXX_WARNINGS)
#   gcc_plugin_ppgcc_so_LDFLAGS = -shared
#   endif
