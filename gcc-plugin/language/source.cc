// SPDX-License-Identifier: GPL-3.0-or-later
//
// source.cc: what stands before a pragma. A pragma that is the whole body of an "if" or a loop
// would measure something else than the reader sees, and neither front end tells a pragma where it
// is; so the source is asked. It is read once per file, forwards, as far as the last pragma of that
// file.

#include "gcc-plugin/language/lexer.h"

#include <algorithm>
#include <map>
#include <vector>

// The main file where it can't be read again: a pipe, or standard input.
static std::string main_text;

void ppgcc_source_keep (void)
{
	struct stat kind;
	if (!main_input_filename || (!stat (main_input_filename, &kind) && S_ISREG (kind.st_mode)))
		return;
	main_text = ppgcc_buffer_text (cpp_get_buffer (parse_in));
}

static bool is_main (const char *file)
{
	return !strcmp (file, "<stdin>") ||
	       (main_input_filename && !strcmp (file, main_input_filename));
}

static std::vector<std::string> split (const std::string &text)
{
	std::vector<std::string> lines;
	for (size_t at = 0; at < text.size ();) {
		size_t end = std::min (text.find ('\n', at), text.size ());
		lines.push_back (text.substr (at, end - at));
		at = end + 1;
	}
	return lines;
}

// GCC's own cache of source lines forgets, and searches from far away: with many pragmas in a file
// that costs more than parsing it.
static std::vector<std::string> read_lines (const char *file)
{
	std::vector<std::string> lines;
	struct stat kind;
	if (stat (file, &kind) || !S_ISREG (kind.st_mode)) // a pipe has been read, and would block
		return is_main (file) ? split (main_text) : lines;
	FILE *stream = fopen (file, "r");
	if (!stream)
		return lines;
	bool open = false; // the last line goes on
	char part[4096];
	while (fgets (part, sizeof part, stream)) {
		size_t length = strlen (part);
		bool ends = length && part[length - 1] == '\n';
		std::string text (part, ends ? length - 1 : length);
		if (open)
			lines.back () += text;
		else
			lines.push_back (text);
		open = !ends;
	}
	fclose (stream);
	return lines;
}

const std::string *ppgcc_source_line (const char *file, int line)
{
	static std::map<std::string, std::vector<std::string>> files;
	if (!file || line < 1)
		return NULL;
	auto found = files.find (file);
	if (found == files.end ())
		found = files.insert (std::make_pair (std::string (file), read_lines (file))).first;
	return size_t (line) <= found->second.size () ? &found->second[line - 1] : NULL;
}

char ppgcc_source_char (location_t loc)
{
	expanded_location where = expand_location (loc);
	const std::string *line = where.file ? ppgcc_source_line (where.file, where.line) : NULL;
	return line && where.column > 0 && (size_t) where.column <= line->size ()
		       ? (*line)[where.column - 1]
		       : 0;
}

namespace
{

class scanner
{
public:
	explicit scanner (const char *file) : m_file (file)
	{
	}
	// What the statement at LINE, COLUMN (1-based) would be the whole body of, or NULL.
	const char *verdict (int line, int column);

private:
	const char *body_of () const;
	void start ();
	void read (const char *text, size_t length);
	size_t word (const char *text, size_t at, size_t length);
	size_t quoted (const char *text, size_t at, size_t length);
	void directive (const char *text, size_t length);
	void token (const std::string &text);

	std::string m_file;
	int m_line = 1;
	bool m_comment = false;
	bool m_directive_goes_on = false;
	std::string m_raw;    // what ends the raw string that is open
	std::string m_last;   // the last token
	std::string m_opener; // where that is ")": the word before its "("
	std::string m_omp;    // the OpenMP construct that waits for its statement
	std::vector<std::string> m_parens;
};

void scanner::start ()
{
	*this = scanner (m_file.c_str ());
}

void scanner::token (const std::string &text)
{
	if (text == "(")
		m_parens.push_back (m_last);
	else if (text == ")") {
		m_opener = m_parens.empty () ? "" : m_parens.back ();
		if (!m_parens.empty ())
			m_parens.pop_back ();
	} else if (text == "}") // what a macro or #if left open
		m_parens.clear ();
	m_last = text;
	m_omp.clear ();
}

size_t scanner::word (const char *text, size_t at, size_t length)
{
	size_t end = at;
	auto separates = [&] {
		return text[end] == '\'' && end + 1 < length && ISIDNUM (text[end + 1]);
	};
	while (end < length && (ISIDNUM (text[end]) || (ISDIGIT (text[at]) && separates ())))
		end++;
	std::string name (text + at, end - at);
	if (name.back () == 'R' && end < length && text[end] == '"' &&
	    name.find_first_not_of ("uUL8R") == std::string::npos) {
		std::string rest (text + end + 1, length - end - 1);
		size_t opens = rest.find ('(');
		m_raw = ")" + rest.substr (0, MIN (opens, rest.size ())) + "\"";
		token ("\"");
		return end + 1;
	}
	// "if constexpr (" opens like "if ("
	if (!(name == "constexpr" && m_last == "if"))
		token (name);
	return end;
}

size_t scanner::quoted (const char *text, size_t at, size_t length)
{
	char quote = text[at++];
	while (at < length && text[at] != quote)
		at += text[at] == '\\' ? 2 : 1;
	token ("\"");
	return MIN (at + 1, length);
}

void scanner::directive (const char *text, size_t length)
{
	static const char *const constructs[] = {
		"parallel", "for",      "simd",      "task",     "single", "master",
		"masked",   "critical", "section",   "sections", "atomic", "target",
		"teams",    "scope",    "taskgroup", "taskloop", "ordered"};
	std::string line (text, length);
	size_t at = line.find_first_not_of (" \t", 1);
	m_directive_goes_on = !line.empty () && line.back () == '\\';
	// which of the lines between is skipped isn't known here: nothing is said of what follows
	for (const char *conditional : {"if", "el", "endif"})
		if (at != std::string::npos &&
		    !line.compare (at, strlen (conditional), conditional))
			m_last = "#";
	if (at == std::string::npos || line.compare (at, 6, "pragma"))
		return;
	at = line.find_first_not_of (" \t", at + 6);
	if (at == std::string::npos || line.compare (at, 4, "omp "))
		return;
	size_t name = line.find_first_not_of (" \t", at + 4), end = name;
	while (end != std::string::npos && end < line.size () && ISIDNUM (line[end]))
		end++;
	for (const char *construct : constructs)
		if (name != std::string::npos && !line.compare (name, end - name, construct))
			m_omp = std::string ("omp ") + construct;
}

void scanner::read (const char *text, size_t length)
{
	size_t at = 0;
	if (m_directive_goes_on) {
		m_directive_goes_on = length && text[length - 1] == '\\';
		return;
	}
	while (at < length) {
		if (!m_raw.empty ()) {
			size_t end = std::string (text, length).find (m_raw, at);
			if (end == std::string::npos)
				return;
			at = end + m_raw.size ();
			m_raw.clear ();
		} else if (m_comment) {
			m_comment = !(text[at] == '*' && at + 1 < length && text[at + 1] == '/');
			at += m_comment ? 1 : 2;
		} else if (ISSPACE (text[at]))
			at++;
		else if (text[at] == '/' && at + 1 < length && text[at + 1] == '/')
			return;
		else if (text[at] == '/' && at + 1 < length && text[at + 1] == '*') {
			m_comment = true;
			at += 2;
		} else if (text[at] == '#') {
			directive (text + at, length - at);
			return;
		} else if (ISIDNUM (text[at]))
			at = word (text, at, length);
		else if (text[at] == '"' || text[at] == '\'')
			at = quoted (text, at, length);
		else
			token (std::string (1, text[at++]));
	}
}

const char *scanner::verdict (int line, int column)
{
	if (line < m_line)
		start ();
	for (; m_line < line; m_line++)
		if (const std::string *text = ppgcc_source_line (m_file.c_str (), m_line))
			read (text->data (), text->size ());
	scanner here = *this; // another pragma may follow on this line
	if (const std::string *text = ppgcc_source_line (m_file.c_str (), line))
		here.read (text->data (),
			   MIN (text->find ('#'), MIN (text->size (), size_t (column - 1))));
	return here.body_of ();
}

// The keyword whose body begins right here, or NULL.
const char *scanner::body_of () const
{
	static std::string omp;
	if (!m_omp.empty ()) {
		omp = m_omp;
		return omp.c_str ();
	}
	for (const char *keyword : {"if", "for", "while", "switch"})
		if (m_last == ")" && m_opener == keyword)
			return keyword;
	for (const char *keyword : {"else", "do"})
		if (m_last == keyword)
			return keyword;
	return NULL;
}

} // namespace

// Whether the source has WORD, or a macro's name, where LOC says. Generated code and #line may
// point anywhere.
static bool source_agrees (const expanded_location &where, bool &macro, const char *word)
{
	const std::string *line = ppgcc_source_line (where.file, where.line);
	size_t column = where.column - 1;
	if (!line || where.column < 1 || column >= line->size ())
		return false;
	macro = macro ||
		!line->compare (column, 3,
				"PP_"); // a macro of <pp.h>: its tokens are where its name is
	return macro ? ISIDST ((*line)[column]) : !line->compare (column, strlen (word), word);
}

// Whether the expansion of the macro whose name is at COLUMN of LINE begins with a pragma; else the
// macro brings what the pragma is the body of, or a block around it.
static bool begins_with_pragma (const std::string &line, size_t column)
{
	size_t end = column;
	while (end < line.size () && ISIDNUM (line[end]))
		end++;
	const unsigned char *name = reinterpret_cast<const unsigned char *> (line.data () + column);
	cpp_hashnode *node = cpp_lookup (parse_in, name, end - column);
	for (int depth = 0; node && depth < 64; depth++) {
		if (!strcmp (reinterpret_cast<const char *> (NODE_NAME (node)), "_Pragma"))
			return true;
		if (!cpp_user_macro_p (node) || !node->value.macro ||
		    node->value.macro->kind == cmk_assert || !node->value.macro->count)
			return false;
		const cpp_token &first = node->value.macro->exp.tokens[0];
		node = first.type == CPP_NAME ? first.val.node.node : NULL;
	}
	return false;
}

const char *ppgcc_sole_body (location_t loc, const char *word)
{
	static std::map<std::string, scanner> scanners;
	expanded_location where = expand_location (loc);
	bool macro = from_macro_expansion_at (loc);
	if (!source_agrees (where, macro, word) ||
	    (macro &&
	     !begins_with_pragma (*ppgcc_source_line (where.file, where.line), where.column - 1)))
		return NULL;
	auto found = scanners.find (where.file);
	if (found == scanners.end ())
		found = scanners.insert (std::make_pair (std::string (where.file),
							 scanner (where.file)))
				.first;
	return found->second.verdict (where.line, where.column);
}
