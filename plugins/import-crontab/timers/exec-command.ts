import { quoted } from '../lines/shell-quote.ts';

/** What is put in place of specifiers such as `%n`: systemd.unit(5). */
export type Specifiers = Readonly<Record<string, string>>;

/**
 * Translates a command of a unit, such as the value of `ExecStart`, to one for the shell that starts the same programs with the
 * same arguments: systemd.service(5), COMMAND LINES.
 * @throws Error that says what of it cannot be translated.
 */
export function shellCommand(value: string, specifiers: Specifiers): string {
  const [, prefixes = '', line = ''] = /^([-@:+!|]*)\s*(.*)$/s.exec(value) ?? [];
  const special = [...prefixes].find((prefix) => prefix !== '-' && prefix !== ':');
  if (special !== undefined) throw new Error(`the prefix ${special} of its command is not known here`);
  const expands = !prefixes.includes(':');
  const commands: string[][] = [[]];
  for (const word of wordsOf(line)) {
    if (word === ';') commands.push([]);
    else commands.at(-1)?.push(word === '\\;' ? "';'" : shellWord(word, specifiers, expands));
  }
  if (commands.some((words) => words.length === 0)) throw new Error('a command of it names no program');
  const run = commands.map((words) => words.join(' ')).join(' && ');
  return prefixes.includes('-') ? `{ ${run}; true; }` : run;
}

/** A word, parts of which may be in quotes: systemd.syntax(7). */
const wordPattern = /\s*(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\\.|[^\s"'\\])+\s*/gsy;

/** Splits a line into words, which keep their quotes. What is wrong with a line does not show it: it may have a secret. */
function wordsOf(line: string): string[] {
  const words = line.match(wordPattern) ?? [];
  if (words.join('').length !== line.length) throw new Error('its quotes do not match');
  return words.map((word) => word.trim());
}

const escapes: Readonly<Record<string, string>> = {
  ...{ a: '\x07', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v', s: ' ' },
  ...{ '\\': '\\', '"': '"', "'": "'" },
};

function shellWord(word: string, specifiers: Specifiers, expands: boolean): string {
  const variable = /^\$([A-Za-z_]\w*)$/.exec(word)?.[1];
  // A variable that is a word by itself is split at blanks, as the shell does.
  if (variable !== undefined && expands) return `$${variable}`;
  const text = withSpecifiers(unquoted(word), specifiers);
  if (!expands) return quoted(text);
  const pieces = text.split(/(\$\$|\$\{[A-Za-z_]\w*\})/);
  const written = pieces.map((piece) => {
    if (piece === '$$') return quoted('$');
    return piece.startsWith('${') ? `"${piece}"` : piece === '' ? '' : quoted(piece);
  });
  return written.join('') || "''";
}

function unquoted(word: string): string {
  const text = word.replace(
    /"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|\\./gs,
    (found, double, single) => double ?? single ?? found,
  );
  // Escapes of numbers are bytes, which may be a character together.
  const bytes = Buffer.from(text).toString('latin1');
  const replaced = bytes.replace(/\\(x[\da-fA-F]{2}|[0-7]{3}|.)/gs, (escaped, code: string) => {
    if (/^x../.test(code)) return String.fromCharCode(Number.parseInt(code.slice(1), 16));
    if (/^[0-7]{3}$/.test(code)) return String.fromCharCode(Number.parseInt(code, 8));
    const character = escapes[code];
    if (character === undefined) throw new Error(`the escape ${escaped} is not known`);
    return character;
  });
  return Buffer.from(replaced, 'latin1').toString();
}

/** Puts values in place of specifiers. @throws Error for one that is not known. */
export function withSpecifiers(text: string, specifiers: Specifiers): string {
  return text.replace(/%(.?)/gs, (found, letter: string) => {
    const replaced = letter === '%' ? '%' : specifiers[letter];
    if (replaced === undefined) throw new Error(`the specifier ${found} is not known here`);
    return replaced;
  });
}

/** Reads `Environment`: assignments, each in quotes where it has blanks. */
export function readAssignments(values: readonly string[], specifiers: Specifiers): Record<string, string> {
  const words = values.flatMap(wordsOf).map((word) => withSpecifiers(unquoted(word), specifiers));
  if (words.some((word) => !/^[A-Za-z_]\w*=/.test(word))) throw new Error('its Environment has what sets no variable');
  return Object.fromEntries(words.map((word) => word.split(/=(.*)/s).slice(0, 2)));
}
