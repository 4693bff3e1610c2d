# SPDX-License-Identifier: MIT
# schema.awk: policy.schema.in, preprocessed, becomes the JSON Schema of policies. Any awk; nothing that was built is run, so that it
# works where the library is built for another machine.

/^#/ { next }
{ text = text " " $0 }

function trim (s) { gsub (/^[ \t]+|[ \t]+$/, "", s); return s }

# Literals that follow each other are one, as in C, where the first does not end with a comma; " "
# alone is a blank
function joined (s,    at) {
	while (match (s, /[^:,{[( ] ?" +"/)) {
		at = RSTART + index (substr (s, RSTART, RLENGTH), "\"") - 1
		s = substr (s, 1, at - 1) substr (s, RSTART + RLENGTH)
	}
	return s
}

# Whole numbers may be quoted. How large they are a pattern can tell of small ones only.
function digits (json,    n, from, range) {
	while (match (json, /\{"digits": \[[0-9]+, [0-9]+\]\}/)) {
		range = substr (json, RSTART + 12, RLENGTH - 14)
		split (range, n, ", ")
		from = n[2] <= 9 ? "{\"type\": \"string\", \"pattern\": \"^0*[" n[1] "-" n[2] "]$\"}" : "{\"ref\": \"digits\"}"
		json = substr (json, 1, RSTART - 1) from substr (json, RSTART + RLENGTH)
	}
	return json
}

# Lists of words end with a comma, where the preprocessor made them
function json_of (s) {
	s = digits (trim (s))
	gsub (/", *\]/, "\"]", s)
	gsub (/"ref": "/, "\"$ref\": \"#/definitions/", s)
	return s
}

# Lines that begin and end maps say how deep the others stand
function lay (text,    n, line, l, deep, i) {
	n = split (text, line, "\n")
	for (l = 1; l <= n; l++) {
		sub (/ +$/, "", line[l])
		deep -= line[l] ~ /^[]}]/
		for (i = 0; i < deep; i++) printf "  "
		print line[l]
		deep += line[l] ~ /[[{]$/
	}
}

function add (list, s) { return list == "" ? s : list ",\n" s }

function describe (text, form) {
	return text == "\"\"" ? form : "{\"description\": " text ", " substr (form, 2)
}

function end_map () {
	body = "\"type\": \"object\",\n" (required == "" ? "" : "\"required\": [" required "],\n") \
		"\"additionalProperties\": false,\n\"properties\": {\n" keys "\n}" (rules == "" ? "" : ",\n" rules)
	if (map == "\"policy\"")
		top = "\"description\": " about ",\n" body
	else if (place != "\"\"") # those without one are the reader's alone
		definitions = add(definitions, map ": " (about == "\"\"" ? "{\n" : "{\n\"description\": " about ",\n") body "\n}")
}

# What stands in on_fire only: an action, or a key of one, whose place ends with its name
function fire_only (key) {
	if (map == "\"action\"") {
		actions = add(actions, "{\"required\": [" key "]}")
		return
	}
	sub (/^.*: /, "\"", place)
	values = add(values, place ": {\"not\": {\"required\": [" key "]}}")
}

function read (line,    part) {
	split (line, part, "`")
	for (i in part) part[i] = trim(part[i])
	if (part[1] == "map") {
		map = part[2]; place = part[3]; about = part[4]
		keys = required = rules = ""
	} else if (part[1] == "key" && part[3] != "later") {
		keys = add(keys, part[2] ": " describe(part[4], json_of(part[5])))
		if (part[3] == "must") required = required (required == "" ? "" : ", ") part[2]
		if (part[3] == "fire") fire_only(part[2])
	} else if (part[1] == "rules")
		rules = json_of(part[2])
	else if (part[1] == "end")
		end_map()
	else if (part[1] == "type")
		definitions = add(definitions, part[2] ": " json_of(part[3]))
}

END {
	n = split (joined(text), line, "@@")
	for (l = 2; l <= n; l++) read(line[l])
	definitions = add(definitions, "\"clearing\": {\n\"items\": {\n\"properties\": {\n" values "\n},\n\"not\": {\"anyOf\": [\n" actions "\n]}\n}\n}")
	lay("{\n\"$schema\": \"http://json-schema.org/draft-07/schema#\",\n" \
		"\"$comment\": \"SPDX-License-Identifier: MIT. Made from assertions/language/grammar_keys.h: what a schema can know of policies. " \
		"Whole numbers and truth values may be quoted: a policy's values are texts until their key gives them a meaning.\",\n" \
		"\"title\": \"ppgcc policy\",\n" top ",\n\"definitions\": {\n" definitions "\n}\n}")
}
