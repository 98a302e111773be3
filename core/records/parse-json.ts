import type { FieldError } from '../errors.ts';
import { jsonMistake } from '../field/json-text.ts';

export interface ParsedJson {
  readonly value: unknown;
  /** Keys and values that the caller cannot have meant. */
  readonly errors: readonly FieldError[];
}

/** @throws SyntaxError for text that is not JSON; its message continues a sentence that begins with the name of the text. */
export function parseJson(text: string): ParsedJson {
  return { value: parsed(text), errors: findUnwantedKeys(text) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The engine's own message quotes the text around the mistake, which may be a password.
    const mistake = jsonMistake(text);
    throw new SyntaxError(`is not valid JSON${mistake ? `: ${mistake.field}: ${mistake.message}` : ''}`);
  }
}

interface Level {
  /** The keys seen so far; null inside an array. */
  readonly keys: Set<string> | null;
  /** The key whose value is being read, or the index in an array. */
  at: string | number;
}

const maxDepth = 64;
/** More than the largest record holds. Scanning more of them would make every other request wait. */
const maxValues = 10_000;

/**
 * Finds what `JSON.parse` silently accepts and a caller cannot have meant: a key that stands twice in one object, the key
 * `__proto__`, data that is nested too deep, and too much of it.
 */
function findUnwantedKeys(json: string): FieldError[] {
  const errors: FieldError[] = [];
  const levels: Level[] = [];
  let values = 0;
  let text: string | undefined;
  // In a text that is known to be JSON: where a string begins, what opens and closes, and what separates.
  const tokens = /["{}[\]:,]/g;
  for (let found = tokens.exec(json); found; found = tokens.exec(json)) {
    const [token] = found;
    if (token === '"') {
      tokens.lastIndex = endOfString(json, found.index);
      text = json.slice(found.index, tokens.lastIndex);
      continue;
    }
    const level = levels.at(-1);
    if ((token === ',' || token === '{' || token === '[') && ++values > maxValues)
      return [{ field: path(levels.slice(0, 1)), message: `there are more than ${maxValues} values` }];
    if (token === '{' || token === '[') {
      if (levels.length === maxDepth)
        return [{ field: path(levels), message: `is nested deeper than ${maxDepth} levels` }];
      levels.push({ keys: token === '{' ? new Set() : null, at: token === '{' ? '' : 0 });
    } else if (token === '}' || token === ']') {
      levels.pop();
    } else if (token === ':' && level?.keys && text !== undefined) {
      const key = JSON.parse(text) as string;
      level.at = key;
      if (level.keys.has(key)) errors.push({ field: path(levels), message: `${key} is given more than once` });
      if (key === '__proto__') errors.push({ field: path(levels), message: '__proto__ is not allowed' });
      level.keys.add(key);
    } else if (token === ',' && typeof level?.at === 'number') {
      level.at++;
    }
    text = undefined;
  }
  return errors;
}

/** Where a string ends that begins there. A regular expression overflows the stack at some ten million characters. */
function endOfString(json: string, start: number): number {
  for (let quote = json.indexOf('"', start + 1); ; quote = json.indexOf('"', quote + 1)) {
    let before = quote;
    while (json[before - 1] === '\\') before--;
    if ((quote - before) % 2 === 0) return quote + 1;
  }
}

function path(levels: readonly Level[]): string {
  return levels.map((level) => level.at).join('.');
}
