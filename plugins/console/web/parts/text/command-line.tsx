/** A program and its arguments, or these alone, as one types them into a shell. */
export function CommandLine({ words }: { readonly words: readonly string[] }) {
  return <code>{words.map(quoted).join(' ')}</code>;
}

/** Writes a word as a shell would read it; placeholders stay. */
function quoted(word: string): string {
  return /^(?:[\w@%+=:,./-]|\$?\{\w+\}|•)+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
