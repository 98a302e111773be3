/**
 * Writes words after the start of a line, and on further lines indented as far where they do not fit.
 * @param width of the screen in characters.
 */
export function wrapWords(start: string, words: readonly string[], width: number): string[] {
  const lines: string[] = [];
  let line = start;
  for (const word of words) {
    if (line.trim() !== '' && line.length + word.length > width && line !== start) {
      lines.push(line.trimEnd());
      line = ' '.repeat(start.length);
    }
    line += `${word} `;
  }
  return [...lines, line.trimEnd()];
}
