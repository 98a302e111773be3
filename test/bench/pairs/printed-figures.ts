/**
 * Reads the figures that a bench prints, by their names. A figure that is indented belongs to the one above it, and has
 * the name of both: `SQLite FULL, one at a time, p50 › ratio`.
 *
 * Benches up to a1df491 begin each line with their title and a colon; later ones print the title once.
 */
export function readPrintedFigures(text: string): Map<string, number> {
  const figures = new Map<string, number>();
  let heading = '';
  for (const line of text.split('\n')) {
    const [, printed, value] = /^(\s*[^\s|].*?)\s{2,}(-?[\d,]+(?:\.\d+)?)(?: \S+)?\s*$/.exec(line) ?? [];
    if (printed === undefined || value === undefined) continue;
    const name = printed.startsWith('  ') ? printed.slice(2) : printed.replace(/^[^:]+: /, '');
    if (!name.startsWith('   ')) heading = name;
    figures.set(name === heading ? name : `${heading} › ${name.trim()}`, Number(value.replaceAll(',', '')));
  }
  return figures;
}
