dnl SPDX-License-Identifier: MIT
dnl peers.m4: which tools the benchmark can be compared with.

dnl PP_BENCH_PEERS: BENCH_FOUND, names of programs in bench/peers; and where the ones are that Debian hasn't.
AC_DEFUN([PP_BENCH_PEERS], [
AC_ARG_VAR([BENCH_GPTL], [prefix of an installed GPTL, for make bench])
AC_ARG_VAR([BENCH_TRACY], [prefix of an installed Tracy client, for make bench])
AC_ARG_VAR([BENCH_CALIPER], [prefix of an installed Caliper, for make bench])
BENCH_FOUND=
AC_CHECK_PROG([UFTRACE], [uftrace], [uftrace])
AS_IF([test -n "$UFTRACE"], [AS_VAR_APPEND([BENCH_FOUND], [" uftrace"])])
AC_CHECK_PROG([LTTNG_SESSIOND], [lttng-sessiond], [lttng-sessiond])
PKG_CHECK_EXISTS([lttng-ust], [AS_IF([test -n "$LTTNG_SESSIOND"], [AS_VAR_APPEND([BENCH_FOUND], [" lttng lttng_values"])])])
AC_CHECK_HEADER([sys/sdt.h], [AS_VAR_APPEND([BENCH_FOUND], [" sdt"])])
AS_IF([test "x$pp_have_PAPI" = xyes], [AS_VAR_APPEND([BENCH_FOUND], [" papi"])])
AC_CACHE_CHECK([whether $CLANG links with -fxray-instrument], [pp_cv_clang_xray], [
  pp_cv_clang_xray=no
  pp_saved=$CC
  CC=$CLANG
  pp_saved_c=$CFLAGS
  CFLAGS="-fxray-instrument -fxray-modes=xray-fdr"
  AS_IF([test -n "$CLANG"], [AC_LINK_IFELSE([AC_LANG_PROGRAM()], [pp_cv_clang_xray=yes])])
  CC=$pp_saved
  CFLAGS=$pp_saved_c])
AS_IF([test $pp_cv_clang_xray = yes], [AS_VAR_APPEND([BENCH_FOUND], [" xray xray_fdr"])])
AC_SUBST([BENCH_FOUND])
])
