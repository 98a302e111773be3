/**
 * Splits what a crontab line runs at the first `%` that no backslash escapes: before it is the command, after it what
 * the command reads, where further `%` are line breaks. `\%` is a percent sign; in the command, as Debian's cron has
 * it, `\\` is one backslash; any other backslash stays.
 * @returns null as stdin where there is no `%`; otherwise text that ends with a line break, if there is any.
 */
export function readCommand(text: string): { command: string; stdin: string | null } {
  let at = 0;
  let command = '';
  for (; at < text.length && text[at] !== '%'; at += 1) {
    if (text[at] !== '\\' || at + 1 === text.length) command += text[at];
    else {
      at += 1;
      command += text[at] === '%' || text[at] === '\\' ? text[at] : `\\${text[at]}`;
    }
  }
  return { command, stdin: at < text.length ? readStdin(text.slice(at + 1)) : null };
}

function readStdin(text: string): string {
  const read = text.replace(/\\?%/g, (found) => (found === '%' ? '\n' : '%'));
  return read === '' || read.endsWith('\n') ? read : `${read}\n`;
}
