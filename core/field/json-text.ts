import { type FieldError, invalid } from '../errors.ts';

const blanks = /[ \t\n\r]*/y;
const escaped = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const literal = /(?:true|false|null)(?!\w)/y;
const deepest = 100;

interface Reading {
  readonly text: string;
  at: number;
}

/**
 * Reads JSON from a file that a person wrote. Engines word their syntax errors differently and some leave out the place,
 * so the place is found here: what is wrong is told with line and column, for a name given twice in one object too,
 * which `JSON.parse` lets pass.
 * @throws HorariumError `invalid`.
 */
export function readJson(given: string, file: string): unknown {
  const text = given.replace(/^\uFEFF/, '');
  const mistake = jsonMistake(text);
  if (mistake) throw invalid(file, [mistake]);
  return JSON.parse(text);
}

/** The first thing that is wrong with a text as JSON, at its line and column; values are not repeated. Null = nothing. */
export function jsonMistake(text: string): FieldError | null {
  const reading: Reading = { text, at: 0 };
  try {
    skip(reading);
    value(reading, 0);
    if (reading.at < text.length) fail(reading, 'nothing may follow the end of the document');
    return null;
  } catch (error) {
    if (error instanceof Misplaced) return located(text, error);
    throw error;
  }
}

class Misplaced extends Error {
  readonly at: number;

  constructor(at: number, message: string) {
    super(message);
    this.at = at;
  }
}

function located(text: string, { at, message }: Misplaced): FieldError {
  const lines = text.slice(0, at).split('\n');
  return { field: `line ${lines.length}, column ${(lines.at(-1) as string).length + 1}`, message };
}

function fail(reading: Reading, message: string, at = reading.at): never {
  throw new Misplaced(at, at < reading.text.length ? message : 'the document ends too early');
}

function take(reading: Reading, pattern: RegExp): string | undefined {
  pattern.lastIndex = reading.at;
  const found = pattern.exec(reading.text)?.[0];
  if (found !== undefined) reading.at += found.length;
  return found;
}

function skip(reading: Reading): void {
  take(reading, blanks);
}

function value(reading: Reading, depth: number): void {
  const char = reading.text[reading.at];
  if (depth > deepest) fail(reading, `lists and objects may be nested ${deepest} deep at most`);
  if (char === '{') members(reading, depth);
  else if (char === '[') items(reading, depth);
  else if (char === '"') readString(reading);
  else if (take(reading, literal) === undefined && take(reading, number) === undefined)
    fail(reading, `a value was expected, not ${JSON.stringify(char)}`);
  skip(reading);
}

function items(reading: Reading, depth: number): void {
  if (opens(reading, ']')) return;
  do value(reading, depth + 1);
  while (continues(reading, ']'));
}

function members(reading: Reading, depth: number): void {
  if (opens(reading, '}')) return;
  const names = new Set<string>();
  do {
    const start = reading.at;
    if (reading.text[start] !== '"') fail(reading, 'a name in double quotes was expected');
    const name = readString(reading);
    if (names.has(name)) fail(reading, `${JSON.stringify(name)} is given twice`, start);
    if (name === '__proto__') fail(reading, '"__proto__" is not allowed as a name', start);
    names.add(name);
    skip(reading);
    if (reading.text[reading.at] !== ':') fail(reading, `a colon was expected after ${JSON.stringify(name)}`);
    reading.at += 1;
    skip(reading);
    value(reading, depth + 1);
  } while (continues(reading, '}'));
}

/** Steps over the opening bracket; true when the closing one follows at once. */
function opens(reading: Reading, closing: string): boolean {
  reading.at += 1;
  skip(reading);
  if (reading.text[reading.at] !== closing) return false;
  reading.at += 1;
  return true;
}

/** Steps over a comma (true) or the closing bracket (false). */
function continues(reading: Reading, closing: string): boolean {
  const char = reading.text[reading.at];
  if (char !== ',' && char !== closing) fail(reading, `a comma or ${closing} was expected`);
  reading.at += 1;
  if (char === closing) return false;
  skip(reading);
  return true;
}

function readString(reading: Reading): string {
  const { text, at: start } = reading;
  // No regular expression over the whole: those overflow the stack at some ten million characters.
  for (reading.at += 1; text[reading.at] !== '"'; ) {
    const char = text[reading.at] ?? '';
    if (char < ' ') fail(reading, 'a text may hold no line break or control character; is a closing quote missing?');
    if (char !== '\\') reading.at += 1;
    else if (take(reading, escaped) === undefined) fail(reading, 'no such escape; a backslash itself is written \\\\');
  }
  reading.at += 1;
  return JSON.parse(text.slice(start, reading.at)) as string;
}
