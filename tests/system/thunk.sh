#!/bin/bash
# SPDX-License-Identifier: MIT
# thunk.sh: a program that takes a profile of itself, where that does not go; in C++ and Fortran. tests/system/profiled.c is about what it has.
. "$srcdir/tests/tools/tap.sh"
tap_dir
cd "$tap_dir" || exit 99
export LC_ALL=C

# intervals are watched on every CPU; threads can't be interrupted under ThreadSanitizer
by=PP_BY_FUNCTION
[ "$PP_ARCH" = x86_64 ] && [ "$SANITIZER" != thread ] || by=PP_BY_INTERVAL

cat >thunk.cc <<'C'
#include <pp.h>
#include <pthread.h>
#include <stdexcept>
#include <cstdio>
#include <cstring>
#include <ctime>
static volatile unsigned long sink;
extern "C" __attribute__ ((noipa)) void busy (void)
{
	PP_INTERVAL (busy)
	for (clock_t end = clock () + CLOCKS_PER_SEC / 20; clock () < end;)
		for (int i = 0; i < 20000; i++)
			sink = sink * 3 + i;
}
static void *work (void *arg)
{
	busy ();
	return arg;
}
static void *throws (void *)
{
	busy ();
	throw std::runtime_error ("thrown");
}
static void *ends (void *arg)
{
	struct pp_profile_options *o = static_cast<struct pp_profile_options *> (arg);
	static struct pp_profile_options own;
	own = *o;
	pp_profile ([] (void *) -> void * { busy (); pthread_exit (nullptr); }, nullptr, &own);
	return nullptr;
}
int main (int argc, char **argv)
{
	struct pp_profile_options options = PP_PROFILE_OPTIONS;
	pthread_t thread;
	options.by = BY;
	options.delay = 0.001;
	if (argc < 2) {
		char *given = argv[0];
		return pp_profile (work, given, &options) != given;
	}
	if (!strcmp (argv[1], "throws")) {
		try {
			pp_profile (throws, nullptr, &options);
		} catch (const std::runtime_error &e) {
			std::puts (e.what ());
		}
	} else if (!strcmp (argv[1], "ends")) {
		pthread_create (&thread, nullptr, ends, &options);
		pthread_join (thread, nullptr);
	} else if (!strcmp (argv[1], "exits")) {
		options.periodic = 0.01;
		options.periodic_render = [] (const struct pp_profile_result *, enum pp_profile_order, void *) {};
		pp_profile_start (&options);
		busy ();
		return 0;
	}
	/* it is over, so the next begins */
	return pp_profile_start (&options) != PP_OK || pp_profile_stop () != PP_OK;
}
C
# shellcheck disable=SC2086
"$CXX" -std=gnu++17 -O1 -g -w -DBY=$by $SANITIZER_FLAGS $PPGCC_FLAGS -I"$srcdir/include" thunk.cc -o thunk -L"$LIBPP" -lpp -Wl,-rpath,"$LIBPP" -lpthread || exit 99

./thunk >out 2>err
tap_is "a function runs under the profiler, and returns what it returns" "$? $(cat err)" "0 "
tap_has "its profile is on standard output" "$(cat out)" '^profile of thunk, process [0-9]+$'
tap_has "... with what ran" "$(cat out)" ' busy[ /]'
tap_is "it leaves no file" "$(ls ./*.pprec 2>/dev/null)" ""
./thunk throws >out 2>err
tap_is "an exception out of it ends the profile, and goes on; nothing is printed" "$? $(cat out err)" "0 thrown"
./thunk ends >out 2>err
tap_is "so does the end of its thread" "$? $(cat out err)" "0 "
./thunk exits >out 2>err
tap_is "a program may end while it is profiled" "$? $(cat out err)" "0 "

# refused VARIABLE=VALUE MESSAGE: the function runs all the same
refused () {
	env "$1" ./thunk >out 2>err
	tap_has "$1: the function runs without a profile, which is said" "$? $(cat out err)" "^0 pp: $2"
	tap_is "... once" "$(grep -c said err)" 1
	rm -f ./*.pprec
}
refused PP_THREADS=0 "pp_profile: a profile needs the library's thread, which PP_THREADS=0 forbids: the function runs without a profile"
if [ $by = PP_BY_FUNCTION ]; then
	refused PP_SAMPLE=100 'pp_profile: PP_SAMPLE has a profile taken by that sampler already: the function runs without'
else
	tap_skip "PP_SAMPLE=100: the function runs without a profile, which is said" "threads are not interrupted here"
fi
PP_MODULE_PATH=/nonexistent ./thunk >out 2>err
status=$?
if [ -s out ]; then
	tap_skip "without the module nothing is printed, and what helps is said" "it is installed"
else
	tap_has "without the module nothing is printed, and what helps is said" "$status $(cat err)" \
		"^0 pp: results of a profile need libpp's module libpp-profile.so, which is neither in .*; pp_record writes what .ppctl profile. shows"
fi

# ---- Fortran -------------------------------------------------------------------------------------------------

title="a Fortran program takes a profile of itself"
if [ -z "$GFORTRAN" ] || [ $by != PP_BY_FUNCTION ]; then
	tap_skip "$title" "there is no gfortran, or threads are not interrupted here"
	tap_done
	exit
fi
cat >prog.f90 <<'F'
subroutine fbusy (x)
  use pp
  real(real64), intent(inout) :: x
  real :: t0, t
  integer :: i
  call cpu_time (t0)
  do
    do i = 1, 20000
      x = x * 0.999_real64 + 1
    end do
    call cpu_time (t)
    if (t - t0 > 0.1) exit
  end do
end subroutine fbusy

program prog
  use pp
  real(real64) :: x = 0
  call pp_profile_start (0.001_real64)
  call fbusy (x)
  call pp_profile_pause ()
  call pp_profile_resume ()
  call pp_profile_stop ()
  call pp_profile_print ()
  if (x < 0) stop 1
end program prog
F
# shellcheck disable=SC2086
"$GFORTRAN" -O1 -g $SANITIZER_FLAGS -fsyntax-only -J . "$srcdir/include/pp.f90" && "$GFORTRAN" -O1 -g -fno-optimize-sibling-calls $SANITIZER_FLAGS -I. prog.f90 \
	-o prog -L"$LIBPP" -lpp -Wl,-rpath,"$LIBPP" || exit 99
./prog >out 2>err
tap_is "$title" "$? $(cat err)" "0 "
tap_has "... and prints it" "$(cat out)" ' fbusy_ '
tap_done
