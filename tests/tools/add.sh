#!/bin/bash
# SPDX-License-Identifier: MIT
# add.sh: the table "To add a ..., touch ..." of docs/design.md is true. For each of its rows something trivial is added in a copy of the
# tree; what was touched are the files that the row names, three at most; what depends on them is compiled, linked with the objects of
# the build, and does what it shall. Rows whose proof is another compiler or processor are named at the end.
. "$srcdir/tests/tools/tap.sh"
tap_dir
rooms="include base recording libmetrics report stdmetrics assertions profiler libpp ppctl"
tar -C "$srcdir" --exclude='*.o' --exclude='*.lo' --exclude='.libs' --exclude='.deps' -cf - $rooms docs/design.md | { mkdir "$tap_dir/before" && tar -C "$tap_dir/before" -xf -; }
flags="-std=gnu11 -D_GNU_SOURCE -DHAVE_CONFIG_H -Wall -Wextra -Werror -O1 -fPIC -ftls-model=initial-exec -fno-stack-protector $SANITIZER_FLAGS"
objects=$(ls "$builddir"/libpp/.libs/libpp_la-*.o)
archives=$(sed -n 's/^libpp_libpp_la_LIBADD = //p' "$srcdir/libpp/local.mk" | tr ' ' '\n' | sed -n "s|^\(.*\)/\(lib[^/]*\)\.la$|$builddir/\1/.libs/\2.a|p")
table=$(sed -n '/^| a \.\.\. /,/^$/p' "$srcdir/docs/design.md")
proved=

# ROW: a copy of the tree to add to
add () {
	row=$1 tree=$tap_dir/after
	rm -rf "$tree"
	cp -r "$tap_dir/before" "$tree"
	cd "$tree" || exit 99
	proved="$proved$row
"
}

# FILE AFTER LINE: LINE follows the line that AFTER, an extended regular expression, is found in first
line () {
	awk -v after="$2" -v new="$3" '{ print } !done && $0 ~ after { print new; done = 1 } END { exit !done }' "$1" >"$1.new" && mv "$1.new" "$1" ||
		echo "# $1 has no $2"
}

# FILE BEFORE LINES: likewise, before it
before () {
	awk -v before="$2" -v new="$3" '!done && $0 ~ before { print new; done = 1 } { print } END { exit !done }' "$1" >"$1.new" && mv "$1.new" "$1" ||
		echo "# $1 has no $2"
}

# FILE LIST LINE: LINE becomes the last of the macro LIST
last () {
	awk -v list="#define $2(X)" -v new="$3" '
		index ($0, list) == 1 { inside = 1 }
		inside && !/\\$/ { print $0 " \\"; print new; inside = 0; done = 1; next }
		{ print }
		END { exit !done }' "$1" >"$1.new" && mv "$1.new" "$1" || echo "# $1 has no $2"
}

# FILE...: compiles them; those of markers for general registers only, as libmetrics/local.mk does
compiles () {
	local file hot status=0
	made=
	for file in "$@"; do
		hot=
		! sed -n '/^libmetrics_libhot_la_SOURCES/,/^$/p' libmetrics/local.mk | grep -qF "$file" || hot="-mgeneral-regs-only -fno-tree-loop-distribute-patterns"
		[ "$PP_ARCH" != generic ] || hot=
		# shellcheck disable=SC2086 # flags are lists
		$CC $flags $hot -I"$builddir" -Iinclude -I. -Ibase/arch/"$PP_ARCH" -c "$file" -o "$tap_dir/$(echo "$file" | tr / _).o" || status=1
		made="$made $tap_dir/$(echo "$file" | tr / _).o"
	done
	return $status
}

# WITHOUT TEXT: a program of TEXT, with what was compiled instead of the build's, but for objects of libpp that are WITHOUT; its output
runs () {
	local without=$1 kept=$objects
	printf '%s\n' "$2" >show.c
	[ -z "$without" ] || kept=$(echo "$objects" | grep -v "$without")
	# shellcheck disable=SC2086 # flags and objects are lists
	$CC $flags -Wno-unknown-pragmas -I"$builddir" -Iinclude -I. -Ibase/arch/"$PP_ARCH" show.c $made $kept $archives $YAML_LIBS -lm -o show &&
		PP_THREADS=0 PP_GREETING=hello ./show 2>&1
}

# What was added is in the files that the row names; and SHOWN is what EXPECTED says
proves () { # SHOWN EXPECTED
	local touched named file unnamed=
	touched=$(diff -rq "$tap_dir/before" "$tree" | sed -n "s|^Files $tap_dir/before/\(.*\) and .*|\1|p; s|^Only in $tree/*\(.*\): \(.*\)|\1/\2|p" |
		grep -vE '^/?(show|show\.c|.*\.yaml)$')
	named=$(echo "$table" | grep -F "| $row |")
	for file in $touched; do
		case $named in
		*"$(basename "$file")"* | *"\`$(dirname "$file")/\`"* | *"its folder"*) ;;
		*) unnamed="$unnamed $file" ;;
		esac
	done
	tap_is "adding: $row: touches what the row names" "$unnamed" ""
	[ "$(echo "$touched" | wc -l)" -le 3 ]
	tap_result $? "... three files at most"
	tap_is "... and is there" "$1" "$2"
}

lists='#include <pp.h>
#include <stdio.h>
'

# DECLARATION THEN [INCLUDES]: the output of a program in which a metric m of DECLARATION has met a point with 7 and with 5, and which does THEN
measures () {
	runs '' "$lists${3:-}
int main (void)
{
	const char *volatile name = \"p\";
	pp_metric *m;

	pp_point_int (name, 1);
	pp_metric_new (&m, \"m\", \"$1\");
	pp_bind (m, name, 0);
	pp_point_int (name, 7);
	pp_point_int (name, 5);
	$2
}"
}

add source
last include/pp_abi_words.h PP_ABI_SOURCES '	X (answer)'
line stdmetrics/local.mk 'libstdmetrics_la_SOURCES' '	stdmetrics/answer.c \'
cat >stdmetrics/answer.c <<'E'
#include "stdmetrics/stdmetrics.h"

static int point (struct ppi_source_instance *instance, union ppi_sample *out)
{
	(void) instance;
	out->i = 42;
	return 0;
}

const struct ppi_source ppi_source_answer = {
	.name = "answer", .help = "42", .class = PPI_SOURCE_FUNCTION, .kinds = PPI_FOR_POINTS, .sample_type = PP_ABI_SAMPLE_INT, .scale = 1, .point = point};
E
compiles stdmetrics/answer.c stdmetrics/init.c
proves "$(measures "point scalar(answer)" 'printf ("%.0f\n", pp_last (m));')" 42

add sink
last libmetrics/marker/sink.h PPI_SINKS '	X (TALLY, tally)'
line libmetrics/local.mk 'libmetrics/marker/ratio.c' '	libmetrics/marker/say.c \'
cat >libmetrics/marker/say.c <<'E'
#include "libmetrics/marker/sink.h"

extern unsigned taken;
unsigned taken;

static void take (struct ppi_thread *t, const struct ppi_op *op, const struct ppi_taken *what)
{
	(void) t;
	(void) op;
	(void) what;
	taken++;
}

const struct ppi_sink ppi_sink_tally = {.name = "tally", .take = take};
E
compiles libmetrics/marker/say.c libmetrics/marker/sinks.c
proves "$(runs '' "$lists"'
#include "base/lock.h"
#include "libmetrics/registry/batch.h"
#include "libmetrics/registry/tap.h"
extern unsigned taken;
int main (void)
{
	const char *volatile name = "i";
	char why[99];

	pp_begin (name);
	pp_end (name);
	ppi_lock ();
	ppi_batch_begin ();
	ppi_tap_acquire (pp_span_site (name), PPI_SINK_TALLY, why, sizeof why);
	ppi_batch_end ();
	ppi_unlock ();
	for (int i = 0; i < 3; i++) {
		pp_begin (name);
		pp_end (name);
	}
	printf ("%s %u\n", ppi_sinks[PPI_SINK_TALLY]->name, taken);
}')" "tally 3"

add accumulator
last include/pp_abi_words.h PP_ABI_ACCUMULATORS '	X (NEWEST, "newest")'
line libmetrics/keep/table.h 'keep/histogram.h' '#include "libmetrics/keep/newest.h"'
cat >libmetrics/keep/newest.h <<'E'
#ifndef PPI_KEEP_NEWEST_H
#define PPI_KEEP_NEWEST_H
#include "libmetrics/keep/accumulator.h"
static const struct ppi_keep ppi_keep_NEWEST = {
	.name = "newest", .keeps = PPI_KEEPS_LAST, .bytes = sizeof (struct ppi_shard), .has = PPI_HAS_N | PPI_STAT (LAST), .alone = PPI_STAT (LAST)};
#endif
E
compiles libmetrics/keep/table.c
proves "$(measures "point newest(value)" 'printf ("%.0f of %.0f\n", pp_last (m), pp_stat (m, NULL, PP_STAT_N));')" "5 of 2"

add statistic
last include/pp_abi_words.h PP_ABI_STATISTICS '	X (EXTENT, "extent")'
last base/types.h PPI_STATISTICS '	X (EXTENT, SPREAD, 1, "max - min", "none")'
line libmetrics/keep/summary.c 'return \(double\) summary->lost;' '	case PP_STAT_EXTENT:
		return ppi_summary_get (summary, PP_STAT_MAX, scale) - ppi_summary_get (summary, PP_STAT_MIN, scale);'
compiles base/types.c libmetrics/keep/summary.c libmetrics/keep/accumulator.c libmetrics/keep/table.c libmetrics/stats/stat.c libmetrics/stats/merge.c
proves "$(measures "point stats(value)" 'printf ("%.0f, %s\n", pp_stat (m, NULL, PP_STAT_EXTENT), ppi_statistic_meaning (PP_STAT_EXTENT));' '
#include "base/types.h"')" "2, max - min"

add "policy key"
line assertions/language/grammar_keys.h 'FIELD \(reload, MAY' '	FIELD (greet, MAY, TRUTH, greet, "says hello")'
line assertions/language/policy.h 'size_t n_implied;' '	bool greet; /* hello */'
line assertions/load/load.c 'loaded->watched = ' '	if (policy->greet)
		ppi_message ("hello");'
compiles assertions/language/grammar.c assertions/language/policy_read.c assertions/load/load.c
cat >p.yaml <<'E'
version: 1
greet: true
E
sed s/greet/gret/ p.yaml >q.yaml
shown=$(runs '' "$lists"'
int main (void)
{
	pp_policy_load ("p.yaml");
	pp_policy_load ("q.yaml");
}')
proves "$(echo "$shown" | sed 's/.*: //' | grep -oE 'hello|did you mean.*' | paste -sd' ')" 'hello did you mean '"'greet'"'?'
tap_has "... also in the schema" "$($CC -E -x c $flags -I"$builddir" -Iinclude -I. -Ibase/arch/"$PP_ARCH" assertions/language/policy.schema.in |
	LC_ALL=C awk -f assertions/language/schema.awk)" '"greet":'

add action
sed -i '/ACTION (INVESTIGATE/,/END (action)/s/^	KEY (run, /	ACTION (GREET, greet, MAY, TEXT, "says hello")\n&/' assertions/language/grammar_keys.h
line assertions/react/actions.c 'case PPI_ACTION_SAMPLE:' '			break;
		case PPI_ACTION_GREET:
			ppi_message ("hello %s", actions[i].written->name->scalar);'
compiles assertions/language/grammar.c assertions/language/policy_action.c assertions/react/actions.c
cat >p.yaml <<'E'
version: 1
metrics:
  m: {point: value, keep: stats}
bind:
  - {metric: m, sites: ["p"]}
assertions:
  a:
    at: p
    expect: m.last <= 1
    on_fire:
      - greet: world
E
proves "$(runs '' "$lists"'
int main (void)
{
	const char *volatile name = "p";

	pp_point_int (name, 1);
	pp_policy_load ("p.yaml");
	for (int i = 0; i < 3; i++)
		pp_point_int (name, 7);
	pp_poll ();
}' | grep -o 'hello.*')" "hello world"

add "drop cause"
last include/pp_site.h PP_DROP_CAUSES '	X (LAZY, "lazy", "for want of energy")'
compiles base/types.c
proves "$(runs '' "$lists"'
#include "base/types.h"
int main (void)
{
	printf ("%s: %s\n", ppi_drop_name (PP_DROP_LAZY), ppi_drop_sentence (PP_DROP_LAZY));
}')" "lazy: for want of energy"

add "record type of the live region"
last base/chunk.h PPI_CHUNKS '	X (PEBBLE, 60, "pebble", sizeof (struct ppi_pebble_chunk), false, true, pebble_is_whole)'
line recording/layout.h '^#define PPI_ADAPT_ENDED' 'struct ppi_pebble_chunk {
	struct ppi_chunk chunk;
	uint64_t grams, reserved[5];
};'
before recording/check.c '^static const struct \{' 'static bool pebble_is_whole (const struct ppi_chunk *chunk, uint32_t bytes)
{
	return bytes && ((const struct ppi_pebble_chunk *) (const void *) chunk)->grams < 100;
}
'
compiles recording/check.c
proves "$(runs '' "$lists"'
#include "recording/check.h"
#include "recording/layout.h"
int main (void)
{
	struct ppi_pebble_chunk light = {.grams = 5}, heavy = {.grams = 500};

	printf ("%s %d %d\n", ppi_chunk_type_name (PPI_CHUNK_PEBBLE), ppi_chunk_is_whole (&light.chunk, PPI_CHUNK_PEBBLE, sizeof light),
		ppi_chunk_is_whole (&heavy.chunk, PPI_CHUNK_PEBBLE, sizeof heavy));
}')" "pebble 1 0"

add "kind of history"
last recording/layout.h PPI_HISTORY '	X (YAWN, 63, "yawned")'
compiles recording/names.c recording/check.c
proves "$(runs '' "$lists"'
#include "recording/layout.h"
#include "recording/names.h"
int main (void)
{
	printf ("%s\n", ppi_history_name (PPI_HISTORY_YAWN));
}')" "yawned"

add "report section"
last report/sections.h PPI_SECTIONS '	X (greeting)'
line report/local.mk 'libreport_la_SOURCES' '	report/greeting.c \'
cat >report/greeting.c <<'E'
#include "report/sections.h"

void ppi_section_greeting (struct ppi_report *report, const struct ppi_recording *recording)
{
	struct ppi_row *row = ppi_row (ppi_table (report, "greeting", "greeting"));

	(void) recording;
	ppi_put_text (row, "whom", "world");
	ppi_say (row, "  hello {whom}\n");
}
E
compiles report/greeting.c report/model.c
proves "$(measures "point stats(value)" 'pp_report (stdout);' | grep -o 'hello.*')" "hello world"

add "renderer, exporter"
line report/local.mk 'libreport_la_SOURCES' '	report/render_keys.c \'
cat >report/render_keys.c <<'E'
#include "report/model.h"

#include <stdio.h>

void ppi_report_keys (FILE *out, const struct ppi_report *report);
void ppi_report_keys (FILE *out, const struct ppi_report *report)
{
	for (const struct ppi_table *t = report->tables; t; t = t->next)
		fprintf (out, "%s\n", t->key);
}
E
before ppctl/report.c '^	if \(view->json\)' '	ppi_report_keys (stdout, report);'
line ppctl/report.c '^#include "ppctl/report.h"' 'void ppi_report_keys (FILE *out, const struct ppi_report *report);'
compiles ppctl/report.c
tap_result $? "a verb of ppctl calls a renderer"
compiles report/render_keys.c
proves "$(runs '' "$lists"'
#include "report/model.h"
void ppi_report_keys (FILE *out, const struct ppi_report *report);
int main (void)
{
	struct ppi_report *report = ppi_report_begin (NULL);

	ppi_table (report, "hello", NULL);
	ppi_table (report, "world", NULL);
	ppi_report_keys (stdout, report);
	ppi_report_free (report);
}' | paste -sd' ')" "hello world"

add "verb of \`ppctl\`"
last ppctl/verbs.h PPCTL_VERBS '	X (greet, "says hello")'
line ppctl/local.mk '^ppctl_ppctl_SOURCES =' 'ppctl_ppctl_SOURCES += ppctl/greet.c'
cat >ppctl/greet.c <<'E'
#include "ppctl/ppctl.h"

int ppctl_greet (int argc, char **argv)
{
	(void) argc;
	(void) argv;
	puts ("hello");
	return PPCTL_OK;
}
E
sed 's/^int main (/int verbs (int argc, char **argv);\nint verbs (/' ppctl/main.c >ppctl/show.c
compiles ppctl/greet.c ppctl/show.c
rm ppctl/show.c
# the other verbs do nothing here
proves "$(runs '' '#include "ppctl/ppctl.h"
#define ppctl_greet other
#define X(name, help) int ppctl_##name (int argc, char **argv) { (void) argc, (void) argv; return PPCTL_PROBLEM; }
PPCTL_VERBS (X)
PPCTL_VERBS_OF_PROGRAMS (X)
int verbs (int argc, char **argv);
int main (void)
{
	char *help[] = {(char[]){"ppctl"}, (char[]){"--help"}, NULL}, *greet[] = {help[0], (char[]){"greet"}, NULL};

	verbs (2, help);
	return verbs (2, greet);
}' | grep -oE 'greet *says hello|^hello' | tr -s ' ' | paste -sd' ')" "greet says hello hello"

add "command of \`ppctl\` to a running process"
before libmetrics/registry/command.c '^const struct ppi_command ppi_metric_commands' 'static int greet (const char *const *word, uint32_t controller, struct ppi_answer *answer)
{
	(void) controller;
	ppi_answer (answer, "hello %s", word[0]);
	return PP_OK;
}
'
line libmetrics/registry/command.c '"reset", 1, reset' '						  {"greet", 1, greet},'
last ppctl/verbs.h PPCTL_VERBS '	X (greet, "says hello")'
cat >>ppctl/control.c <<'E'

int ppctl_greet (int argc, char **argv)
{
	return control ("greet", argc, argv, 2, "a process and a name", NULL);
}
E
compiles ppctl/control.c
tap_result $? "ppctl sends a command"
compiles libmetrics/registry/command.c
proves "$(runs '' "$lists"'
#include "base/command.h"
#include "base/part.h"
int main (void)
{
	const struct ppi_command *greet = ppi_parts_command ("greet");
	struct ppi_answer answer = {.text = NULL};
	const char *const word[] = {"world"};

	if (greet && greet->words == 1 && greet->run (word, 0, &answer) == PP_OK)
		printf ("%.*s\n", (int) answer.bytes, answer.text);
	ppi_answer_free (&answer);
}' | grep -o 'hello.*')" "hello world"

add part
mkdir greeting
echo 'libpp_libpp_la_SOURCES += greeting/greeting.c' >greeting/local.mk
last libpp/parts.h PPI_PARTS_ABOVE '	X (greeting)'
cat >greeting/greeting.c <<'E'
#include "base/part.h"

#include <stdio.h>

static void init (void)
{
	puts ("hello");
}

static void fini (void)
{
	puts ("bye");
}

extern const struct ppi_part ppi_greeting_part;
const struct ppi_part ppi_greeting_part = {.init = init, .fini = fini};
E
compiles greeting/greeting.c libpp/main.c
proves "$(runs libpp_la-main.o "$lists"'
int main (void)
{
	puts ("between");
}' | paste -sd' ')" "hello between bye"

add "variable of the environment"
last base/environment.h PPI_ENVIRONMENT '	X (GREETING, "TEXT", "says it")'
made=
proves "$(runs '' "$lists"'
#include "base/environment.h"
int main (void)
{
	puts (ppi_environment (PPI_ENVIRONMENT_GREETING));
}')" "hello"

cd "$tap_dir" || exit 99
left=$(echo "$table" | sed -n 's/^| \([^|]*\) |.*/\1/p' | grep -vE '^(a \.\.\.|---)$' | grep -vxF "$proved")
tap_is "all rows were added but these, which need a recording of a profile, another processor or another compiler" \
	"$(echo "$left" | paste -sd,)" 'renderer of profiles,CPU,version of GCC'
tap_done
