// SPDX-License-Identifier: GPL-3.0-or-later
//
// ppgcc.h: what the files of the plugin share.
//
// The way of a pragma through the compiler:
//
//   pragma.cc     reads "#pragma pp ..." from the parser
//   front-*.cc    puts calls of marker functions (__pp_begin ("...")) into the tree; an interval's end is a cleanup of
//                 the block
//   computed.cc   while blocks are nested: ends before computed gotos, where GCC runs no cleanup
//   calls.cc      when the CFG is built: pp_begin ("NAME") and the like become calls of marker functions
//   marker.cc     right after the CFG is built: the calls become asm markers, or guards, and static data (site.cc,
//                 record.cc), with what they hand over (values.cc), computed in a cold block (cold.cc)
//   barrier.cc    which of them are barriers for memory; what callers of their functions may believe
//   weight.cc     whenever functions have been summed up for the inliner: takes the markers off
//   loops.cc      in the loop passes: a copy of loops without their markers, in strips (strips.cc)
//   final.cc      right before expand, in lto1 too: tells inlined copies of one site apart
//   reorder.cc    around the pass that puts blocks in order: markers are in no block's way
//   emit.cc       right before instructions are written: the asm markers get their text
//   hints.cc      at the end: names that are likely to be mistakes
//   truth.h       what became of each interval: coverage and static estimates
//   module.cc     once per unit: the constructor that hands the tables to the runtime
//
// Everything that a marker needs travels in the tree, as text in the call's first argument. Side tables would be lost
// by precompiled headers.

#ifndef PPGCC_H
#define PPGCC_H

#include "gcc-compat.h"
#include "pp_abi.h"

// ---- plugin.cc: options and the language at hand

enum ppgcc_marker_kind { PPGCC_PATCH, PPGCC_GUARD };

struct ppgcc_options {
	bool verbose;
	bool guard_asked;
	bool patch_asked;
	enum { NO_CALLS, CALL_POINTS, CALL_INTERVALS } calls; // in every function
	const char *instrument, *report;                      // files, or NULL
	enum {
		SOME_LOOP_COPIES,
		LOOP_COPIES_ON,
		NO_LOOP_COPIES
	} loop_copies; // some: not for the markers of -calls alone
	bool rule_notes = true;
};
extern ppgcc_options ppgcc_opts;

bool ppgcc_is_cxx ();
bool ppgcc_is_c_family ();
// Whether markers are impossible for this target, whatever asks for them at LOC; says so once in a unit.
bool ppgcc_refused (location_t loc);
// What markers are made of in this compilation; decided late, when all options are known.
ppgcc_marker_kind ppgcc_kind ();

// ---- diag.cc: words that are nearly right

typedef auto_vec<const char *> ppgcc_words;
// The word of CANDIDATES that WORD was probably meant to be, or NULL.
const char *ppgcc_closest (const char *word, const ppgcc_words &candidates);
// An error at LOC with the text "WHAT WORD; did you mean CLOSEST?", the last part only if there is one.
void ppgcc_unknown_word (location_t loc, const char *what, const char *word, const ppgcc_words &candidates);

// ---- source.cc: what stands before a pragma in the source

// A line of FILE, 1 the first, without its end; NULL where there is none, or no such file.
const std::string *ppgcc_source_line (const char *file, int line);
// The character at LOC, 0 where it is not known.
char ppgcc_source_char (location_t loc);
// Before anything of the unit is read: keeps the text of a main file that can't be read again.
void ppgcc_source_keep (void);
// What the pragma with its WORD at LOC would be the whole body of ("if", "for", "omp parallel" ...), or NULL.
const char *ppgcc_sole_body (location_t loc, const char *word);

// ---- lexer.cc: the tokens of a pragma

struct ppgcc_token {
	enum cpp_ttype type;
	tree value;
	location_t loc;
};

// All tokens of one pragma, read at once.
class ppgcc_lexer
{
public:
	ppgcc_lexer ();
	const ppgcc_token &peek (unsigned ahead = 0) const;
	ppgcc_token next ();
	bool at (enum cpp_ttype type) const
	{
		return peek ().type == type;
	}
	bool at_end () const
	{
		return at (CPP_EOF) || at (CPP_PRAGMA_EOL);
	}
	bool at_name (const char *name) const;
	bool accept (enum cpp_ttype type);
	// The next token must be of TYPE; else an error that says WHAT was expected.
	bool expect (enum cpp_ttype type, const char *what);
	// The next token must be a name. NULL after an error.
	const char *name (const char *what, location_t *loc);
	location_t loc () const
	{
		return peek ().loc;
	}
	// An error at the next token: "expected WHAT before ...".
	void expected (const char *what);
	// How far ahead what follows the parentheses is that open AHEAD tokens from here.
	unsigned after_parentheses (unsigned ahead) const;

private:
	auto_vec<ppgcc_token> m_tokens;
	unsigned m_at;
};

// A token as it is written, as far as GCC remembers.
std::string ppgcc_spelling (const ppgcc_token &token);
// Installs the hook that keeps macros out of names and quotes the expressions of "expect".
void ppgcc_lexer_init ();

// ---- expr.cc: expressions in pragmas

struct ppgcc_arguments {
	auto_vec<tree> values;
	auto_vec<location_t> locs;
};

// These return error_mark_node, or false, after a diagnostic. WHAT is the clause, for messages.

// Parses an expression up to the closing parenthesis or comma, which is left.
tree ppgcc_parse_expression (ppgcc_lexer &lex, const char *what);
// The same, and it must be something that a site can capture.
tree ppgcc_parse_value (ppgcc_lexer &lex, const char *what);
// "(ARG, ...)" or ", ARG, ..."
bool ppgcc_parse_arguments (ppgcc_lexer &lex, const char *what, ppgcc_arguments &args);

// ---- letters.cc: what a site captures

// How a value of TYPE is captured: a letter of pp_abi.h's dims, or 0 where it can't be.
char ppgcc_value_letter (tree type);
// Whether VALUE costs nothing to compute: a constant, or a variable that can live in a register.
bool ppgcc_simple_value (tree value);
void ppgcc_letters_register (const char *plugin);

// ---- site.cc: a site as text, and its descriptor

struct ppgcc_site {
	int kind;  // enum pp_abi_site_kind
	int flags; // enum pp_abi_site_flag, and the one below
	int line, column;
	int serial;            // tells sites of one macro expansion apart; negative: calls, which have no scope
	int function_line = 0; // where the function is defined
	std::string name, function, file, groups, metrics;
	std::string parameters; // of the function, in C++: "(int) const"
	std::string dims;       // the keys alone, "n,ratio": types are known when the marker is made
};

// In the flags of a site, but not of its descriptor: only -fplugin-arg-ppgcc-calls asked for it.
#define PPGCC_SITE_OF_CALLS 0x100

// Says in which function SITE is: FN.
void ppgcc_site_in (ppgcc_site &site, tree fn);
// Takes the first line off TEXT: the way to read what was packed. Every line ends with a newline.
std::string ppgcc_take_line (const char *&text);
std::string ppgcc_site_pack (const ppgcc_site &site);
ppgcc_site ppgcc_site_unpack (const char *text);
// The same once parsing is over: PP_ABI_SITE_BARRIER is in the flags where it belongs.
ppgcc_site ppgcc_site_complete (const char *text);
// How the descriptors' names begin.
#define PPGCC_SITE_PREFIX "pp_site."
// The site's descriptor in this unit, made when first asked for. TEXT is packed. LETTERS say what a begin or point hands
// over: that of the value or payload ('-': there is none), then those of the dims; each 'i', 'd', 'p' or 's', see
// pp_abi.h; "" where there is nothing.
tree ppgcc_site_variable (const char *text, const std::string &letters, ppgcc_marker_kind kind);
// The attribute of the descriptor of a site with PP_ABI_SITE_BARRIER.
#define PPGCC_BARRIER_ATTRIBUTE "pp barrier"
// The attribute of a descriptor with the site's name, for messages.
#define PPGCC_NAME_ATTRIBUTE "pp name"
// The attribute of the descriptor of a site with "fence".
#define PPGCC_FENCE_ATTRIBUTE "pp fence"
// The attribute of the descriptor of a site that nobody is warned of: it is no interval, or the source does not have it.
#define PPGCC_QUIET_ATTRIBUTE "pp quiet"
// The attribute of the descriptor of a site with PPGCC_SITE_OF_CALLS.
#define PPGCC_OF_CALLS_ATTRIBUTE "pp of calls"
// How many descriptors this unit has.
unsigned ppgcc_sites ();

// ---- hints.cc: what is suspicious about names once a unit is known

// A site of any origin; one that a pragma of the unit makes, at LOC.
void ppgcc_site_seen (const ppgcc_site &site);
void ppgcc_site_written (const ppgcc_site &site, location_t loc);
// A metric that something in the unit measures.
void ppgcc_metric_used (const char *name);
// METRIC is bound to SITE, or unbound from it, by a statement.
void ppgcc_bind_seen (const char *metric, location_t metric_loc, const std::string &site, location_t site_loc);
void ppgcc_hints_register (const char *plugin);

// ---- image.cc: static data of a given layout

class ppgcc_image
{
public:
	explicit ppgcc_image (unsigned text_offset) : m_text_offset (text_offset)
	{
	}
	void u8 (unsigned value)
	{
		number (value, 1);
	}
	void u16 (unsigned value)
	{
		number (value, 2);
	}
	void u32 (unsigned value)
	{
		number (value, 4);
	}
	void u64 (unsigned HOST_WIDE_INT value)
	{
		number (value, 8);
	}
	// ADDRESS is the address of a declaration, or NULL_TREE for a null pointer.
	void pointer (tree address);
	// The offset that TEXT will have; 0 where it is empty and OPTIONAL.
	unsigned text (const std::string &text, bool optional);
	// The structure's size so far announced: fields, text, padding.
	unsigned size () const;
	// A static variable with this content; 64-byte aligned where there is text. SECTION may be NULL; KEEP: nothing
	// may drop it.
	tree variable (const char *name, const char *section, bool keep, bool read_only);

private:
	void number (unsigned HOST_WIDE_INT value, unsigned bytes);
	void end_numbers ();
	struct field {
		tree type;
		tree value;
	};
	auto_vec<field> m_fields;
	auto_vec<tree> m_words; // numbers that are in no field yet
	unsigned HOST_WIDE_INT m_word = 0;
	unsigned m_offset = 0;
	unsigned m_text_offset;
	std::string m_text;
};

// ---- record.cc: metric, expect, bind

struct ppgcc_metric {
	std::string name, accumulator, source, options, declaration;
	int kind; // enum pp_abi_site_kind
	location_t loc;
	tree begin, end; // the user's functions, or NULL_TREE
	bool arguments;  // they take some
};

// Checks the user's functions of a metric, and finds out whether they take arguments; errors point at BEGIN_LOC and
// END_LOC.
bool ppgcc_metric_check (ppgcc_metric &metric, location_t begin_loc, location_t end_loc);
// The type of FN's result.
tree ppgcc_result_type (tree fn);
// Emits the record. VARIABLE is the program's variable.
void ppgcc_metric_record (const ppgcc_metric &metric, tree variable);
// The static record of an expectation: "file\nline\ncolumn\nfunction\nname\nexpression".
tree ppgcc_expect_record (const char *text, tree callback);
// The static argument of bind and unbind: "file\nline\nfunction\nmetric\nsite\nfunction's line".
tree ppgcc_bind_record (const char *text);

// ---- front-c.cc, front-cxx.cc: the parts that differ between the front ends

#define PPGCC_FRONT(LANG)                                                                                              \
	bool ppgcc_##LANG##_in_function ();                                                                            \
	bool ppgcc_##LANG##_constant_function ();                                                                      \
	bool ppgcc_##LANG##_in_template ();                                                                            \
	std::string ppgcc_##LANG##_function_name ();                                                                   \
	/* statements */                                                                                               \
	void ppgcc_##LANG##_statement (tree expression);                                                               \
	void ppgcc_##LANG##_if (location_t loc, tree condition, tree then);                                            \
	void ppgcc_##LANG##_scope (location_t loc, tree fn, tree text, int serial);                                    \
	/* a variable NAME = INIT, and METRIC's sample of the site when it goes out of scope */                        \
	void ppgcc_##LANG##_inline_scope (location_t loc, const std::string &name, tree init, tree text, tree metric); \
	tree ppgcc_##LANG##_block_begin ();                                                                            \
	void ppgcc_##LANG##_block_end (location_t loc, tree block);                                                    \
	tree ppgcc_##LANG##_local (location_t loc, const std::string &name, tree type, tree init);                     \
	/* a call of a marker function or a built-in */                                                                \
	tree ppgcc_##LANG##_marker (location_t loc, tree fn, const vec<tree> &args);                                   \
	/* declarations */                                                                                             \
	tree ppgcc_##LANG##_declare (location_t loc, const char *name, const char *asm_name, tree type);               \
	tree ppgcc_##LANG##_function (tree name, tree scope, location_t loc, unsigned args);                           \
	/* RID_MAX: NAME is none */                                                                                    \
	enum rid ppgcc_##LANG##_keyword (tree name);                                                                   \
	tree ppgcc_##LANG##_type (tree name, tree scope);                                                              \
	bool ppgcc_##LANG##_scalar_type (tree type);                                                                   \
	/* expressions */                                                                                              \
	tree ppgcc_##LANG##_qualified (location_t loc, tree name, tree scope);                                         \
	tree ppgcc_##LANG##_identifier (location_t loc, tree name, bool called);                                       \
	tree ppgcc_##LANG##_string (tree string);                                                                      \
	tree ppgcc_##LANG##_member (location_t loc, tree object, tree name, location_t name_loc, bool arrow);          \
	tree ppgcc_##LANG##_subscript (location_t loc, tree array, tree index);                                        \
	tree ppgcc_##LANG##_call (location_t loc, tree fn, ppgcc_arguments &args, bool plain_name);                    \
	tree ppgcc_##LANG##_unary (location_t loc, enum tree_code code, tree operand);                                 \
	tree ppgcc_##LANG##_binary (location_t loc, enum tree_code code, tree left, tree right);                       \
	tree ppgcc_##LANG##_conditional (location_t loc, tree condition, tree yes, tree no);                           \
	tree ppgcc_##LANG##_cast (location_t loc, tree type, tree operand);                                            \
	tree ppgcc_##LANG##_size_of (location_t loc, tree type, tree operand);                                         \
	tree ppgcc_##LANG##_measurable (location_t loc, tree value, const char *what);

PPGCC_FRONT (c)
PPGCC_FRONT (cxx)
tree ppgcc_c_tagged_type (enum rid which, tree name);
// FN's name as in the source, in C++.
std::string ppgcc_cxx_name (tree fn);
// What tells FN from others of its name, in C++: "(int, double) const"; of a template's instance,
// as the template has it. "" where that is long.
std::string ppgcc_cxx_parameters (tree fn);
// Whether NAME in SCOPE is a template, in C++.
bool ppgcc_cxx_template (tree name, tree scope);
tree ppgcc_cxx_static_cast (location_t loc, tree type, tree operand);
// In C++ a variable can stand for an interval's end, so that templates know of it. Its attributes: the site's text; or, of one
// with the result of an inline interval's begin, the text and the metric.
#define PPGCC_SITE_ATTRIBUTE "pp site"
#define PPGCC_INLINE_ATTRIBUTE "pp inline"
void ppgcc_cxx_register (const char *plugin);
#define ppgcc_front(call) (ppgcc_is_cxx () ? ppgcc_cxx_##call : ppgcc_c_##call)

// ---- marker.cc

enum ppgcc_op {
	PPGCC_BEGIN,
	PPGCC_END,
	PPGCC_POINT,
	PPGCC_VALUE,
	PPGCC_ENABLED, // whether a begin or point that computes what it hands over is wanted
	PPGCC_WANTED,  // ... and one of its captures
	PPGCC_BITS,    // that in 64 bits
	PPGCC_EXPECT,
	PPGCC_BIND,
	PPGCC_UNBIND,
	// direct.cc: what the code measures by itself
	PPGCC_INLINE_BEGIN,
	PPGCC_INLINE_INT,
	PPGCC_INLINE_DOUBLE,
	PPGCC_SAMPLE_BEGIN,
	PPGCC_SAMPLE_END,
	PPGCC_SAMPLE_INT,
	PPGCC_SAMPLE_DOUBLE,
	PPGCC_OPS
};

// The front end's declaration of a marker function.
tree ppgcc_marker_function (ppgcc_op op);
// A declaration of a marker function for passes after parsing, in any language.
tree ppgcc_marker_declaration (ppgcc_op op);
// A string literal as the front ends make it, and its address as a function's argument.
tree ppgcc_literal (const std::string &text);
// What the runtime's guard entries are called until ppfinal has been: a link with -flto that lacks it lacks them too.
#define PPGCC_UNFINISHED ".the_link_with_flto_needs_fplugin_ppgcc_too"
// External function NAME of the runtime: void (first[, second]).
tree ppgcc_runtime_function (const char *name, tree first, tree second);
void ppgcc_marker_register (const char *plugin);
// The operation of STMT while it is still a call of a marker function, an enum ppgcc_op; else -1.
int ppgcc_marker_op (gimple *stmt);
// Whether STMT is a marker, and which operation it is; for asm markers and guard calls.
bool ppgcc_marker_p (gimple *stmt);
// The text that the front end put into STMT, a call of a marker function.
const char *ppgcc_marker_text (gimple *stmt);

// ---- words.cc: the words of a descriptor that the code tests

// Adds to SEQ a load of the enabled word of SITE, a site's variable; the result is a register.
tree ppgcc_enabled_load (gimple_seq *seq, tree site);
// The same of the word that says which captures are wanted.
tree ppgcc_wanted_load (gimple_seq *seq, tree site);
// The site's variable if STMT is a load of its enabled word, else NULL_TREE.
tree ppgcc_enabled_site (gimple *stmt);
// Whether VALUE, in SSA form, is what such a load gave, or says whether that is not 0.
bool ppgcc_enabled_word (tree value);
// Whether E leads to what a marker does while something is bound: the way of a guard to its call, or of a patchable
// marker to its cold block.
bool ppgcc_cold_edge (edge e);

// ---- barrier.cc

// "#pragma pp bind METRIC to SITE" is in the unit.
void ppgcc_note_bind (const char *metric, const std::string &site);
// Whether PATTERN chooses sites by something else than their names: "group:g", "fn:f", "file.c:**".
bool ppgcc_by_property (const std::string &pattern);
// Whether the markers of SITE are barriers for memory; once parsing is over.
bool ppgcc_site_is_barrier (const ppgcc_site &site);
// Whether FN reads or writes memory of the program's, as far as its declaration says; not where it is
// NULL_TREE.
bool ppgcc_touches_memory (tree fn);
void ppgcc_barrier_register (const char *plugin);

// ---- scopes.cc

// FOUND are the calls of marker functions in FUN: errors about intervals that are jumped into or suspended in.
void ppgcc_check_scopes (function *fun, const auto_vec<gimple *> &found);

// ---- values.cc: what a begin or point hands over

// The letters of CALL of a marker function, its second argument; "" where it hands over nothing.
std::string ppgcc_letters (gimple *call);
// What it hands over as operands of the marker.
struct ppgcc_operands {
	tree bits = NULL_TREE;  // the value in 64 bits, or the array's address; NULL_TREE where there is nothing
	tree array = NULL_TREE; // the array
	auto_vec<tree> reads;   // other memory that must be as the source has it
	bool reads_all = false; // ... or all of it
};
// Computes before *GSI, a call of a marker function, what it hands over.
void ppgcc_compute_values (gimple_stmt_iterator *gsi, ppgcc_operands &out);
// *GSI, a call of __pp_bits, becomes what it says.
void ppgcc_compute_bits (gimple_stmt_iterator *gsi);

// ---- cold.cc: a marker that computes what it hands over in a cold block

// Cuts the CFG at CALL, a call of __pp_enabled, which ends its block then and is to be replaced by an asm goto to the
// label of the block that is returned: there it was true.
basic_block ppgcc_cold_split (gimple *call);
// Puts COLD and what only they lead to at the function's end. Leaves dominators behind.
void ppgcc_cold_move (const auto_vec<basic_block> &cold);

// ---- asm-x86.cc, asm-aarch64.cc, asm-none.cc: patch markers in assembly; one of them for the CPU of this GCC; see emit.h

// Whether there are patch markers with these options.
bool ppgcc_asm_possible ();
// The constraint of the asm's first operand, the site's address.
extern const char ppgcc_asm_site_constraint[];
// What its text depends on; also the asm's second operand.
enum ppgcc_asm_code {
	PPGCC_ASM_OP = 3,      // enum pp_abi_op
	PPGCC_ASM_VALUE = 4,   // operand 2 is pushed
	PPGCC_ASM_TEST = 8,    // the NOP alone, an asm goto: its label is the cold block's
	PPGCC_ASM_COLD = 16,   // what the cold block does in the end: no NOP, no record
	PPGCC_ASM_ANCHOR = 32, // nothing at all: says where an interval that guards measure begins or ends, for truth.h
};
// The constraint of an anchor's only operand, the site's address; NULL where no anchor is possible with these options.
const char *ppgcc_asm_anchor_constraint ();

// ---- asm.cc: a patch marker's text on its way through the compiler

// ---- live.cc

// What holds nothing of the program's at the markers of FUN, in its last GIMPLE: PP_ABI_MARKER_NO_*.
unsigned ppgcc_not_live (function *fun);

// ---- fast.cc

#define PPGCC_FAST_ATTRIBUTE "pp_fast"
// Does FN use general registers only (PP_FAST)?
bool ppgcc_fast_p (tree fn);

struct ppgcc_note {
	unsigned code = 0;   // enum ppgcc_asm_code
	unsigned depth = 0;  // how often its function was inlined into itself there; final.cc
	unsigned flags = 0;  // enum pp_abi_marker_flag
	std::string figures; // estimate.cc
};
std::string ppgcc_note_write (const ppgcc_note &note);
// Whether TEXT is a note, and what it says.
bool ppgcc_note_p (const char *text);
ppgcc_note ppgcc_note_read (const char *text);
// The enum pp_abi_op of the marker with this note; -1 where it has no record.
int ppgcc_note_op (const char *text);

// ---- emit.cc: what becomes of it in the assembly file

// The struct pp_abi_module at SYMBOL is to be handed over at start-up, and withdrawn in the end.
void ppgcc_emit_module (const char *symbol, int priority);
void ppgcc_emit_register (const char *plugin);

// ---- strips.cc

// Divides an innermost loop, in LCSSA with a preheader and a simple latch, into strips inside a new loop around it, which
// the loop tree doesn't know yet, nor do dominators. Returns how many iterations a strip has at most; 0 where LOOP has
// no more itself, and nothing was done.
int ppgcc_strip (class loop *loop);
// What has to hold before LOOP so that its iterations can be counted, or NULL_TREE where that depends on nothing.
tree ppgcc_strip_condition (class loop *loop);

// ---- metric.cc

void ppgcc_pragma_metric (ppgcc_lexer &lex);
// The variable of metric NAME as declared here, or NULL_TREE, and the text it was declared with.
tree ppgcc_declared_metric (const char *name);
const char *ppgcc_metric_declaration (tree variable);
std::string ppgcc_metric_source (tree variable);
// Its functions in the program; NULL_TREE where the source is one of the library's, and for the end of a point metric.
tree ppgcc_metric_function (tree variable, bool end);
// Has it a scope, which is of intervals that are nested?
bool ppgcc_metric_nests (tree variable);
bool ppgcc_metric_takes_arguments (tree variable);
// A metric whose name is nearly NAME, or NULL.
const char *ppgcc_closest_metric (const char *name);
// What the global metric NAME is for, enum pp_abi_site_kind; 0: there is no such metric in the
// unit.
int ppgcc_metric_kind (const std::string &name);

// ---- pragma.cc

// A function as it is named in a pragma.
struct ppgcc_function {
	location_t loc;
	tree scope; // list of the identifiers before NAME in "ns::f", outermost first
	tree name;
};
// WHAT is for the message that something else was found.
bool ppgcc_parse_function (ppgcc_lexer &lex, ppgcc_function &fn, std::string &text, const char *what);
// Nothing may follow; else an error.
bool ppgcc_end_of_pragma (ppgcc_lexer &lex);
// Whether a statement can stand here; else a diagnostic about the pragma WORD at LOC.
bool ppgcc_statement_possible (location_t loc, const char *word);
std::string ppgcc_source_file (location_t loc);
// The statement "OP (TEXT[, SECOND])".
void ppgcc_call_marker (location_t loc, ppgcc_op op, const std::string &text, tree second);

// ---- pragma-site.cc, pragma-inline.cc, pragma-sample.cc, pragma-expect.cc: one function for each form, LOC that of its word

void ppgcc_pragma_point (ppgcc_lexer &lex, location_t loc);
void ppgcc_pragma_interval (ppgcc_lexer &lex, location_t loc);
void ppgcc_pragma_feature (ppgcc_lexer &lex, location_t loc);
void ppgcc_pragma_antimark (ppgcc_lexer &lex, location_t loc);
void ppgcc_pragma_sample_begin (ppgcc_lexer &lex, location_t loc);
void ppgcc_pragma_sample_end (ppgcc_lexer &lex, location_t loc);
void ppgcc_pragma_bind (ppgcc_lexer &lex, location_t loc);
void ppgcc_pragma_unbind (ppgcc_lexer &lex, location_t loc);
void ppgcc_pragma_expect (ppgcc_lexer &lex, location_t loc);

// A metric that a site names; DECL is NULL_TREE where it isn't declared.
struct ppgcc_named_metric {
	tree decl;
	location_t loc;
	const char *name;
};
// Whether the code itself can measure METRICS; else an error.
bool ppgcc_inline_possible (const vec<ppgcc_named_metric> &metrics);
void ppgcc_inline_site (const ppgcc_site &site, location_t loc, const vec<ppgcc_named_metric> &metrics);
// The expression "sample of METRIC, whose begin function's result is in VAR, for the site with this TEXT".
tree ppgcc_inline_sample (location_t loc, tree text, tree metric, tree var);

// ---- direct.cc: marker functions of what the code measures by itself

// The type of the marker function of operation OP.
tree ppgcc_direct_type (int op);
// The statement at *GSI, a call of a marker function with operation OP, becomes one of the runtime.
void ppgcc_direct_call (gimple_stmt_iterator *gsi, int op);

// ---- expectation.cc

// Whether TEXT is an expression, as far as that shows without knowing what its names are; what is wrong is told. It stands at LOC, behind a
// quote if it is a LITERAL.
bool ppgcc_check_expectation (const char *text, location_t loc, bool literal);

// ---- wrap.cc

// Whether FN is the resolver of an ifunc, which must not call anything; when all functions are there.
bool ppgcc_ifunc_resolver (tree fn);

// ---- reorder.cc

// Right before the pass that puts blocks in order, in a function with markers; and at the next pass.
void ppgcc_reorder_begins ();
void ppgcc_reorder_ended ();

// ---- final.cc

// Makes the functions that come from now on go through the passes only that markers allow.
void ppgcc_final_needed ();
// The label of the function that is being compiled.
const char *ppgcc_function_symbol ();
// Of a function: an interval of it may be open in several of its copies on one stack.
#define PPGCC_COPIES_ATTRIBUTE "pp copies"
void ppgcc_add_copies_attribute (tree fn);
// Adds it to FUN, which has intervals and is as its author wrote it, if it calls what may come back. Nothing where calls push.
void ppgcc_note_copies (function *fun);

// ---- positions.cc, fence.cc, estimate.cc, coverage.cc, moved.cc: what became of intervals; see truth.h

void ppgcc_positions_register (const char *plugin);
void ppgcc_estimate_register (const char *plugin);
void ppgcc_coverage_register (const char *plugin);
// -fplugin-arg-ppgcc-Wpp-moved[=error|all] and -Wno-pp-moved; false after an error.
bool ppgcc_moved_argument (const char *value);
bool ppgcc_not_moved_argument (const char *);

// ---- attributes.cc, computed.cc, final.cc, instrument.cc, loops.cc, module.cc, pragma.cc, weight.cc

void ppgcc_weight_register (const char *plugin);
void ppgcc_attributes_register (const char *plugin);
void ppgcc_instrument_register (const char *plugin);
// Registered after marker.cc's pass, which it comes before.
void ppgcc_calls_register (const char *plugin);
void ppgcc_computed_register (const char *plugin);
void ppgcc_final_register (const char *plugin);
void ppgcc_fast_register (const char *plugin);
void ppgcc_loops_register (const char *plugin);
void ppgcc_module_register (const char *plugin);
void ppgcc_pragma_register (const char *plugin);

#endif
