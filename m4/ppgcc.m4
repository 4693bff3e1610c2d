dnl SPDX-License-Identifier: MIT
dnl ppgcc.m4: the questions that configure.ac asks, one macro each.

dnl PP_PLUGIN_COMPILES(BUILDER, DIR, THEN, ELSE): whether the C++ compiler BUILDER can build our plugin with the headers in DIR; what it
dnl says is in config.log. gcc-compat.h knows which versions of GCC are known.
AC_DEFUN([PP_PLUGIN_COMPILES], [
AS_ECHO(["#include \"gcc-compat.h\""]) >conftest.cc
AS_IF([$1 -std=gnu++17 -fPIC -fno-rtti -fsyntax-only -I"$srcdir/gcc-plugin/base" -isystem "$2/include" conftest.cc >&AS_MESSAGE_LOG_FD 2>&1],
  [$3], [$4])
rm -f conftest.cc
])

dnl PP_PLUGIN_BUILDER(MAJOR): pp_builder is a C++ compiler of this machine whose major version is MAJOR, or empty. A plugin is loaded into a
dnl compiler of that version, so it is built by its like.
AC_DEFUN([PP_PLUGIN_BUILDER], [
pp_builder=
AS_IF([test "x$cross_compiling" = xyes], [pp_builders=$CXX_FOR_BUILD], [pp_builders=$CXX])
for pp_candidate in "$pp_builders" "g++-$1" g++; do
  AS_IF([test -z "$pp_builder" && test "`$pp_candidate -dumpversion 2>/dev/null | sed 's/\..*//'`" = "$1"], [pp_builder=$pp_candidate])
done
])

dnl PP_GCC_PLUGIN: for which compilers ppgcc.so is built: CC, and further ones. Sets
dnl   GCC_PLUGIN_DIR, GCC_PLUGIN_HEADERS, GCC_PLUGIN_BUILDER   of CC: where plugins go, their headers, what builds them; conditional HAVE_GCC_PLUGIN
dnl   GCC_MORE          the others, one word each: NAME|native or cross|CC|CXX|Fortran|BUILDER|DIR
dnl   GCC_MORE_NATIVE   the names of those that compile for this machine
dnl gcc-plugin/compilers.mk builds them all. --disable-plugin builds the library and the tool alone, for instance with clang.
AC_DEFUN([PP_GCC_PLUGIN], [
AC_ARG_ENABLE([plugin],
  [AS_HELP_STRING([--disable-plugin], [do not build ppgcc.so; samples and the tests that need it are left out])],
  [], [enable_plugin=yes])
AC_ARG_WITH([gcc-plugin-dir],
  [AS_HELP_STRING([--with-gcc-plugin-dir=DIR], [where ppgcc.so and all compilers' plugins are installed @<:@each where its compiler
   looks for plugins@:>@])],
  [], [with_gcc_plugin_dir=default])
AC_ARG_WITH([gcc],
  [AS_HELP_STRING([--with-gcc=LIST], [build ppgcc.so for these compilers too, "gcc-11 aarch64-linux-gnu-gcc" @<:@every gcc-N and
   CPU-linux-gnu-gcc here that has plugin headers@:>@; --without-gcc: for CC alone])],
  [], [with_gcc=default])
AC_ARG_WITH([ppgcc],
  [AS_HELP_STRING([--with-ppgcc=FILE], [a ppgcc.so for CC that was built from these sources, instead of building it])],
  [AS_CASE([$withval],
    [/*/ppgcc.so], [PPGCC_FROM=$withval],
    [no], [PPGCC_FROM=],
    [AC_MSG_ERROR([--with-ppgcc needs the whole path of a file ppgcc.so])])],
  [PPGCC_FROM=])
AC_ARG_VAR([CXX_FOR_BUILD], [C++ compiler of this machine, of CC's version, which builds the plugin when --host is another machine])
pp_plugin=no
GCC_MORE=
GCC_MORE_NATIVE=
pp_more=
AS_IF([test "x$enable_plugin" = xyes], [
  pp_plugin_dir=`$CC -print-file-name=plugin 2>/dev/null`
  pp_gcc_major=`$CC -dumpversion 2>/dev/null | sed 's/\..*//'`
  AC_MSG_CHECKING([for the plugin headers of $CC])
  AS_IF([test ! -f "$pp_plugin_dir/include/gcc-plugin.h"], [
    AC_MSG_RESULT([no])
    AC_MSG_ERROR([$CC has no plugin headers (looked in $pp_plugin_dir/include).
  On Debian: apt-get install gcc-$pp_gcc_major-plugin-dev; to build the library without the plugin: --disable-plugin])])
  AC_MSG_RESULT([$pp_plugin_dir/include])
  AC_MSG_CHECKING([what builds a plugin for $CC])
  PP_PLUGIN_BUILDER([$pp_gcc_major])
  AS_IF([test -z "$pp_builder"], [
    AC_MSG_RESULT([nothing])
    AC_MSG_ERROR([neither CXX ($CXX) nor g++-$pp_gcc_major is a C++ compiler of CC's version for this machine: a plugin is built by its host's own version])])
  AC_MSG_RESULT([$pp_builder])
  GCC_PLUGIN_BUILDER=$pp_builder
  AC_MSG_CHECKING([whether $pp_builder can build a plugin])
  PP_PLUGIN_COMPILES([$pp_builder], [$pp_plugin_dir],
    [AC_MSG_RESULT([yes])],
    [AC_MSG_RESULT([no])
     AC_MSG_ERROR([the plugin headers in $pp_plugin_dir/include do not compile, or gcc-plugin/base/gcc-compat.h does not know this GCC; config.log says which])])
  AS_IF([test "x$with_gcc_plugin_dir" = xdefault], [GCC_PLUGIN_DIR=$pp_plugin_dir], [GCC_PLUGIN_DIR=$with_gcc_plugin_dir])
  pp_plugin="yes, for gcc $pp_gcc_major"
  PP_MORE_GCCS
])
AC_SUBST([GCC_PLUGIN_DIR])
AC_SUBST([GCC_PLUGIN_HEADERS], [$pp_plugin_dir/include])
AC_SUBST([GCC_PLUGIN_BUILDER])
AC_SUBST([PPGCC_FROM])
AC_SUBST([GCC_MORE])
dnl the plugin's tests again for each further compiler of this machine (but for what many.sh counts, which takes a minute and is alike); GNU make's
dnl language, which automake does not see here
AC_SUBST([GCC_MORE_NATIVE])
AC_SUBST([PP_MORE_TESTS], ['$(foreach g,$(GCC_MORE_NATIVE),$(patsubst tests/plugin/%,tests/plugin/$g/%,$(filter-out tests/plugin/many.sh,$(PLUGIN_TESTS))))'])
AM_CONDITIONAL([HAVE_GCC_PLUGIN], [test "x$pp_plugin" != xno])
])

dnl PP_MORE_GCCS: fills GCC_MORE. One that was asked for and can't be served is an error; one that was found and can't be is said in the summary.
AC_DEFUN([PP_MORE_GCCS], [
pp_asked=$with_gcc
AS_CASE([$with_gcc],
  [no], [pp_asked=],
  [yes], [AC_MSG_ERROR([--with-gcc needs names: --with-gcc="gcc-11 gcc-12"])],
  [default], [
    pp_asked=
    AS_IF([test "x$cross_compiling" != xyes], [
      pp_saved_ifs=$IFS; IFS=$PATH_SEPARATOR
      for pp_dir in $PATH; do
        for pp_file in "$pp_dir"/gcc-[[1-9]][[0-9]] "$pp_dir"/*-linux-gnu-gcc; do
          test -x "$pp_file" && AS_VAR_APPEND([pp_asked], [" `basename "$pp_file"`"])
        done
      done
      IFS=$pp_saved_ifs])])
pp_native=`$CC -dumpmachine`
pp_seen=" `cd "$pp_plugin_dir" && pwd -P` "
for pp_cc in $pp_asked; do
  pp_dir=`$pp_cc -print-file-name=plugin 2>/dev/null`
  pp_major=`$pp_cc -dumpversion 2>/dev/null | sed 's/\..*//'`
  pp_real=`cd "$pp_dir/include" 2>/dev/null && cd .. && pwd -P`
  pp_problem=
  AS_CASE(["$pp_seen"], [*" $pp_real "*], [continue])
  AC_MSG_CHECKING([for a plugin for $pp_cc])
  PP_PLUGIN_BUILDER([$pp_major])
  AS_IF([test -z "$pp_real"],
      [pp_problem="it has no plugin headers (on Debian: gcc-$pp_major-plugin-dev)"],
    [test -z "$pp_builder"],
      [pp_problem="there is no g++-$pp_major on this machine to build it"],
    [PP_PLUGIN_COMPILES([$pp_builder], [$pp_real], [],
      [pp_problem="its plugin headers do not compile, or gcc-plugin/base/gcc-compat.h does not know them; config.log says which"])])
  AS_IF([test -n "$pp_problem" && test "x$with_gcc" != xdefault], [
    AC_MSG_RESULT([no])
    AC_MSG_ERROR([--with-gcc names $pp_cc, but $pp_problem])])
  AS_IF([test -n "$pp_problem"], [
    AC_MSG_RESULT([no, $pp_problem])
    AS_IF([test -n "$pp_real"], [AS_VAR_APPEND([pp_more], [", not for $pp_cc: $pp_problem"])])
    continue])
  AC_MSG_RESULT([yes, built by $pp_builder])
  AS_VAR_APPEND([pp_seen], ["$pp_real "])
  pp_name=`basename "$pp_cc"`
  AS_IF([test "`$pp_cc -dumpmachine`" = "$pp_native"],
    [pp_kind=native; AS_VAR_APPEND([GCC_MORE_NATIVE], [" $pp_name"])],
    [pp_kind=cross])
  pp_cxx=`AS_ECHO(["$pp_cc"]) | sed 's/gcc\(-@<:@0-9.@:>@*\)\{0,1\}$/g++\1/'`
  pp_fc=`AS_ECHO(["$pp_cc"]) | sed 's/gcc\(-@<:@0-9.@:>@*\)\{0,1\}$/gfortran\1/'`
  $pp_cxx -dumpversion >/dev/null 2>&1 || pp_cxx=-
  $pp_fc -dumpversion >/dev/null 2>&1 || pp_fc=-
  AS_VAR_APPEND([GCC_MORE], [" $pp_name|$pp_kind|$pp_cc|$pp_cxx|$pp_fc|$pp_builder|$pp_dir"])
  AS_VAR_APPEND([pp_plugin], [", $pp_name"])
done
])

dnl PP_OPTIONAL_LIBRARY(NAME, MODULE): NAME_CFLAGS, NAME_LIBS, HAVE_NAME (conditional and in config.h). Absent is no error, but where --with-name
dnl asks for it; --without-name leaves it out. PP_WITHOUT leaves out all of them.
AC_DEFUN([PP_OPTIONAL_LIBRARY], [
m4_pushdef([pp_with], m4_tolower([$1]))dnl
AC_ARG_WITH(pp_with, [AS_HELP_STRING([--without-]pp_with, [leave out what needs $2])], [], [AS_VAR_SET([with_]pp_with, [auto])])
AS_VAR_IF([with_]pp_with, [no],
  [pp_have_$1=no],
  [PKG_CHECK_MODULES([$1], [$2],
    [pp_have_$1=yes
     AC_DEFINE([HAVE_$1], [1], [the library $2 is there])],
    [pp_have_$1=no
     AS_VAR_IF([with_]pp_with, [auto], [], [AC_MSG_ERROR([--with-]pp_with[: pkg-config does not find $2])])])])
AM_CONDITIONAL([HAVE_$1], [test $pp_have_$1 = yes])
AS_VAR_APPEND([PP_WITHOUT], [" --without-]pp_with["])
AC_SUBST([PP_WITHOUT])
m4_popdef([pp_with])dnl
])

dnl PP_ALL_OF(NAME, NAMES): pp_have_NAME and the conditional HAVE_NAME: are all those libraries there?
AC_DEFUN([PP_ALL_OF], [
pp_have_$1=yes
m4_foreach_w([pp_name], [$2], [AS_VAR_IF([pp_have_]pp_name, [yes], [], [pp_have_$1=no])
])dnl
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
dnl   PP_HARDENING_FLAGS             for the library and ppctl: overrun buffers end a program before they are of use to anybody
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
dnl Nothing for who looks for such mistakes himself. FORTIFY wants optimization, or the headers warn; a distribution may have set it.
PP_HARDENING_FLAGS=
AS_IF([test -z "$SANITIZER"], [
  PP_ADD_FLAG([PP_HARDENING_FLAGS], [-fstack-protector-strong], [C])
  AC_CACHE_CHECK([whether $CC takes -D_FORTIFY_SOURCE=2], [pp_cv_fortify], [
    pp_saved_c=$CFLAGS
    CFLAGS="$CFLAGS -Werror -D_FORTIFY_SOURCE=2"
    AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[@%:@include <stdio.h>]])], [pp_cv_fortify=yes], [pp_cv_fortify=no])
    CFLAGS=$pp_saved_c])
  AS_VAR_IF([pp_cv_fortify], [yes], [AS_VAR_APPEND([PP_HARDENING_FLAGS], [" -D_FORTIFY_SOURCE=2"])])])
AC_SUBST([PP_CODE_FLAGS])
AC_SUBST([PP_HARDENING_FLAGS])
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
AS_ECHO(["  m4_format([%-14s], [plugin])$pp_plugin$pp_more"])
AS_ECHO(["  m4_format([%-14s], [libyaml])yes"])
PP_SUMMARY_ROW([PNG], [libpng], [samples/raytracer is not built (libpng-dev)])
PP_SUMMARY_ROW([PROXY], [HTTP and JPEG], [samples/proxy is not built (libmicrohttpd-dev, libcurl4-openssl-dev, libjpeg-dev)])
PP_SUMMARY_ROW([CHECK], [check], [the unit tests are not built (package check)])
PP_SUMMARY_ROW([PAPI], [PAPI], [no papi: sources (libpapi-dev)])
PP_SUMMARY_ROW([LIBELF], [libelf], [ppctl has no sites and no check (libelf-dev)])
PP_SUMMARY_ROW([LIBDW], [libdw], [ppctl profile has no names (libdw-dev)])
PP_SUMMARY_ROW([JANSSON], [jansson], [ppctl has no --json (libjansson-dev)])
PP_SUMMARY_ROW([ZSTD], [zstd], [recordings are not packed, packed ones are not read (libzstd-dev)])
PP_SUMMARY_ROW([SQLITE], [SQLite], [ppctl has no sql (libsqlite3-dev)])
PP_SUMMARY_ROW([LIBEDIT], [libedit], [ppctl shell has no history and no completion (libedit-dev)])
PP_SUMMARY_ROW([VALGRIND], [valgrind], [the tests that count instructions are skipped])
PP_SUMMARY_ROW([CLANG], [clang], [the test that builds the sources with clang is skipped])
AS_ECHO(["  m4_format([%-14s], [peers])${BENCH_FOUND:- none found}: what make bench compares with"])
AS_ECHO(["  m4_format([%-14s], [sanitizer])$enable_sanitizer"])
AS_ECHO([""])
AS_ECHO(["  make, make check, make install; make help lists the rest"])
])
