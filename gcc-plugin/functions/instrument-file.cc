// SPDX-License-Identifier: GPL-3.0-or-later
//
// instrument-file.cc: the rules of -fplugin-arg-ppgcc-instrument=FILE.yaml, and the features of
// -fplugin-arg-ppgcc-features=FILE.yaml, which are rules as well: one form, one reader.
// docs/man/pp_instrument.5 describes the form.
//
// The file is read once, before compilation begins; patterns are compiled then. All mistakes are
// told, each at its place, and a file with mistakes instruments nothing: the compilation fails
// anyway.

#include "gcc-plugin/base/diag.h"
#include "gcc-plugin/functions/rules.h"
#include "pp_abi.h"

#include <regex.h>
#include <yaml.h>

std::vector<const ppgcc_rules *> ppgcc_rules_loaded;

namespace
{

class reader
{
public:
	reader (const char *file, const char *argument) : m_file (file), m_argument (argument)
	{
	}

	// NULL after errors.
	ppgcc_rules *read ();

private:
	const char *m_file, *m_argument;
	yaml_document_t m_document;
	bool m_entered = false;
	bool m_failed = false;
	ppgcc_rules *m_rules = NULL;

	location_t at (const yaml_mark_t &mark);
	location_t at (const yaml_node_t *node)
	{
		return at (node->start_mark);
	}
	void fail (location_t loc, const char *text, ...) ATTRIBUTE_GCC_DIAG (3, 4);
	yaml_node_t *node (int index)
	{
		return yaml_document_get_node (&m_document, index);
	}
	bool load (FILE *in);
	void top (yaml_node_t *root);
	void one_rule (yaml_node_t *map, ppgcc_rule_kind kind);
	void field (ppgcc_rule &rule, yaml_node_t *key, yaml_node_t *value);
	void check (const ppgcc_rule &rule, yaml_node_t *map);
	void feature (const char *name, yaml_node_t *key, yaml_node_t *map);
	void feature_field (ppgcc_rule &call, std::vector<yaml_node_t *> &functions,
			    std::vector<yaml_node_t *> &antimarks, yaml_node_t *key,
			    yaml_node_t *value);
	std::vector<yaml_node_t *> globs (yaml_node_t *value);
	void state (yaml_node_t *value, bool &latent);
	void payload (yaml_node_t *value, ppgcc_rule &rule);
	void add (ppgcc_rule rule, const yaml_node_t *at);
	bool text (yaml_node_t *value, std::string &out);
	bool number (yaml_node_t *value, int low, int &out);
	bool truth (yaml_node_t *value, bool &out);
	bool names (yaml_node_t *value, std::string &out);
	bool site_name (yaml_node_t *value, std::string &out);
	void compile (ppgcc_rule &rule, yaml_node_t *value);
	template <typename F> void each (yaml_node_t *map, F use);
};

// GCC's own way to a place in a file; asked for only where there is an error to be told.
location_t reader::at (const yaml_mark_t &mark)
{
	if (!m_entered)
		linemap_add (line_table, LC_ENTER, false, m_file, 1);
	m_entered = true;
	linemap_line_start (line_table, mark.line + 1, mark.column + 128);
	return linemap_position_for_column (line_table, mark.column + 1);
}

void reader::fail (location_t loc, const char *text, ...)
{
	va_list args;
	va_start (args, text);
	rich_location where (line_table, loc);
	emit_diagnostic_valist (DK_ERROR, loc, 0, text, &args);
	va_end (args);
	m_failed = true;
}

bool reader::text (yaml_node_t *value, std::string &out)
{
	if (value->type != YAML_SCALAR_NODE || value->data.scalar.length == 0) {
		fail (at (value), "expected a text");
		return false;
	}
	out = reinterpret_cast<const char *> (value->data.scalar.value);
	return true;
}

bool reader::number (yaml_node_t *value, int low, int &out)
{
	std::string digits;
	if (value->type == YAML_SCALAR_NODE)
		digits = reinterpret_cast<const char *> (value->data.scalar.value);
	bool fits = !digits.empty () && digits.size () < 9;
	for (char c : digits)
		fits &= ISDIGIT (c) != 0;
	out = fits ? atoi (digits.c_str ()) : 0;
	if (!fits || out < low) {
		fail (at (value), "expected a number from %d", low);
		return false;
	}
	return true;
}

bool reader::truth (yaml_node_t *value, bool &out)
{
	std::string word;
	if (value->type == YAML_SCALAR_NODE)
		word = reinterpret_cast<const char *> (value->data.scalar.value);
	out = word == "true" || word == "yes";
	if (out || word == "false" || word == "no")
		return true;
	fail (at (value), "expected %<true%> or %<false%>");
	return false;
}

// "[a, b]" or "a": names.
bool reader::names (yaml_node_t *value, std::string &out)
{
	auto add = [&] (yaml_node_t *one) {
		std::string name;
		if (!text (one, name))
			return;
		bool fits = !ISDIGIT (name[0]);
		for (char c : name)
			fits &= ISIDNUM (c) != 0;
		if (!fits)
			fail (at (one), "%qs is no name", name.c_str ());
		out += (out.empty () ? "" : ",") + name;
	};
	if (value->type != YAML_SEQUENCE_NODE) {
		add (value);
		return true;
	}
	for (yaml_node_item_t *item = value->data.sequence.items.start;
	     item < value->data.sequence.items.top; item++)
		add (node (*item));
	return true;
}

bool reader::site_name (yaml_node_t *value, std::string &out)
{
	if (!text (value, out))
		return false;
	for (char c : out)
		if (c == '/' || ISCNTRL (c)) {
			fail (at (value), "the name of a site must not contain %<%c%>",
			      c == '/' ? '/' : ' ');
			return false;
		}
	return true;
}

void reader::compile (ppgcc_rule &rule, yaml_node_t *value)
{
	std::string pattern;
	if (!text (value, pattern))
		return;
	rule.regex = new regex_t;
	int error = regcomp (rule.regex, pattern.c_str (), REG_EXTENDED | REG_NOSUB);
	if (!error)
		return;
	char why[128];
	regerror (error, rule.regex, why, sizeof why);
	fail (at (value), "%qs is no extended regular expression: %s", pattern.c_str (), why);
}

template <typename F> void reader::each (yaml_node_t *map, F use)
{
	for (yaml_node_pair_t *pair = map->data.mapping.pairs.start;
	     pair < map->data.mapping.pairs.top; pair++) {
		yaml_node_t *key = node (pair->key);
		if (key->type != YAML_SCALAR_NODE) {
			fail (at (key), "expected a key");
			continue;
		}
		const char *name = reinterpret_cast<const char *> (key->data.scalar.value);
		bool twice = false;
		for (yaml_node_pair_t *other = map->data.mapping.pairs.start; other < pair;
		     other++) {
			yaml_node_t *before = node (other->key);
			twice |= before->type == YAML_SCALAR_NODE &&
				 !strcmp (name, reinterpret_cast<const char *> (
							before->data.scalar.value));
		}
		if (twice)
			fail (at (key), "%qs is given twice", name);
		else
			use (name, key, node (pair->value));
	}
}

// Which keys a rule of each kind has; kinds by their letters.
static const struct {
	const char *name, *kinds;
} keys[] = {
#define X(name, kinds, value) {#name, kinds},
	PP_ABI_RULE_KEYS (X)
#undef X
};
static const char kind_letters[] = "FLCX";

void reader::field (ppgcc_rule &rule, yaml_node_t *key, yaml_node_t *value)
{
	const char *name = reinterpret_cast<const char *> (key->data.scalar.value);
	ppgcc_words known;
	bool knows = false;
	for (const auto &one : keys)
		if (strchr (one.kinds, kind_letters[rule.kind])) {
			known.safe_push (one.name);
			knows |= !strcmp (one.name, name);
		}
	std::string word;
	if (!knows) {
		ppgcc_unknown_word (at (key), "key", name, known);
		m_failed = true;
	} else if (!strcmp (name, "function"))
		text (value, rule.function);
	else if (!strcmp (name, "regex"))
		compile (rule, value);
	else if (!strcmp (name, "file"))
		text (value, rule.file);
	else if (!strcmp (name, "scope"))
		text (value, rule.scope);
	else if (!strcmp (name, "attribute"))
		text (value, rule.attribute);
	else if (!strcmp (name, "callee"))
		text (value, rule.callee);
	else if (!strcmp (name, "indirect"))
		truth (value, rule.indirect);
	else if (!strcmp (name, "virtual"))
		truth (value, rule.is_virtual);
	else if (!strcmp (name, "depth"))
		number (value, 1, rule.depth);
	else if (!strcmp (name, "min_size"))
		number (value, 0, rule.min_size);
	else if (!strcmp (name, "inlinable"))
		truth (value, rule.inlinable);
	else if (!strcmp (name, "site"))
		site_name (value, rule.site);
	else if (!strcmp (name, "feature"))
		site_name (value, rule.feature);
	else if (!strcmp (name, "groups"))
		names (value, rule.groups);
	else if (!strcmp (name, "metrics"))
		names (value, rule.metrics);
	else if (text (value, word)) {
		rule.point = word == "point";
		rule.mark = word == "feature"    ? PP_ABI_SITE_FEATURE
			    : word == "antimark" ? PP_ABI_SITE_ANTIMARK
						 : 0;
		if (!rule.point && !rule.mark && word != "interval")
			fail (at (value), "expected %<interval%>, %<point%>, %<feature%> or "
					  "%<antimark%>");
	}
}

void reader::check (const ppgcc_rule &rule, yaml_node_t *map)
{
	bool unnamed = rule.indirect || rule.is_virtual;
	if (rule.kind == PPGCC_RULE_CALL && rule.callee.empty () && !unnamed)
		fail (at (map), "a rule for calls needs %<callee%>, %<indirect%> or %<virtual%>");
	if (rule.kind == PPGCC_RULE_CALL && !rule.callee.empty () && unnamed)
		fail (at (map), "%<callee%> is for calls by name: give %<indirect%> and "
				"%<virtual%> a rule of their own");
	if (rule.kind == PPGCC_RULE_CALL && unnamed && rule.feature.empty ())
		fail (at (map), "calls that are not by name need %<feature%>, which they are");
	if (rule.mark && rule.feature.empty ())
		fail (at (map), "%<as: %s%> needs %<feature%>, whose it is",
		      rule.mark == PP_ABI_SITE_FEATURE ? "feature" : "antimark");
	if (rule.kind == PPGCC_RULE_FUNCTION && !rule.mark && !rule.feature.empty ())
		fail (at (map), "%<feature%> needs %<as: feature%> or %<as: antimark%> here");
	if (rule.mark && (!rule.site.empty () || !rule.metrics.empty ()))
		fail (at (map), "a mark has no %<site%> and no %<metrics%>");
	if (rule.kind == PPGCC_RULE_EXCLUDE &&
	    map->data.mapping.pairs.start == map->data.mapping.pairs.top)
		fail (at (map), "this would exclude everything");
}

void reader::one_rule (yaml_node_t *map, ppgcc_rule_kind kind)
{
	if (map->type != YAML_MAPPING_NODE) {
		fail (at (map), "expected a rule: %<{key: value, ...}%>");
		return;
	}
	ppgcc_rule rule = {};
	rule.kind = kind;
	rule.line = map->start_mark.line + 1;
	rule.column = map->start_mark.column + 1;
	rule.depth = 1;
	rule.min_size = -1;
	each (map, [&] (const char *, yaml_node_t *key, yaml_node_t *value) {
		field (rule, key, value);
	});
	check (rule, map);
	rule.of = m_rules;
	m_rules->rules.push_back (rule);
}

// ---- features

std::vector<yaml_node_t *> reader::globs (yaml_node_t *value)
{
	std::vector<yaml_node_t *> out;
	std::string glob;
	if (value->type != YAML_SEQUENCE_NODE) {
		if (text (value, glob))
			out.push_back (value);
		return out;
	}
	for (yaml_node_item_t *item = value->data.sequence.items.start;
	     item < value->data.sequence.items.top; item++)
		if (text (node (*item), glob))
			out.push_back (node (*item));
	return out;
}

static std::string scalar (const yaml_node_t *node)
{
	return reinterpret_cast<const char *> (node->data.scalar.value);
}

void reader::state (yaml_node_t *value, bool &latent)
{
	std::string word = value->type == YAML_SCALAR_NODE ? scalar (value) : "";
	latent = word == "latent";
	if (!latent && word != "on")
		fail (at (value), "expected %<on%> or %<latent%>");
}

// "site", "$N" or "text($N)"
void reader::payload (yaml_node_t *value, ppgcc_rule &rule)
{
	std::string word = value->type == YAML_SCALAR_NODE ? scalar (value) : "";
	rule.is_text = startswith (word.c_str (), "text(") && word.back () == ')';
	if (rule.is_text)
		word = word.substr (5, word.size () - 6);
	if (word == "site" && !rule.is_text)
		return;
	bool fits = word.size () == 2 && word[0] == '$' && word[1] >= '1' && word[1] <= '9';
	rule.argument = fits ? word[1] - '0' : 0;
	if (!fits)
		fail (at (value),
		      "expected %<site%>, an argument of the call (%<$1%>), or the text "
		      "that one points to (%<text($1)%>)");
}

void reader::feature_field (ppgcc_rule &call, std::vector<yaml_node_t *> &functions,
			    std::vector<yaml_node_t *> &antimarks, yaml_node_t *key,
			    yaml_node_t *value)
{
	std::string name = scalar (key), report;
	if (name == "default")
		state (value, call.latent);
	else if (name == "functions")
		functions = globs (value);
	else if (name == "antimark")
		antimarks = globs (value);
	else if (name == "indirect")
		truth (value, call.indirect);
	else if (name == "virtual")
		truth (value, call.is_virtual);
	else if (name == "payload")
		payload (value, call);
	else if (name == "where")
		for (const yaml_node_t *one : globs (value))
			call.where.push_back (scalar (one));
	else if (name == "report") // ppctl shows it
		text (value, report);
	else {
		ppgcc_words known;
#define X(name, value) known.safe_push (#name);
		PP_ABI_FEATURE_KEYS (X)
#undef X
		ppgcc_unknown_word (at (key), "key", name.c_str (), known);
		m_failed = true;
	}
}

void reader::add (ppgcc_rule rule, const yaml_node_t *from)
{
	rule.line = from->start_mark.line + 1;
	rule.column = from->start_mark.column + 1;
	m_rules->rules.push_back (rule);
}

// One entry of the map `features`: a rule for each glob.
void reader::feature (const char *name, yaml_node_t *key, yaml_node_t *map)
{
	ppgcc_rule call = {};
	std::vector<yaml_node_t *> functions, antimarks;
	const char *dot = strchr (name, '.');
	if (!dot || dot == name || !dot[1])
		fail (at (key), "a feature is called %<LIBRARY.FEATURE%>, not %qs", name);
	site_name (key, call.feature);
	if (map->type != YAML_MAPPING_NODE) {
		fail (at (map), "expected what the feature is: %<{functions: [GLOB, ...], ...}%>");
		return;
	}
	call.kind = PPGCC_RULE_CALL;
	call.of = m_rules;
	call.listed = true;
	each (map, [&] (const char *, yaml_node_t *inner, yaml_node_t *value) {
		feature_field (call, functions, antimarks, inner, value);
	});
	if (call.latent)
		m_rules->latent.push_back (name);
	ppgcc_rule whole = call;
	if (call.indirect || call.is_virtual)
		add (call, key);
	call.indirect = call.is_virtual = false;
	for (const yaml_node_t *one : functions) {
		call.callee = scalar (one);
		add (call, one);
	}
	whole.kind = PPGCC_RULE_FUNCTION;
	whole.mark = PP_ABI_SITE_ANTIMARK;
	whole.min_size = 0;
	for (const yaml_node_t *one : antimarks) {
		whole.function = scalar (one);
		add (whole, one);
	}
}

void reader::top (yaml_node_t *root)
{
#define X(name, letter) #name,
	static const char *const sections[] = {PP_ABI_RULE_LISTS (X)};
#undef X
	bool version = false;
	if (root->type != YAML_MAPPING_NODE) {
		fail (at (root), "expected %<version: 1%> and rules");
		return;
	}
	each (root, [&] (const char *name, yaml_node_t *key, yaml_node_t *value) {
		int one = 0;
		for (unsigned kind = 0; kind < ARRAY_SIZE (sections); kind++) {
			if (strcmp (name, sections[kind]))
				continue;
			if (value->type != YAML_SEQUENCE_NODE) {
				fail (at (value),
				      "expected a list of rules: %<- {key: value, ...}%>");
				return;
			}
			for (yaml_node_item_t *item = value->data.sequence.items.start;
			     item < value->data.sequence.items.top; item++)
				one_rule (node (*item), static_cast<ppgcc_rule_kind> (kind));
			return;
		}
		if (!strcmp (name, "version")) {
			version = true;
			if (number (value, 1, one) && one != 1)
				fail (at (value), "version %d is not known, only 1", one);
		} else if (!strcmp (name, "features")) {
			if (value->type == YAML_MAPPING_NODE)
				each (value, [&] (const char *feature_name, yaml_node_t *inner,
						  yaml_node_t *map) {
					feature (feature_name, inner, map);
				});
			else
				fail (at (value), "expected a map of features: "
						  "%<{LIBRARY.FEATURE: {...}, ...}%>");
		} else if (!strcmp (name, "min_size"))
			number (value, 0, m_rules->min_size);
		else if (!strcmp (name, "report"))
			text (value, m_rules->report);
		else {
			ppgcc_words known;
			for (const char *word : {"version", "min_size", "report", "functions",
						 "loops", "calls", "exclude", "features"})
				known.safe_push (word);
			ppgcc_unknown_word (at (key), "key", name, known);
			m_failed = true;
		}
	});
	if (!version)
		fail (at (root), "%<version: 1%> is missing");
}

// Of all of IN, by which readers of the object file see whether the rules are still the same.
static unsigned HOST_WIDE_INT hash_of (FILE *in)
{
	unsigned HOST_WIDE_INT hash = PP_ABI_RULES_HASH_FIRST;
	rewind (in);
	for (int c; (c = getc (in)) != EOF;)
		hash = (hash ^ c) * PP_ABI_RULES_HASH_FACTOR;
	return hash;
}

bool reader::load (FILE *in)
{
	yaml_parser_t parser;
	yaml_parser_initialize (&parser);
	yaml_parser_set_input_file (&parser, in);
	bool loaded = yaml_parser_load (&parser, &m_document);
	if (!loaded)
		fail (at (parser.problem_mark), "%s%s%s",
		      parser.problem ? parser.problem : "not readable", parser.context ? " " : "",
		      parser.context ? parser.context : "");
	yaml_parser_delete (&parser);
	return loaded;
}

ppgcc_rules *reader::read ()
{
	FILE *in = fopen (m_file, "r");
	if (!in) {
		error ("cannot read %qs of %<-fplugin-arg-ppgcc-%s%>: %m", m_file, m_argument);
		return NULL;
	}
	bool loaded = load (in);
	unsigned HOST_WIDE_INT hash = hash_of (in);
	fclose (in);
	if (loaded) {
		m_rules = new ppgcc_rules;
		m_rules->file = m_file;
		m_rules->hash = hash;
		if (yaml_node_t *root = yaml_document_get_root_node (&m_document))
			top (root);
		else
			fail (at (yaml_mark_t{0, 0, 0}),
			      "the file is empty: expected %<version: 1%> and rules");
		yaml_document_delete (&m_document);
	}
	if (m_entered)
		linemap_add (line_table, LC_LEAVE, false, NULL, 0);
	return m_failed ? NULL : m_rules;
}

} // namespace

location_t ppgcc_rule_place (const ppgcc_rule &rule)
{
	linemap_add (line_table, LC_ENTER, false, rule.of->file, rule.line);
	linemap_line_start (line_table, rule.line, rule.column + 128);
	location_t place = linemap_position_for_column (line_table, rule.column);
	linemap_add (line_table, LC_LEAVE, false, NULL, 0);
	return place;
}

void ppgcc_rules_load (const char *file, const char *argument)
{
	if (const ppgcc_rules *rules = reader (file, argument).read ())
		ppgcc_rules_loaded.push_back (rules);
}

bool ppgcc_feature_latent (const std::string &name)
{
	for (const ppgcc_rules *rules : ppgcc_rules_loaded)
		for (const std::string &one : rules->latent)
			if (one == name)
				return true;
	return false;
}
