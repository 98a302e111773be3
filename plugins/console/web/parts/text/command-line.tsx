interface CommandLineProps {
  readonly executable: string;
  readonly arguments: readonly string[];
}

/** A program and its arguments as one types them into a shell. */
export function CommandLine({ executable, arguments: args }: CommandLineProps) {
  return <code>{[executable, ...args].map(quoted).join(' ')}</code>;
}

/** Writes a word as a shell would read it; placeholders stay. */
function quoted(word: string): string {
  return /^(?:[\w@%+=:,./-]|\$?\{\w+\}|•)+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
