# SPDX-License-Identifier: MIT
# compare.py SCHEMA PPCTL GOOD BAD BEYOND POLICY...: prints TAP. Whether the schema and the library's own reader (ppctl check --strict) say the same of
# each document: GOOD is accepted and BAD refused by both, BEYOND holds what only the reader can know. Each document of such a file begins after a
# line "== a sentence". POLICYs are files of their own that must pass the schema.
import json
import os
import re
import subprocess
import sys
import tempfile

import jsonschema
import yaml


class Loader(yaml.SafeLoader):
    """YAML 1.2's core schema, as editors have it, without what a policy can't use; keys are given once, tags mean nothing."""


Loader.yaml_implicit_resolvers = {}
Loader.add_implicit_resolver('tag:yaml.org,2002:bool', re.compile(r'^(true|false)$'), 'tf')
Loader.add_implicit_resolver('tag:yaml.org,2002:int', re.compile(r'^-?(0|[1-9][0-9]*)$'), '-0123456789')
Loader.add_implicit_resolver('tag:yaml.org,2002:float', re.compile(r'^-?[0-9]+\.[0-9]+$'), '-0123456789')


def mapping(loader, node):
    keys = [key.value for key, _ in node.value]
    if any(not isinstance(key, str) for key in keys) or len(set(keys)) != len(keys):
        raise yaml.YAMLError('a key is no word, or is given twice')
    return {key.value: loader.construct_object(value, deep=True) for key, value in node.value}


Loader.add_constructor('tag:yaml.org,2002:map', mapping)


def documents(path):
    sentence, lines = None, []
    for line in open(path, encoding='utf-8'):
        if line.startswith('== '):
            if sentence:
                yield sentence, ''.join(lines)
            sentence, lines = line[3:].strip(), []
        elif sentence:
            lines.append(line)
    yield sentence, ''.join(lines)


def schema_says(validator, text):
    try:
        tree = yaml.load(text, Loader)
    except yaml.YAMLError as error:
        return 'not YAML: %s' % error
    error = next(validator.iter_errors(tree), None)
    return None if error is None else '%s: %s' % ('/'.join(map(str, error.path)), error.message)


def library_says(ppctl, text):
    with tempfile.NamedTemporaryFile('w', suffix='.yaml', encoding='utf-8') as file:
        file.write(text)
        file.flush()
        done = subprocess.run([ppctl, 'check', '--strict', file.name], capture_output=True, text=True)
        return (done.stderr or 'exit status %d' % done.returncode) if done.returncode else None


number = failed = 0


def result(ok, sentence, *why):
    global number, failed
    number += 1
    print('%s %d - %s' % ('ok' if ok else 'not ok', number, sentence))
    if not ok:
        failed = 1
        for text in why:
            for line in str(text).splitlines()[:12]:
                print('# ' + line)


def main():
    schema_file, ppctl, good, bad, beyond, *policies = sys.argv[1:]
    schema = json.load(open(schema_file, encoding='utf-8'))
    jsonschema.Draft7Validator.check_schema(schema)
    validator = jsonschema.Draft7Validator(schema)
    seen = set()
    for path, by_schema, by_library in ((good, True, True), (bad, False, False), (beyond, True, False)):
        kind = os.path.basename(path).split('.')[0]
        for sentence, text in documents(path):
            of_schema, of_library = schema_says(validator, text), library_says(ppctl, text)
            result((of_schema is None) == by_schema and (of_library is None) == by_library and text not in seen,
                   '%s: %s' % (kind, sentence), text, 'schema: %s' % of_schema, 'library: %s' % of_library,
                   'twice' if text in seen else '')
            seen.add(text)
    result(len(seen) >= 150, 'schema and library are compared with at least 150 documents', len(seen))
    for path in policies:
        of_schema = schema_says(validator, open(path, encoding='utf-8').read())
        result(of_schema is None, 'the schema accepts %s' % '/'.join(path.split('/')[-3:]), of_schema)
    print('1..%d' % number)
    sys.exit(failed)


main()
