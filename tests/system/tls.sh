#!/bin/bash
# SPDX-License-Identifier: MIT
# tls.sh: what belongs to a thread is reached by one instruction and never by a call: in the library's hot objects, in libpp.so, in what the plugin
# emits, and in the blocks that are made at run time, whose accesses have the offset as a constant.
. "$srcdir/tests/tools/tap.sh"
tap_dir
if ! command -v objdump >/dev/null || ! command -v readelf >/dev/null; then
	tap_skip "accesses to TLS" "binutils are missing"
	tap_done
fi
if [ -n "$SANITIZER" ]; then
	tap_skip "accesses to TLS" "a sanitizer adds its own"
	tap_done
fi

# ---- the library
library=$LIBPP/libpp.so
tap_is "libpp.so asks the dynamic linker for no module's TLS: neither __tls_get_addr nor a descriptor" \
	"$(nm -D --undefined-only "$library" | grep -c __tls_get_addr) $(readelf -rW "$library" | grep -cE 'DTPMOD|DTPOFF|DTPREL|TLSDESC')" "0 0"
tap_ok "it says that it belongs to what is there at start-up" grep -q STATIC_TLS <<<"$(readelf -dW "$library")"
# other variables may lie beside a segment that ends amid a pair of cache lines
read -r bytes align < <(readelf -lW "$library" | awk '$1 == "TLS" { print $6, $NF }')
tap_ok "its TLS ends where a pair of cache lines does, as it begins: the program's is not beside it" test $((bytes % 128)) = 0 -a $((align % 128)) = 0

# relocations FILE...: kinds of accesses to TLS, those by initial-exec and local-exec left out
relocations () {
	objdump -dr "$@" | grep -oE 'R_[A-Z0-9_]*(TLS|TPOFF|TPREL|DTP)[A-Z0-9_]*' | grep -vE 'GOTTPOFF|_TPOFF|TLSIE_|TLSLE_|TLS_TPREL' | sort -u
}
hot=("$builddir"/libmetrics/*/.libs/*libhot_la-*.o "$builddir"/libmetrics/*/*libhot_la-*.o)
tap_is "markers' routines are there to look at, for shared objects and for archives" "$(ls "${hot[@]}" 2>/dev/null | grep -c 'hot_la-hot.o\|general_hot.o')" 4
tap_is "none of them has an access by a call" "$(relocations "${hot[@]}")" ""
tap_ok "and they have accesses" grep -qE 'TPOFF|TLSIE|TLSLE' <<<"$(readelf -rW "${hot[@]}")"

# ---- what the plugin emits
cd "$tap_dir" || exit 99
cat >markers.c <<'C'
#include <fcntl.h>
#include <pp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#pragma pp metric m_sum interval sumcount(elapsed)
#pragma pp metric m_stats interval stats(elapsed)
#pragma pp metric m_series interval bounded_series(elapsed)
#pragma pp metric m_histogram interval histogram(elapsed)
#pragma pp metric m_count interval count(count)
#pragma pp metric m_every interval sumcount(elapsed, every=16)
#pragma pp metric p_count point count(count)
#pragma pp metric p_value point stats(value)
long begin_mine (void);
long end_mine (const long *begin);
#pragma pp metric m_mine interval sumcount(begin_mine, end_mine)
static volatile long sink;
long begin_mine (void)
{
	return sink;
}
long end_mine (const long *begin)
{
	return sink - *begin;
}
#define SITE(name) \
	__attribute__ ((noipa)) static void f_##name (void) \
	{ \
		_Pragma (TEXT (pp interval name (name))) sink++; \
	}
#define TEXT(x) #x
SITE (m_sum)
SITE (m_stats)
SITE (m_series)
SITE (m_histogram)
SITE (m_count)
SITE (m_every)
SITE (m_mine)
__attribute__ ((noipa)) static void all (void)
{
#pragma pp interval all(m_sum, m_stats, m_series, m_histogram)
	sink++;
}
__attribute__ ((noipa)) static void points (long x)
{
#pragma pp point counted(p_count)
	sink++;
#pragma pp point valued(p_value) value(x)
}

/* What is mapped from a memfd and executable, as text of addresses and as bytes. */
int main (int argc, char **argv)
{
	char line[512], name[64];
	FILE *maps = fopen ("/proc/self/maps", "r");

	for (int i = 0; i < 100; i++) {
		f_m_sum (), f_m_stats (), f_m_series (), f_m_histogram (), f_m_count (), f_m_every (), f_m_mine (), all ();
		points (i);
	}
	if (pp_count (m_sum) != 200 || pp_count (m_mine) != 100 || pp_count (p_value) != 100)
		return 1;
	while (argc > 1 && maps && fgets (line, sizeof line, maps)) {
		unsigned long lo, hi;
		char rights[8];

		if (sscanf (line, "%lx-%lx %7s", &lo, &hi, rights) != 3 || !strstr (line, "memfd:") || !strchr (rights, 'x'))
			continue;
		snprintf (name, sizeof name, "%s.%lx", argv[1], lo);
		int fd = open (name, O_CREAT | O_WRONLY, 0600);
		if (fd < 0 || write (fd, (void *) lo, hi - lo) < 0)
			return 2;
		close (fd);
	}
	return 0;
}
C
for kind in patch guard; do
	for pic in "" -fPIC; do
		# shellcheck disable=SC2086
		$CC -O2 $PPGCC_FLAGS -fplugin-arg-ppgcc-marker=$kind $pic -I"$srcdir/include" -c markers.c -o "$kind$pic.o" >log 2>&1 ||
			{ tap_show log "$(cat log)"; exit 99; }
	done
done
tap_is "what the plugin emits has nothing of a thread, and so no access" \
	"$(readelf -rW patch.o guard.o patch-fPIC.o guard-fPIC.o | grep -cE 'TLS|TPOFF|TPREL|DTP') $(nm -u ./*.o | grep -c tls)" "0 0"
for kind in libpp.so libpp.a; do
	# shellcheck disable=SC2086
	$CC patch.o -o markers -L"$LIBPP" -l:$kind -Wl,-rpath,"$LIBPP" $YAML_LIBS -lm -lpthread -ldl >log 2>&1 ||
		{ tap_skip "a program with $kind calls nothing for its TLS" "it can't be linked: $(tail -c 200 log | tr '\n' ' ')"; continue; }
	tap_is "a program with $kind calls nothing for its TLS" "$(nm -u markers | grep -c __tls_get_addr)" 0
	tap_ok "and measures" ./markers
done

# ---- blocks
if [ "$PP_ARCH" != x86_64 ]; then
	tap_skip "accesses of blocks" "there are none on this CPU"
	tap_done
fi
$CC patch.o -o markers -L"$LIBPP" -lpp -lm -Wl,-rpath,"$LIBPP" && ./markers blocks
if ! ls blocks.* >/dev/null 2>&1; then
	tap_skip "accesses of blocks" "memory that is executable and shared is refused here"
	tap_done
fi
for file in blocks.*; do
	objdump -D -b binary -m i386:x86-64 --adjust-vma="0x${file#blocks.}" "$file"
done >code
# an offset from the thread pointer and no register; -> or the thread pointer itself
tap_is "every access of a block to TLS has its offset in the instruction" "$(grep '%fs:' code | grep -vE '%fs:0x[0-9a-f]+([,]|$|[[:space:]])' | head -n 5)" ""
n=$(grep -c '%fs:' code)
tap_ok "and there are many of them ($n)" test "$n" -ge 100
tap_done
