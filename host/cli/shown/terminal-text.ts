/**
 * Escapes control characters and those that reorder text, because they would let the names and the output of jobs control the
 * terminal. Line breaks stay.
 */
export function escapeControls(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  return text.replace(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, (character) => {
    const code = character.charCodeAt(0);
    if (character === '\t') return ' ';
    return code < 256 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16)}`;
  });
}

/** Truncates a text to its first line and a number of characters, marked by `…`. */
export function truncate(text: string, maxLength: number): string {
  const [line = '', ...more] = text.split('\n');
  if (line.length <= maxLength && more.length === 0) return line;
  // By whole characters, because some take two places in a text.
  const characters = [...line];
  return characters.length > maxLength || more.length > 0 ? `${characters.slice(0, maxLength - 1).join('')}…` : line;
}
