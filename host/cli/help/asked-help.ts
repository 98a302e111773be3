/** What help a command line asks for: the list of all commands, that on the rest of the line, or none. */
export type AskedHelp = 'all' | 'line' | null;

/** Returns what help a command line asks for. */
export function askedHelp([first = '--help', ...rest]: readonly string[]): AskedHelp {
  if (isFlag(first) || (first === 'help' && (rest[0] === undefined || isFlag(rest[0])))) return 'all';
  const end = rest.indexOf('--');
  return first === 'help' || rest.slice(0, end < 0 ? undefined : end).some(isFlag) ? 'line' : null;
}

function isFlag(word: string): boolean {
  return word === '--help' || word === '-h';
}
