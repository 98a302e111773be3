const blank = /[ \t\n]/;

/**
 * Splits a command line into words as a POSIX shell would: blanks separate, single quotes quote everything,
 * inside double quotes a backslash escapes only `$`, a back quote, `"`, `\` and a line break, elsewhere it escapes any
 * character; a backslash before a line break joins the lines. Nothing is expanded and nothing is an operator:
 * `$`, `*`, `|`, `;`, `#`, `{KEY}` and `${KEY}` are text, because no shell ever runs the result.
 * @param max the maximum number of words.
 * @throws Error that says where a quote is not closed, or that there are more words.
 */
export function splitWords(line: string, max = Infinity): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let position = 0;
  while (position < line.length && words.length <= max) {
    const char = line[position] as string;
    if (char === "'" || char === '"') {
      const [text, next] = char === '"' ? readDouble(line, position) : readSingle(line, position);
      word = (word ?? '') + text;
      position = next;
    } else if (char === '\\') {
      if (position + 1 === line.length) word = `${word ?? ''}\\`;
      else if (line[position + 1] !== '\n') word = (word ?? '') + line[position + 1];
      position += 2;
    } else {
      if (!blank.test(char)) word = (word ?? '') + char;
      else if (word !== undefined) {
        words.push(word);
        word = undefined;
      }
      position += 1;
    }
  }
  if (word !== undefined) words.push(word);
  if (words.length > max) throw new Error(`has more than ${max} words`);
  return words;
}

function readSingle(line: string, start: number): [text: string, next: number] {
  const end = line.indexOf("'", start + 1);
  if (end < 0) throw unclosedQuote(line, start);
  return [line.slice(start + 1, end), end + 1];
}

function readDouble(line: string, start: number): [text: string, next: number] {
  let text = '';
  for (let position = start + 1; position < line.length; position += 1) {
    const char = line[position] as string;
    if (char === '"') return [text, position + 1];
    const next = line[position + 1];
    if (char === '\\' && next !== undefined && '$`"\\\n'.includes(next)) {
      position += 1;
      if (next !== '\n') text += next;
    } else text += char;
  }
  throw unclosedQuote(line, start);
}

function unclosedQuote(line: string, position: number): Error {
  return new Error(`has a quote (${line[position]}) at character ${position + 1} that is not closed`);
}

/** Joins words to a line that `splitWords`, and a shell, would split into exactly these words; placeholders stay. */
export function joinWords(words: readonly string[]): string {
  return words.map((word) => (plain.test(word) ? word : quote(word))).join(' ');
}

const plain = /^(?:[\w@%+=:,./-]|\$?\{\w+\})+$/;

function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
