/** A loop of a source text that awaits something, directly or in what it contains. */
export interface AwaitingLoop {
  /** As it is written, from its keyword to the end of its head, on one line. */
  readonly head: string;
  readonly body: string;
}

/**
 * Finds the loops that await. Comments, texts and regular expressions are blanked out first, so that no brace in them counts.
 * @throws Error for a text whose braces do not match, because loops in it would be missed.
 */
export function awaitingLoops(text: string): AwaitingLoop[] {
  const code = blanked(text);
  const loops: AwaitingLoop[] = [];
  for (const { 0: keyword, index } of code.matchAll(/\b(?:for|while)\b(?: await)?\s*(?=\()|\bdo\b\s*(?=\{)/g)) {
    const open = index + keyword.length;
    const isDo = code[open] === '{';
    const headEnd = isDo ? open : closing(code, open) + 1;
    const bodyEnd = isDo ? closing(code, open) + 1 : endOfStatement(code, headEnd);
    const head = text.slice(index, headEnd).replaceAll(/\s+/g, ' ').trim();
    const body = code.slice(headEnd, bodyEnd);
    if (/\bawait\b/.test(code.slice(index, bodyEnd))) loops.push({ head: head || 'do', body });
  }
  return loops;
}

const ignored =
  /\/\*[\s\S]*?\*\/|\/\/.*$|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\[\s\S])*`|(?<=[(,=:;!&|?{}[\n]\s*)\/(?![*/])(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/gm;

function blanked(text: string): string {
  return text.replaceAll(ignored, (part) => part.replaceAll(/[^\n]/g, ' '));
}

/** Returns the position of the bracket that closes the one at a position. */
function closing(code: string, open: number): number {
  const stack: string[] = [];
  for (let at = open; at < code.length; at += 1) {
    const sign = code[at] as string;
    const pair = pairs[sign];
    if (pair) stack.push(pair);
    else if (')]}'.includes(sign) && stack.pop() !== sign)
      throw new Error(`The braces before ${code.slice(at, at + 40)} do not match.`);
    if (stack.length === 0) return at;
  }
  throw new Error(`Nothing closes ${code.slice(open, open + 40)}.`);
}

const pairs: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };

/** Returns the position behind the statement that begins at a position or behind spaces there. */
function endOfStatement(code: string, start: number): number {
  let at = start;
  while (/\s/.test(code[at] ?? '')) at += 1;
  if (code[at] === '{') return closing(code, at) + 1;
  for (; at < code.length && code[at] !== ';'; at += 1) {
    if (!pairs[code[at] as string]) continue;
    const isBlock = code[at] === '{' && /\)\s*$|\belse\s*$|\btry\s*$/.test(code.slice(start, at));
    at = closing(code, at);
    if (isBlock && !/^\s*(?:else|catch|finally)\b/.test(code.slice(at + 1))) return at + 1;
  }
  return at + 1;
}
