dnl SPDX-License-Identifier: MIT
dnl ppgcc.m4: the questions that configure.ac asks, one macro each.

dnl PP_GCC_PLUGIN: where the configured CC keeps its plugins and their headers, and whether CXX can build one for it.
dnl Sets GCC_PLUGIN_DIR (plugins are installed there, so that -fplugin=ppgcc finds it by name), GCC_PLUGIN_INCLUDES and the
dnl conditional HAVE_GCC_PLUGIN. --disable-plugin builds the library and the tool alone, for instance with clang.
AC_DEFUN([PP_GCC_PLUGIN], [
AC_ARG_ENABLE([plugin],
  [AS_HELP_STRING([--disable-plugin], [do not build ppgcc.so; samples and the tests that need it are left out])],
  [], [enable_plugin=yes])
AC_ARG_WITH([gcc-plugin-dir],
  [AS_HELP_STRING([--with-gcc-plugin-dir=DIR], [where ppgcc.so is installed @<:@what CC -print-file-name=plugin says@:>@])],
  [], [with_gcc_plugin_dir=default])
pp_plugin=no
AS_IF([test "x$enable_plugin" = xyes], [
  pp_plugin_dir=`$CC -print-file-name=plugin 2>/dev/null`
  pp_gcc_major=`$CC -dumpversion 2>/dev/null | sed 's/\..*//'`
  pp_gxx_major=`$CXX -dumpversion 2>/dev/null | sed 's/\..*//'`
  AC_MSG_CHECKING([for the plugin headers of $CC])
  AS_IF([test ! -f "$pp_plugin_dir/include/gcc-plugin.h"], [
    AC_MSG_RESULT([no])
    AC_MSG_ERROR([$CC has no plugin headers (looked in $pp_plugin_dir/include).
  On Debian: apt-get install gcc-$pp_gcc_major-plugin-dev; to build the library without the plugin: --disable-plugin])])
  AC_MSG_RESULT([$pp_plugin_dir/include])
  AS_IF([test "x$pp_gcc_major" != "x$pp_gxx_major"],
    [AC_MSG_ERROR([CC ($CC, version $pp_gcc_major) and CXX ($CXX, version $pp_gxx_major) differ: a plugin is built by its host's own version])])
  AC_MSG_CHECKING([whether $CXX can build a plugin])
  AC_LANG_PUSH([C++])
  pp_saved_flags=$CXXFLAGS
  CXXFLAGS="$CXXFLAGS -fPIC -fno-rtti -isystem $pp_plugin_dir/include"
  AC_COMPILE_IFELSE([AC_LANG_SOURCE([[#include <gcc-plugin.h>
#include <plugin-version.h>
#include <tree.h>
int plugin_is_GPL_compatible;]])],
    [AC_MSG_RESULT([yes])],
    [AC_MSG_RESULT([no])
     AC_MSG_ERROR([the plugin headers in $pp_plugin_dir/include do not compile; config.log says why])])
  CXXFLAGS=$pp_saved_flags
  AC_LANG_POP([C++])
  GCC_PLUGIN_INCLUDES="-isystem $pp_plugin_dir/include"
  AS_IF([test "x$with_gcc_plugin_dir" = xdefault], [GCC_PLUGIN_DIR=$pp_plugin_dir], [GCC_PLUGIN_DIR=$with_gcc_plugin_dir])
  pp_plugin="yes, for gcc $pp_gcc_major"
])
AC_SUBST([GCC_PLUGIN_DIR])
AC_SUBST([GCC_PLUGIN_INCLUDES])
AM_CONDITIONAL([HAVE_GCC_PLUGIN], [test "x$pp_plugin" != xno])
])

dnl PP_OPTIONAL_LIBRARY(NAME, MODULE): NAME_CFLAGS, NAME_LIBS, HAVE_NAME (conditional and in config.h); absent is no error.
AC_DEFUN([PP_OPTIONAL_LIBRARY], [
PKG_CHECK_MODULES([$1], [$2],
  [pp_have_$1=yes
   AC_DEFINE([HAVE_$1], [1], [the library $2 is there])],
  [pp_have_$1=no])
AM_CONDITIONAL([HAVE_$1], [test $pp_have_$1 = yes])
])

dnl PP_OPTIONAL_PROGRAM(NAME, PROGRAM): NAME is its path or empty, HAVE_NAME a conditional.
AC_DEFUN([PP_OPTIONAL_PROGRAM], [
AC_PATH_PROG([$1], [$2])
AM_CONDITIONAL([HAVE_$1], [test -n "$$1"])
])

dnl PP_ADD_FLAG(VARIABLE, FLAG, LANGUAGE): appends FLAG to VARIABLE where the compiler of LANGUAGE takes it.
AC_DEFUN([PP_ADD_FLAG], [
AC_LANG_PUSH([$3])
AS_VAR_PUSHDEF([pp_cache], [pp_cv_$3_flag_$2])
AC_CACHE_CHECK([whether the $3 compiler takes $2], [pp_cache], [
  pp_saved_c=$CFLAGS; pp_saved_cxx=$CXXFLAGS
  CFLAGS="$CFLAGS -Werror $2"; CXXFLAGS="$CXXFLAGS -Werror $2"
  AC_COMPILE_IFELSE([AC_LANG_PROGRAM()], [AS_VAR_SET([pp_cache], [yes])], [AS_VAR_SET([pp_cache], [no])])
  CFLAGS=$pp_saved_c; CXXFLAGS=$pp_saved_cxx])
AS_VAR_IF([pp_cache], [yes], [AS_VAR_APPEND([$1], [" $2"])])
AS_VAR_POPDEF([pp_cache])
AC_LANG_POP([$3])
])

dnl PP_COMPILER_FLAGS: warnings, --enable-werror, --enable-sanitizer.
dnl   PP_WARNINGS, PP_CXX_WARNINGS   what every C and C++ file is compiled with
dnl   SANITIZER_FLAGS                for the library, its tests and the programs they compile; never for the plugin, which is
dnl                                  loaded into a compiler that knows nothing of sanitizers
AC_DEFUN([PP_COMPILER_FLAGS], [
AC_ARG_ENABLE([werror],
  [AS_HELP_STRING([--enable-werror], [warnings are errors; for development])], [], [enable_werror=no])
AC_ARG_ENABLE([sanitizer],
  [AS_HELP_STRING([--enable-sanitizer=LIST], [address, undefined, thread, or address,undefined: of library, unit and system tests])],
  [], [enable_sanitizer=no])
m4_foreach_w([pp_flag], [-Wall -Wextra -Wundef -Wpointer-arith -Wwrite-strings -Wvla -Wlogical-op],
  [PP_ADD_FLAG([PP_WARNINGS], pp_flag, [C])
   PP_ADD_FLAG([PP_CXX_WARNINGS], pp_flag, [C++])])
dnl GCC's headers put thousands of short names into the global scope; there a local one that hides one of them means nothing
PP_ADD_FLAG([PP_CXX_WARNINGS], [-Wshadow=local], [C++])
m4_foreach_w([pp_flag], [-Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition -Wnested-externs],
  [PP_ADD_FLAG([PP_WARNINGS], pp_flag, [C])])
m4_foreach_w([pp_flag], [-fno-semantic-interposition],
  [PP_ADD_FLAG([PP_CODE_FLAGS], pp_flag, [C])])
AS_IF([test "x$enable_werror" = xyes], [
  AS_VAR_APPEND([PP_WARNINGS], [" -Werror"])
  AS_VAR_APPEND([PP_CXX_WARNINGS], [" -Werror"])])
SANITIZER_FLAGS=
SANITIZER=
AS_CASE([$enable_sanitizer],
  [no], [],
  [address|undefined|thread|address,undefined|undefined,address], [
    SANITIZER=$enable_sanitizer
    SANITIZER_FLAGS="-fsanitize=$enable_sanitizer -fno-omit-frame-pointer"
    AS_CASE([$enable_sanitizer], [*undefined*], [AS_VAR_APPEND([SANITIZER_FLAGS], [" -fno-sanitize-recover=undefined"])])
    AC_MSG_CHECKING([whether $CC links with $SANITIZER_FLAGS])
    pp_saved_c=$CFLAGS
    CFLAGS="$CFLAGS $SANITIZER_FLAGS"
    AC_LINK_IFELSE([AC_LANG_PROGRAM()], [AC_MSG_RESULT([yes])],
      [AC_MSG_RESULT([no])
       AC_MSG_ERROR([$CC cannot link with $SANITIZER_FLAGS; on Debian the run-time libraries come with gcc (libasan, libubsan, libtsan)])])
    CFLAGS=$pp_saved_c],
  [AC_MSG_ERROR([--enable-sanitizer=$enable_sanitizer: expected address, undefined, thread or address,undefined])])
AC_SUBST([PP_WARNINGS])
AC_SUBST([PP_CXX_WARNINGS])
AC_SUBST([PP_CODE_FLAGS])
AC_SUBST([SANITIZER])
AC_SUBST([SANITIZER_FLAGS])
AM_CONDITIONAL([SANITIZE_THREAD], [test "x$SANITIZER" = xthread])
AM_CONDITIONAL([SANITIZE], [test -n "$SANITIZER"])
])

dnl PP_SUMMARY: what was found, and what is missing without it.
AC_DEFUN([PP_SUMMARY_ROW], [
AS_VAR_IF([pp_have_$1], [yes],
  [AS_ECHO(["  m4_format([%-14s], [$2])yes"])],
  [AS_ECHO(["  m4_format([%-14s], [$2])no: $3"])])])
AC_DEFUN([PP_SUMMARY], [
pp_have_VALGRIND=no; test -z "$VALGRIND" || pp_have_VALGRIND=yes
pp_have_CLANG=no; test -z "$CLANG" || pp_have_CLANG=yes
AS_ECHO([""])
AS_ECHO(["ppgcc AC_PACKAGE_VERSION, markers for: $pp_arch"])
AS_ECHO(["  m4_format([%-14s], [plugin])$pp_plugin"])
AS_ECHO(["  m4_format([%-14s], [libyaml])yes"])
PP_SUMMARY_ROW([PNG], [libpng], [samples/raytracer is not built (libpng-dev)])
PP_SUMMARY_ROW([CHECK], [check], [the unit tests are not built (package check)])
PP_SUMMARY_ROW([PAPI], [PAPI], [no papi: sources (libpapi-dev)])
PP_SUMMARY_ROW([LIBELF], [libelf], [ppctl has no sites and no check (libelf-dev)])
PP_SUMMARY_ROW([JANSSON], [jansson], [ppctl has no --json (libjansson-dev)])
PP_SUMMARY_ROW([VALGRIND], [valgrind], [the tests that count instructions are skipped])
PP_SUMMARY_ROW([CLANG], [clang], [the test that builds the sources with clang is skipped])
AS_ECHO(["  m4_format([%-14s], [sanitizer])$enable_sanitizer"])
AS_ECHO([""])
AS_ECHO(["  make, make check, make install; make help lists the rest"])
])
