import { type FieldError, invalid } from '../errors.ts';

export interface ParsedJson {
  readonly value: unknown;
  /** The mistakes of a text that is JSON all the same, by path: keys and values that the caller cannot have meant. */
  readonly errors: readonly FieldError[];
}

/**
 * Parses JSON that came from a caller, and finds what `JSON.parse` silently accepts: a key that stands twice in one
 * object, the key `__proto__`, data that is nested too deep, and more values than the largest record holds.
 * @throws SyntaxError for text that is not JSON; its message continues a sentence that begins with the name of the text.
 */
export function parseJson(text: string): ParsedJson {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The engine's own message quotes the text around the mistake, which may be a password.
    const mistake = new JsonScanner(text, callerLimits).mistake();
    throw new SyntaxError(`is not valid JSON${mistake ? `: ${mistake.field}: ${mistake.message}` : ''}`);
  }
  return { value, errors: new JsonScanner(text, callerLimits).unwanted() };
}

/**
 * Reads JSON from a file that a person wrote; rejects the same mistakes, at the line and column of the first.
 * @throws HorariumError `invalid`.
 */
export function readJson(given: string, file: string): unknown {
  const text = given.replace(/^\uFEFF/, '');
  const mistake = new JsonScanner(text, fileLimits).mistake();
  if (mistake) throw invalid(file, [mistake]);
  return JSON.parse(text);
}

interface Limits {
  readonly maxDepth: number;
  readonly maxValues: number;
}

/** Scanning more values would make every other request wait. */
const callerLimits: Limits = { maxDepth: 64, maxValues: 10_000 };
const fileLimits: Limits = { maxDepth: 100, maxValues: Number.POSITIVE_INFINITY };

const blanks = /[ \t\n\r]*/y;
const escaped = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const literal = /(?:true|false|null)(?!\w)/y;
// What ends a run of plain characters in a string; one expression for a whole string would overflow the stack.
// biome-ignore lint/suspicious/noControlCharactersInRegex: a string of JSON may not hold them.
const special = /["\\\u0000-\u001f]/g;

/** The length to which keys are shortened in the path of a mistake. */
const maxKeyShown = 255;
/** The most mistakes that are noted of a text that is JSON all the same: nobody reads more. */
const maxNoted = 100;

/** A mistake at a place of the text; one that is thrown ends the scan. */
class Mistake extends Error {
  readonly at: number;
  readonly path: string;

  constructor(at: number, path: readonly (string | number)[], message: string) {
    super(message);
    this.at = at;
    // Keys may be of any length, and there may be thousands of mistakes under one.
    this.path = path.map((key) => String(key).slice(0, maxKeyShown)).join('.');
  }
}

/** Reads a text as JSON once. Engines word their syntax errors differently, and some leave out the place. */
class JsonScanner {
  readonly #text: string;
  readonly #limits: Limits;
  /** Mistakes of a text that is JSON all the same. */
  readonly #noted: Mistake[] = [];
  readonly #path: (string | number)[] = [];
  #at = 0;
  #values = 0;

  constructor(text: string, limits: Limits) {
    this.#text = text;
    this.#limits = limits;
  }

  /** Describes the first mistake with its line and column, without repeating values; null where there is none. */
  mistake(): FieldError | null {
    const thrown = this.#scan();
    const first = this.#noted[0] ?? thrown;
    if (!first) return null;
    const lines = this.#text.slice(0, first.at).split('\n');
    return { field: `line ${lines.length}, column ${(lines.at(-1) as string).length + 1}`, message: first.message };
  }

  /** The mistakes of a text that is JSON, each at its path; only the limit that is exceeded, where one is. */
  unwanted(): FieldError[] {
    const exceeded = this.#scan();
    const mistakes = exceeded ? [exceeded] : this.#noted;
    return mistakes.map(({ path, message }) => ({ field: path, message }));
  }

  #scan(): Mistake | undefined {
    try {
      this.#skipBlanks();
      this.#value();
      if (this.#at < this.#text.length) this.#fail('nothing may follow the end of the document');
      return undefined;
    } catch (error) {
      if (error instanceof Mistake) return error;
      throw error;
    }
  }

  #value(): void {
    const char = this.#text[this.#at];
    if (char === '{') this.#members();
    else if (char === '[') this.#items();
    else if (char === '"') this.#string();
    else if (this.#take(literal) === undefined && this.#take(number) === undefined)
      this.#fail(`a value was expected, not ${JSON.stringify(char)}`);
    this.#skipBlanks();
  }

  #items(): void {
    this.#count();
    if (this.#opens(']')) return;
    const depth = this.#path.push(0);
    do {
      this.#value();
      this.#path[depth - 1] = (this.#path[depth - 1] as number) + 1;
    } while (this.#continues(']'));
    this.#path.pop();
  }

  #members(): void {
    this.#count();
    if (this.#opens('}')) return;
    const depth = this.#path.push('');
    const names = new Set<string>();
    do {
      const start = this.#at;
      if (this.#text[start] !== '"') this.#fail('a name in double quotes was expected');
      const quoted = this.#string();
      const name = quoted.includes('\\') ? (JSON.parse(quoted) as string) : quoted.slice(1, -1);
      this.#path[depth - 1] = name;
      if (names.has(name)) this.#note(start, `${name} is given more than once`);
      if (name === '__proto__') this.#note(start, '__proto__ is not allowed');
      names.add(name);
      this.#skipBlanks();
      if (this.#text[this.#at] !== ':') this.#fail(`a colon was expected after ${JSON.stringify(name)}`);
      this.#at += 1;
      this.#skipBlanks();
      this.#value();
    } while (this.#continues('}'));
    this.#path.pop();
  }

  /** Steps over the opening bracket; true when the closing one follows at once. */
  #opens(closing: string): boolean {
    const { maxDepth } = this.#limits;
    if (this.#path.length === maxDepth)
      throw new Mistake(this.#at, this.#path, `lists and objects may be nested ${maxDepth} deep at most`);
    this.#at += 1;
    this.#skipBlanks();
    if (this.#text[this.#at] !== closing) return false;
    this.#at += 1;
    return true;
  }

  /** Steps over a comma (true) or the closing bracket (false). */
  #continues(closing: string): boolean {
    const char = this.#text[this.#at];
    if (char !== ',' && char !== closing) this.#fail(`a comma or ${closing} was expected`);
    this.#at += 1;
    if (char === closing) return false;
    this.#count();
    this.#skipBlanks();
    return true;
  }

  #string(): string {
    const start = this.#at;
    for (this.#at += 1; ; ) {
      special.lastIndex = this.#at;
      this.#at = special.exec(this.#text)?.index ?? this.#text.length;
      const char = this.#text[this.#at];
      if (char === '"') break;
      if (char !== '\\') this.#fail('a text may hold no line break or control character; is a closing quote missing?');
      if (this.#take(escaped) === undefined) this.#fail('no such escape; a backslash itself is written \\\\');
    }
    this.#at += 1;
    return this.#text.slice(start, this.#at);
  }

  #skipBlanks(): void {
    // The expression is skipped where the text has no such character, as most have none.
    if (this.#text.charCodeAt(this.#at) <= 0x20) this.#take(blanks);
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text)?.[0];
    if (match !== undefined) this.#at += match.length;
    return match;
  }

  #count(): void {
    const { maxValues } = this.#limits;
    this.#values += 1;
    if (this.#values > maxValues)
      throw new Mistake(this.#at, this.#path.slice(0, 1), `there are more than ${maxValues} values`);
  }

  #note(at: number, message: string): void {
    if (this.#noted.length < maxNoted) this.#noted.push(new Mistake(at, this.#path, message));
  }

  #fail(message: string): never {
    throw new Mistake(this.#at, this.#path, this.#at < this.#text.length ? message : 'the document ends too early');
  }
}
