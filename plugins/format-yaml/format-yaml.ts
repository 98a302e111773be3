import { createRequire } from 'node:module';
import type { Format } from '@horarium/core/plugin';
import type { ScalarTag } from 'yaml';

const load = createRequire(import.meta.url);

/** What YAML calls not printable, and must be escaped between quotes. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const unprintable = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]|\p{Surrogate}/gu;

/** YAML 1.1 takes `1e+21` for a text: its numbers have a point before the exponent. */
const largeNumber: ScalarTag = {
  tag: 'tag:yaml.org,2002:float',
  default: true,
  identify: (value) => typeof value === 'number' && /^-?\d+e/.test(String(value)),
  test: /^-?\d+\.\d+e[-+]\d+$/,
  resolve: Number,
  stringify: ({ value }) => String(value).replace('e', '.0e'),
};

/**
 * YAML 1.2 that readers of YAML 1.1 understand as the same data: `no`, `1e3` and times are quoted where they are texts.
 * There are no anchors, no tags and no folded lines.
 */
export const formatYaml: Format = {
  suffix: 'yaml',
  mime: 'application/yaml; charset=utf-8',
  rowsAtOnce: 100,
  write,
  writePieces: (value) => pieces(value, []),
  // A list is the text of its parts, one after the other.
  async *writeList(pages) {
    let isEmpty = true;
    for await (const rows of pages) {
      if (rows.length === 0) continue;
      isEmpty = false;
      yield write(rows);
    }
    if (isEmpty) yield write([]);
  },
};

/** How deep the mappings may be inside each other whose members are written one by one. */
const maxDepth = 3;

/**
 * Writes a mapping member by member, and those inside it too: each as the only one of all mappings around it, without the
 * lines that it has in common with the member before, which are the keys of these.
 */
function* pieces(value: unknown, path: readonly string[], shared = 0): Generator<string, void> {
  const members = isMapping(value) ? Object.entries(value) : [];
  if (path.length === maxDepth || members.length === 0 || !members.every(([key]) => isShort(key))) {
    const whole = path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
    yield withoutLines(write(whole), shared);
    return;
  }
  for (const [index, [key, member]] of members.entries())
    yield* pieces(member, [...path, key], index === 0 ? shared : path.length);
}

function isMapping(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a key takes one line, with nothing else in it but what a short text of one line may. */
function isShort(key: string): boolean {
  return key.length < 100 && /^[\x20-\x7e]+$/.test(key) && key !== '__proto__';
}

function withoutLines(text: string, count: number): string {
  let from = 0;
  for (let line = 0; line < count; line += 1) from = text.indexOf('\n', from) + 1;
  return text.slice(from);
}

function write(value: unknown): string {
  // Loaded when YAML is first written, because the library is large, and few services write any.
  const { Document, Scalar, visit } = load('yaml') as typeof import('yaml');
  const document = new Document(value, {
    aliasDuplicateObjects: false,
    compat: 'yaml-1.1',
    customTags: (tags) => [largeNumber, ...tags],
  });
  visit(document, {
    Scalar(_key, node) {
      if (typeof node.value === 'string' && node.value.search(unprintable) >= 0) node.type = Scalar.QUOTE_DOUBLE;
    },
  });
  // What is left of them stands between double quotes.
  return document.toString({ lineWidth: 0 }).replace(unprintable, escaped);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
