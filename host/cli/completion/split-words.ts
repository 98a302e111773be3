/** A command line up to the cursor. */
export interface TypedLine {
  /** The words before the one at the cursor, without the program, assignments before it and redirections. */
  readonly words: readonly string[];
  /** The word at the cursor, as far as it is typed; empty after a space. */
  readonly current: string;
  /** Whether that word names the file of a redirection. */
  readonly redirected: boolean;
}

/** A piece of a line: spaces, the sign of a redirection, a quoted text that may be open at the end, or other characters. */
const pieces = /(\s+)|(\d*[<>]+[&|]?)|'([^']*)(?:'|$)|"((?:[^"\\]|\\[\s\S]?)*)(?:"|$)|\\([\s\S]?)|([^\s<>'"\\]+)/g;

/**
 * Splits a command line at its spaces and removes quotes and backslashes, as a shell does. Nothing is expanded: `$HOME` stays
 * those five characters, and `$(date)` is never run.
 */
export function splitWords(line: string): TypedLine {
  const words: { text: string; redirected: boolean }[] = [];
  let word: string | undefined;
  let redirected = false;
  const end = () => {
    if (word === undefined) return;
    words.push({ text: word, redirected });
    word = undefined;
    redirected = false;
  };
  for (const [, space, redirection, single, double, escaped, plain] of line.matchAll(pieces)) {
    if (space === undefined && redirection === undefined)
      word = (word ?? '') + (single ?? unescaped(double) ?? escaped ?? plain ?? '');
    else end();
    redirected ||= redirection !== undefined;
  }
  const kept = words.filter((each) => !each.redirected).map(({ text }) => text);
  const program = kept.findIndex((text) => !/^\w+=/.test(text));
  return { words: program < 0 ? [] : kept.slice(program + 1), current: word ?? '', redirected };
}

/** Removes the backslashes that mean something between double quotes. */
function unescaped(text: string | undefined): string | undefined {
  return text?.replace(/\\([\\"$`\n])/g, '$1');
}
