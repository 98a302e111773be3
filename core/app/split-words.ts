const blank = /[ \t\n]/;

/**
 * Splits a command line into words as a POSIX shell would: blanks separate, single quotes quote everything,
 * inside double quotes a backslash escapes only `$`, a back quote, `"`, `\` and a line break, elsewhere it escapes any
 * character; a backslash before a line break joins the lines. Nothing is expanded and nothing is an operator:
 * `$`, `*`, `|`, `;`, `#`, `{KEY}` and `${KEY}` are text, because no shell ever runs the result.
 * @throws Error that says where a quote is not closed.
 */
export function splitWords(line: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let at = 0;
  while (at < line.length) {
    const char = line[at] as string;
    if (char === "'" || char === '"') {
      const [text, next] = char === '"' ? readDouble(line, at) : readSingle(line, at);
      word = (word ?? '') + text;
      at = next;
    } else if (char === '\\') {
      if (at + 1 === line.length) word = `${word ?? ''}\\`;
      else if (line[at + 1] !== '\n') word = (word ?? '') + line[at + 1];
      at += 2;
    } else {
      if (!blank.test(char)) word = (word ?? '') + char;
      else if (word !== undefined) {
        words.push(word);
        word = undefined;
      }
      at += 1;
    }
  }
  if (word !== undefined) words.push(word);
  return words;
}

function readSingle(line: string, start: number): [text: string, next: number] {
  const end = line.indexOf("'", start + 1);
  if (end < 0) throw unclosed(line, start);
  return [line.slice(start + 1, end), end + 1];
}

function readDouble(line: string, start: number): [text: string, next: number] {
  let text = '';
  for (let at = start + 1; at < line.length; at += 1) {
    const char = line[at] as string;
    if (char === '"') return [text, at + 1];
    const next = line[at + 1];
    if (char === '\\' && next !== undefined && '$`"\\\n'.includes(next)) {
      at += 1;
      if (next !== '\n') text += next;
    } else text += char;
  }
  throw unclosed(line, start);
}

function unclosed(line: string, at: number): Error {
  return new Error(`has a quote (${line[at]}) at character ${at + 1} that is not closed`);
}

/** Returns a line that `splitWords`, and a shell, would split into exactly these words; placeholders stay. */
export function joinWords(words: readonly string[]): string {
  return words.map((word) => (plain.test(word) ? word : quote(word))).join(' ');
}

const plain = /^(?:[\w@%+=:,./-]|\$?\{\w+\})+$/;

function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
