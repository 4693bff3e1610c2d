/* SPDX-License-Identifier: MIT */
/*
 * grammar_keys.h: the language of policies, one table. From it come what the reader accepts and
 * what it suggests (grammar.c), the JSON Schema (policy.schema.in, schema.awk), and what the tables
 * of docs/policy.md must have (tests/tools/keys.sh). Included as often as there is a use, each time
 * with other macros; those that are not defined mean nothing.
 *
 * 	MAP (id, struct, "place in docs/policy.md", "description")     a map begins
 * 		KEY (name, when, form, "description")                  a key that the map's own code reads
 * 		FIELD (name, when, form, member, "description")        one that is read by its form
 * 		ACTION (ID, name, when, form, "description")           as KEY; also PPI_ACTION_ID
 * 		RULES ("keyword": value, ...)                          what the schema knows of keys together
 * 	END (id)
 * 	TYPE (name, schema)                                            forms that have a name
 * 	MEANT (other, key)                                             what other languages say for a key
 *
 * The place is a heading, whose table has a row for each key; or "heading: key", where the row of
 * that key names them in braces.
 *
 * when: MAY; MUST ("as the message says what is missing"); CLAUSE, as MAY, and in expectations of
 * the program's own, too; FIRE, as MAY, but in on_fire only; LATER, a word of the language that
 * this version does not have.
 *
 * form, read as it says: TRUTH, COUNT (min, max), COUNTED (min, max, "things": for which a time is
 * a slip), DURATION, WINDOW (least_ns, "least"), BYTES (least, "least"), NUMBER, NAME ("noun"),
 * TEXT, TEXT_AS (schema), PATH, NUMBERED_PATH, WORDS ("noun", word, ...), WORDS_OF ("noun", list of
 * X (id, word)); form, for the schema only: IS (type or map), NAMED (map), LIST (min, max, form),
 * ANY_LIST (form), ONE_OR_LIST (min, max, form), AS (schema). In what is schema here {"ref": "x"}
 * is the type or map x.
 *
 * A new key: its line here, its member in policy.h where it is a FIELD, and the code that it means
 * something to; its row in docs/policy.md, and its tests.
 */
/* clang-format off */
#include <pp_abi.h>

#ifndef MAP
#define MAP(...)
#endif
#ifndef KEY
#define KEY(...)
#endif
#ifndef FIELD
#define FIELD(...)
#endif
#ifndef ACTION
#define ACTION(...)
#endif
#ifndef RULES
#define RULES(...)
#endif
#ifndef END
#define END(...)
#endif
#ifndef TYPE
#define TYPE(...)
#endif
#ifndef MEANT
#define MEANT(...)
#endif

MAP (policy, struct ppi_policy, "## Keys",
     "What is measured in a program, what is expected of it, and what happens when that does not"
     " hold. docs/policy.md says it in full.")
	KEY (version, MUST ("'version: 1'"), AS ({"enum": [1, "1"]}), "of the language")
	KEY (metrics, MAY, NAMED (metric), "name: what is measured, and how samples are kept")
	KEY (bind, MAY, ANY_LIST (IS (binding)), "which metric is measured at which sites")
	KEY (assertions, MAY, NAMED (assertion), "name: what is expected")
	KEY (record, MAY, IS (record), "")
	FIELD (reload, MAY, TRUTH, reload, "loaded again when its file changes")
	KEY (overhead, MAY, IS (overhead), "what the markers may cost")
	KEY (adapt, MAY,
	     AS ({"anyOf": [{"ref": "adapt"},
	     {"type": "array", "minItems": 1, "items": {"ref": "adapt"}}]}),
	     "knobs whose values are tried for the best")
	FIELD (baseline, MAY, TEXT, baseline,
	     "the recording of an earlier run, for baseline (m.avg)")
	KEY (sweep, LATER, AS (), "")
	KEY (sample, LATER, AS (), "")
	KEY (features, MAY, IS (features), "which features are switched on and off")
	KEY (events, MAY, IS (events),
	     "executions that are recorded one by one, or in groups, with their dimensions, or the last of them")
	KEY (profile, MAY, IS (profile), "a profile that is taken by sampling, from the start")
END (policy)

MAP (record, struct ppi_policy, "## Keys: record", "where the recording goes")
	FIELD (file, MUST ("'file'"), NUMBERED_PATH, record, "")
	FIELD (overwrite, MAY, TRUTH, overwrite, "whatever file is there, not only a recording")
	FIELD (interval, MAY, WINDOW (100000000, "interval of recordings is 100 ms"), record_ns,
	     "how often what is new is written, at least 100 ms; 1s when not said")
	FIELD (max_size, MAY, BYTES (1048576, "max_size is 1 MiB"), record_bytes,
	     "what the file may take, at least 1 MiB; the oldest times go first; 1 GiB when not"
	     " said")
	KEY (every, LATER, AS (), "")
	KEY (rotate, LATER, AS (), "")
END (record)

MAP (profile, struct ppi_policy_profile, "## Keys: profile", "where the time goes, by sampling")
	FIELD (sampler, MAY, WORDS (NULL, "watcher", "interrupter"), sampler,
	     "a thread that looks at open intervals, or timers that interrupt for stacks of"
	     " functions; watcher when not said")
	FIELD (rate, MAY, COUNTED (1, PPI_SAMPLE_RATE_MOST, "samples a second"), rate,
	     "samples a second; 1000 when not said")
	FIELD (clock, MAY, WORDS (NULL, "wall", "cpu"), clock,
	     "what time is; of the interrupter cpu, of the watcher wall when not said")
	FIELD (signal, MAY, WORDS (NULL, "SIGURG", "SIGWINCH"), signal,
	     "of the interrupter: the only signal that it may use")
	FIELD (for, MAY, DURATION, for_ns, "it ends after this time")
	KEY (sites, MAY, IS (sites), "whose intervals are watched; all when not said")
	KEY (threads, MAY, IS (sites),
	     "globs on the names of threads: those are sampled; all when not said")
	FIELD (features, MAY, WORDS (NULL, "sampled", "exact"), features,
	     "features are seen, by the watcher nothing else where sites are not said; or they"
	     " are measured, without samples")
	RULES ("allOf": [
			{"if": {"required": ["sampler"],
			     "properties": {"sampler": {"const": "interrupter"}}},
			 "then": {"properties": {"sites": false}},
			 "else": {"properties": {"signal": false}}},
			{"if": {"required": ["features"],
			     "properties": {"features": {"const": "exact"}}},
			 "then": {"properties": {"rate": false, "clock": false, "sampler": false, "signal": false, "threads": false}}}])
END (profile)

MAP (events, struct ppi_policy_events, "## Keys: events", "executions one by one, and in groups")
	KEY (records, MAY, IS (sites), "the sites whose executions are recorded, each of them")
	KEY (aggregate, MAY, LIST (1, PPI_AGGREGATES_OF, IS (aggregate)),
	     "executions in groups by the values of their dimensions")
	FIELD (when_full, MAY, WORDS (NULL, "drop", "wait"), when_full,
	     "what happens where the disk is slower: records are dropped and counted, or markers"
	     " wait; drop when not said")
	FIELD (strings, MAY, COUNT (1, 65536), strings,
	     "how many different strings are told apart; 65536 when not said")
	KEY (flight, MAY, AS ({"anyOf": [{"ref": "flight"}, COUNT (16, 65536)]}),
	     "how many begins, ends and values of each thread are kept, for after a crash or a fire")
	RULES ("anyOf": [{"required": ["records"]}, {"required": ["aggregate"]},
			{"required": ["flight"], "properties": {"when_full": false, "strings": false}}])
END (events)

MAP (aggregate, struct ppi_policy_aggregate, "### An aggregate", "executions in groups")
	KEY (by, MUST ("'by', the dimensions that tell groups apart"),
	     ONE_OR_LIST (1, PPI_AGGREGATE_DIMS, IS (text)),
	     "the dimensions that tell groups apart, at most 4; 'event' is the interval's name")
	KEY (sites, MUST ("'sites', whose executions it is of"), IS (sites),
	     "the sites whose executions it is of")
	FIELD (keep, MAY, WORDS (NULL, "stats", "histogram"), keep,
	     "what is kept of the times of each group: histogram for quantiles; stats when not said")
	FIELD (max_groups, MAY, COUNTED (1, 65536, "groups"), max_groups,
	     "how many groups are told apart, all others are one; 1000 when not said")
END (aggregate)

MAP (flight, struct ppi_policy_flight, "### The flight recorder", "the last begins, ends and values")
	KEY (sites, MAY, IS (sites), "the sites whose begins, ends and values are kept; all when not said")
	FIELD (events, MAY, COUNT (16, 65536), events,
	       "how many of each thread, rounded up to a power of two; 256 when not said")
END (flight)

MAP (features, struct ppi_policy_features, "## Keys: features", "features that are switched")
	KEY (on, MAY, IS (sites), "globs on library.feature: sampled, measured and recorded")
	KEY (off, MAY, IS (sites), "... not; the longest glob that matches counts")
END (features)

MAP (overhead, struct ppi_policy, "## Keys: overhead", "")
	KEY (budget, MUST ("'budget', a share like 1%"),
	     AS ({"allOf": [{"ref": "threshold"},
	     {"anyOf": [{"type": "string"}, {"minimum": 0.0001, "exclusiveMaximum": 1}]}]}),
	     "share of the time of each thread, from 0.01% to 100%; 1 would be taken for 1%, so"
	     " 100% is written so")
END (overhead)

/* How samples are kept, which is said beside `keep`, or in it where that is a map */
#define SIZE_KEY(option, accumulator, most, text) KEY (option, MAY, COUNT (1, most), text)
#define SIZE_RULE(option, place, name) \
	{"if": {"required": [#option]}, "then": {"properties": {place: {"const": name}}}},
#define KEEP_RULE(option, accumulator, most, text) SIZE_RULE (option, "keep", accumulator)
#define ACCUMULATOR_RULE(option, accumulator, most, text) \
	SIZE_RULE (option, "accumulator", accumulator)
#define KEEPING \
	PP_ABI_SIZES (SIZE_KEY) \
	KEY (scope, MAY, WORDS_OF (NULL, PPI_SCOPES), \
	     "self: an execution's own part; outermost: of executions in no other of their site") \
	KEY (operator, MAY, IS (name), \
	     "how the readings at begin and end combine: difference, ratio, max, last, or a" \
	     " function that the program registers")

MAP (metric, struct ppi_policy_metric, "### A metric", "")
	KEY (interval, MAY, IS (text), "source that is read at intervals")
	KEY (point, MAY, IS (text), "source that is read at points")
	KEY (keep, MAY, AS ({"anyOf": [{"ref": "accumulator"}, {"ref": "keeping"}]}), "")
	KEEPING
	FIELD (every, MAY, COUNT (1, 1073741824), every, "one execution in so many is sampled")
	FIELD (optional, MAY, TRUTH, optional, "no warning where this machine lacks the source")
	KEY (fallback, MAY, ONE_OR_LIST (1, PPI_FALLBACKS, IS (one_source)),
	     "a source to use where this machine lacks the metric's own, or several, in their"
	     " order")
	FIELD (window, MAY, WINDOW (PPI_WINDOW_LEAST_NS, "window is 1 ms"), window_ns,
	     "its statistics are over so much time, at least 1 ms; all but total, n and lost")
	FIELD (corrected, MAY, TRUTH, corrected,
	     "samples of elapsed without what their own markers take")
	FIELD (jumped, MAY, TRUTH, jumped,
	     "executions whose end is jumped over (longjmp) have samples, too, up to where that is"
	     " noticed")
	KEY (expr, MAY, IS (expression),
	     "computed from other metrics: its name stands for this expression")
	RULES ("oneOf": [
			{"required": ["interval", "keep"], "not": {"required": ["expr"]}},
			{"required": ["point", "keep"], "not": {"required": ["expr"]}},
			{"required": ["expr"], "maxProperties": 1}],
		"allOf": [
			PP_ABI_SIZES (KEEP_RULE)
			{"if": {"anyOf": [{"required": ["scope"]}, {"required": ["operator"]}]},
			     "then": {"properties": {"keep": {"type": "string"}, "point": false}}},
			{"if": {"required": ["scope"], "properties": {"scope": {"const": "self"}}},
				"then": {"properties": {"operator": {"const": "difference"},
				     "keep": {"not": {"const": "count"}}}}},
			{"if": {"properties": {"keep": {"type": "object",
			     "anyOf": [{"required": ["scope"]}, {"required": ["operator"]}]}}},
			     "then": {"properties": {"point": false}}}])
END (metric)

MAP (keeping, struct ppi_policy_metric, "### A metric: keep",
     "an accumulator with what belongs to it")
	KEY (accumulator, MUST ("'accumulator'"), WORDS_OF (NULL, PPI_ACCUMULATORS), "")
	KEEPING
	RULES ("allOf": [
			PP_ABI_SIZES (ACCUMULATOR_RULE)
			{"if": {"required": ["scope"], "properties": {"scope": {"const": "self"}}},
				"then": {"properties": {"operator": {"const": "difference"},
				     "accumulator": {"not": {"const": "count"}}}}}])
END (keeping)

/* A metric with `expr` has no other key */
MAP (composite, struct ppi_policy_composite, "", "")
	FIELD (expr, MUST ("'expr'"), TEXT, expr, "")
END (composite)

#define BOUND \
	FIELD (metric, MUST ("'metric'"), NAME ("a metric's name"), metric, "") \
	KEY (sites, MUST ("'sites'"), IS (sites), "")
#define BOUND_HOW \
	FIELD (every, MAY, COUNT (1, 1073741824), every, "one execution in so many is sampled") \
	FIELD (for, MAY, DURATION, for_ns, "unbound again after this time")

MAP (binding, struct ppi_policy_bind, "### A binding", "")
	BOUND
	BOUND_HOW
	KEY (where, LATER, AS (), "")
END (binding)

MAP (assertion, struct ppi_policy_assertion, "### An assertion", "")
	KEY (at, MAY, IS (pattern), "checked when this site is sampled")
	KEY (every, MAY, DURATION, "checked by time")
	KEY (expect, MAY, IS (expression), "")
	FIELD (after, CLAUSE, COUNTED (0, 9007199254740992, "samples"), after,
	     "samples before the first check")
	FIELD (for, CLAUSE, COUNTED (1, 1000000, "consecutive failures"), fire_after,
	     "consecutive failures before it fires")
	FIELD (clear, CLAUSE, COUNTED (1, 1000000, "consecutive passes"), clear_after,
	     "consecutive passes before it clears")
	FIELD (cooldown, CLAUSE, DURATION, cooldown_ns, "from one fire to the next")
	KEY (capture, CLAUSE, LIST (0, PPI_CAPTURES, IS (captured)),
	     "metrics, or figures of groups: what else was high at a violation")
	FIELD (repeat, CLAUSE, TRUTH, repeat, "on_fire runs again while it fires")
	KEY (scope, CLAUSE, WORDS (NULL, "process", "thread"),
	     "one state for the process, or one for each thread")
	FIELD (severity, CLAUSE, WORDS (NULL, "info", "warning", "error", "critical"), severity, "")
	KEY (on_fire, MAY, IS (actions), "")
	KEY (on_clear, MAY, AS ({"allOf": [{"ref": "actions"}, {"ref": "clearing"}]}), "")
	KEY (model, MAY, IS (expression),
	     "an expression that may speak of sources and dimensions of the site")
	KEY (growth, MAY, IS (growth), "how a metric may grow with another")
	KEY (window, LATER, AS (), "")
	KEY (sweep, MAY, LIST (1, PPI_SWEEP_MAX, IS (threshold)),
	     "captures at these thresholds too, in place of the number that the right side is"
	     " multiplied with")
	FIELD (quiet, CLAUSE, TRUTH, quiet, "stderr does not hear that it fires")
	RULES ("oneOf": [
			{"required": ["at", "expect"],
				"not": {"anyOf": [{"required": ["every"]}, {"required": ["growth"]},
				     {"required": ["model"]}]}},
			{"required": ["every", "expect"],
				"not": {"anyOf": [{"required": ["at"]}, {"required": ["growth"]},
				     {"required": ["model"]}, {"required": ["sweep"]}]},
				"properties": {"scope": {"const": "process"}}},
			{"required": ["at", "model"],
				"not": {"anyOf": [{"required": ["every"]}, {"required": ["expect"]},
				     {"required": ["growth"]}]}},
			{"required": ["at", "growth"],
				"not": {"anyOf": [{"required": ["every"]}, {"required": ["expect"]},
				     {"required": ["model"]}, {"required": ["sweep"]}]},
				"properties": {"scope": {"const": "process"}}}])
END (assertion)

MAP (growth, struct ppi_policy_growth, "### An assertion: growth", "")
	FIELD (of, MUST ("'of' (a metric)"), NAME ("a metric's name"), of,
	     "a metric with a last sample, or a source")
	FIELD (with, MUST ("'with' (the metric that it grows with)"), NAME ("a metric's name"),
	     with, "a metric with a last sample, or a dimension of the site")
	KEY (at_most, MUST ("'at_most' (1, log n, n, n log n, n^2 or n^3)"), AS ({"anyOf": [
			{"type": "integer", "enum": [1]},
			{"type": "string",
			 "pattern": "^\\s*([oO]\\s*\\(\\s*)?(1|[nN]|([nN]\\s*\\*?\\s*)?[lL][oO][gG]\\s*[nN]|[nN]\\s*(\\^\\s*[23]|[²³]))(\\s*\\))?\\s*$"}]}),
	     "the steepest class that is allowed: 1, log n, n, n log n, n^2 or n^3")
	FIELD (every, MAY, DURATION, every_ns, "how often it is fitted")
END (growth)

MAP (adapt, struct ppi_policy_adapt, "### An adaptation", "")
	FIELD (choose, MUST ("'choose', a knob"), NAME ("a knob's name"), knob, "the knob")
	KEY (minimise, MAY, IS (expression),
	     "a number made of metrics, like time.avg, taken over each window")
	KEY (maximise, MAY, IS (expression),
	     "a number made of metrics, like time.avg, taken over each window")
	KEY (explore, MAY, AS ({"anyOf": [
			{"type": "number", "minimum": 0, "maximum": 0.5},
			{"type": "string",
			 "pattern": "^[+]?(0*([0-9]|[1-4][0-9]|50)(\\.0+)?[ \\t]*%|0*[0-4]?[0-9]\\.[0-9]+[ \\t]*%|0+(\\.([0-4][0-9]*|50*))?|-?0+(\\.0+)?)$"}]}),
	     "share of the windows in which others are tried while it is settled; 5% when not said")
	FIELD (every, MAY, WINDOW (10000000, "window is 10 ms"), every_ns,
	     "how long a window is, at least 10 ms; 1s when not said")
	FIELD (samples, MAY, COUNT (1, 1073741824), samples,
	     "in a window, that it counts; 10 when not said")
	KEY (values, MAY,
	     LIST (2, PPI_VARIANTS, AS ({"anyOf": [{"ref": "number"}, {"ref": "name"}]})),
	     "values or words of the knob to choose from; all when not said")
	RULES ("oneOf": [{"required": ["minimise"]}, {"required": ["maximise"]}])
END (adapt)

MAP (action, struct ppi_policy_action, "### Actions", "")
	ACTION (LOG, log, MAY,
	     AS ({"anyOf": [{"description": "a level, or a text", "type": "string", "minLength": 1},
	     {"ref": "log"}]}), "")
	ACTION (CALL, call, MAY, NAME ("a function's name"), "a PP_CALLABLE function")
	ACTION (BIND, bind, MAY, IS (bind), "")
	ACTION (UNBIND, unbind, MAY, IS (unbind), "")
	ACTION (KNOB, knob, MAY, IS (knob), "")
	ACTION (RECORD, record, MAY, AS ({"anyOf": [{"const": "mark"}, {"ref": "mark"}]}), "")
	ACTION (REPORT, report, MAY, PATH, "a file, or stderr")
	ACTION (SIGNAL, signal, MAY, AS ({"anyOf": [{"ref": "signal_name"}, {"ref": "signal"}]}),
	     "")
	ACTION (SAMPLE, sample, FIRE, IS (sample),
	     "taken at each violation, by whoever saw it; in on_fire only")
	ACTION (INVESTIGATE, investigate, FIRE,
	     AS ({"anyOf": [{"enum": [true, "true"]}, {"ref": "investigate"}]}),
		"which interval nested in this one the slowdown comes from; in on_fire of what is"
		     " expected at an interval")
	ACTION (PROFILE, profile, FIRE, AS ({"allOf": [{"ref": "profile"}], "required": ["for"]}),
		"where the time goes from now on, for a time; in on_fire only")
	ACTION (DUMP, dump, MAY, WORDS (NULL, "flight"),
	     "what the flight recorder has stays in the recording")
	KEY (run, LATER, AS (), "")
	RULES ("minProperties": 1, "maxProperties": 1)
END (action)

MAP (log, struct ppi_policy_action, "### Actions: log", "")
	KEY (level, MAY, WORDS_OF (NULL, PPI_LOG_LEVELS), "")
	FIELD (text, MAY, TEXT, name, "")
	KEY (to, MAY, PATH, "stderr, syslog, or a file")
END (log)

MAP (bind, struct ppi_policy_bind, "### Actions: bind", "")
	BOUND
	BOUND_HOW
	KEY (until, FIRE, WORDS (NULL, "clear"),
	     "unbound again when the assertion clears; in on_fire only")
END (bind)

MAP (unbind, struct ppi_policy_bind, "### Actions: unbind", "")
	BOUND
END (unbind)

MAP (knob, struct ppi_policy_action, "### Actions: knob", "")
	FIELD (name, MUST ("'name'"), NAME ("a knob's name"), name, "")
	KEY (step, MAY, NUMBER, "so many steps of the knob's own")
	KEY (set, MAY, AS ({"anyOf": [{"ref": "number"}, {"ref": "name"}]}),
	     "this value, or this word of the knob's")
	FIELD (min_dwell, MAY, DURATION, min_dwell_ns,
	     "it waits until the knob was turned that long ago")
	RULES ("oneOf": [{"required": ["step"]}, {"required": ["set"]}])
END (knob)

MAP (mark, struct ppi_policy_action, "### Actions: record", "")
	FIELD (mark, MAY, TEXT, name, "")
	FIELD (file, MAY, NUMBERED_PATH, file, "begun where nothing is recorded yet")
	FIELD (overwrite, MAY, TRUTH, set, "whatever file is there, not only a recording")
	RULES ("minProperties": 1)
END (mark)

MAP (signal, struct ppi_policy_action, "### Actions: signal", "")
	KEY (name, MUST ("'name'"), IS (signal_name), "")
	KEY (to, MAY, WORDS ("'to' of a signal", "process", "thread"), "")
END (signal)

MAP (sample, struct ppi_policy_action, "### Actions: sample", "")
	FIELD (metric, MUST ("'metric'"), NAME ("a metric's name"), name, "")
	FIELD (value, MUST ("'value'"),
	     TEXT_AS ({"anyOf": [{"type": "number"}, {"ref": "expression"}]}), expression, "")
END (sample)

MAP (investigate, struct ppi_policy_action, "### Investigations", "")
	FIELD (for, MAY, DURATION, bind.for_ns, "at most so long; 10s when not said")
	FIELD (depth, MAY, COUNT (1, 8), depth, "levels of nesting; 8 when not said")
	KEY (sites, MAY, IS (sites), "where to look; everywhere when not said")
END (investigate)

TYPE (name,
     {"description": "letters, digits and _, not a digit first", "type": "string",
     "pattern": "^[A-Za-z_][A-Za-z0-9_]*$"})
TYPE (captured,
     {"description": "a metric, or a figure of a group: m{key=1}.p99, all(m{key=1}).avg"
      ", any(m by key).p50",
	"type": "string",
	     "pattern": "^([A-Za-z_][A-Za-z0-9_]*$|\\s*[A-Za-z_][A-Za-z0-9_]*[{]|\\s*all\\s*\\([^{]*[{]|\\s*any\\s*\\()"})
TYPE (text, {"type": "string", "minLength": 1})
TYPE (file,
     {"description": "a path; %p is the process id, %h the host, %t the time, %x the program"
      ", %% a percent sign",
	"type": "string", "pattern": "^([^%]|%[phtx%])+$"})
TYPE (recording,
     {"description": "a path; %p is the process id, %h the host, %t the time, %x the program"
      ", %n the least number that makes a new name, %% a percent sign",
	"type": "string", "pattern": "^([^%]|%[phtxn%])+$"})
TYPE (pattern,
     {"description": "suffix of module!file:function/site, * stops at /, ** does not; "
      "or group:G, file:GLOB, fn:GLOB, module:GLOB, feature:GLOB",
	"type": "string", "minLength": 1})
TYPE (sites,
     {"anyOf": [{"ref": "pattern"},
     {"type": "array", "minItems": 1, "maxItems": PPI_SITES_COUNT, "items": {"ref": "pattern"}}]})
TYPE (duration,
     {"description": "a number and its unit: ns us µs ms s min h; from 1 ns to 1000 days",
	"type": "string",
	     "pattern": "^(?!0+(\\.0+)?([eE][+-]?[0-9]+)?[ \\t]*[a-z\u00b5\u03bc])[0-9]+(\\.[0-9]+)?([eE][+-]?[0-9]+)?[ \\t]*(ns|us|\u00b5s|\u03bcs|ms|s|min|h)$"})
TYPE (size, {"description": "a number and its unit: B kB KiB MB MiB GB GiB TB TiB",
	"type": "string",
	     "pattern": "^[0-9]+(\\.[0-9]+)?([eE][+-]?[0-9]+)?[ \\t]*(B|kB|KiB|MB|MiB|GB|GiB|TB|TiB)$"})
TYPE (number, {"description": "without a unit; 5% is 0.05",
	"anyOf": [{"type": "number"},
	     {"type": "string",
	     "pattern": "^[+-]?[0-9]+(\\.[0-9]+)?([eE][+-]?[0-9]+)?([ \\t]*%)?$"}]})
TYPE (threshold, {"anyOf": [{"type": "number", "exclusiveMinimum": 0},
	{"type": "string",
	     "pattern": "^(?![+]?0+(\\.0+)?([eE]|[ \\t]*%|$))[+]?[0-9]+(\\.[0-9]+)?([eE][+-]?[0-9]+)?([ \\t]*%)?$"}]})
TYPE (truth, {"enum": [true, false, "true", "false"]})
TYPE (digits, {"type": "string", "pattern": "^[0-9]+$"})
TYPE (expression,
     {"description": "docs/expressions.md", "type": "string", "pattern": "[^ \\t\\r\\n]"})
TYPE (accumulator, WORDS_OF (NULL, PPI_ACCUMULATORS))
TYPE (one_source,
     {"description": "as ppctl sources lists them", "type": "string", "pattern": "^[^,]+$"})
TYPE (signal_name, {"description": "with SIG or without", "enum": [PPI_SIGNALS (PPI_SIGNAL)]})
TYPE (actions, ANY_LIST (AS ({"anyOf": [{"const": "dump"}, {"ref": "action"}]})))

/* Where a map has several, the first */
MEANT (flight, events)
MEANT (condition, expect)
MEANT (assert, expect)
MEANT (require, expect)
MEANT (when, at)
MEANT (where, at)
MEANT (site, sites)
MEANT (site, at)
MEANT (sites, at)
MEANT (on_fail, on_fire)
MEANT (on_failure, on_fire)
MEANT (on_violation, on_fire)
MEANT (actions, on_fire)
MEANT (then, on_fire)
MEANT (accumulator, keep)
MEANT (source, interval)
MEANT (silent, quiet)
MEANT (path, file)
MEANT (limit, budget)

#undef MAP
#undef KEY
#undef FIELD
#undef ACTION
#undef RULES
#undef END
#undef TYPE
#undef MEANT
#undef KEEPING
#undef BOUND
#undef BOUND_HOW
	/* clang-format on */
