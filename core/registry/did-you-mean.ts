/** Names that are longer are not compared. */
const maxLength = 64;
/** How many steps of a comparison one search may take; a comparison takes as many as its lengths multiplied. */
const maxSteps = 100_000;

/** Returns the name nearest to the given one among those that it is compared with; undefined when none is near. */
function closest(given: string, names: readonly string[]): string | undefined {
  const maxDistance = ({ length }: string) => Math.max(1, Math.floor(length * 0.4));
  let steps = 0;
  const isCompared = ({ length }: string) => {
    if (given.length > maxLength || length > maxLength) return false;
    steps += given.length * length;
    return steps <= maxSteps;
  };
  const [best] = names
    .filter((name) => Math.abs(name.length - given.length) <= maxDistance(name))
    .filter(isCompared)
    .map((name) => ({ name, distance: distance(given.toLowerCase(), name.toLowerCase()) }))
    .filter((candidate) => candidate.distance <= maxDistance(candidate.name))
    .sort((a, b) => a.distance - b.distance);
  return best?.name;
}

/** Returns ` Did you mean X?`, or an empty text when no name is near. A prefix that all names share does not count. */
export function didYouMean(given: string, names: readonly string[], prefix = ''): string {
  const endings = names.map((name) => name.slice(prefix.length));
  const name = closest(given.slice(prefix.length), endings);
  return name ? ` Did you mean ${prefix}${name}?` : '';
}

/** Returns the same for the end of an error's message, which has no full stop: `. Did you mean X?`, or an empty text. */
export function hintAfter(given: string, names: readonly string[]): string {
  const hint = didYouMean(given, names);
  return hint && `.${hint}`;
}

/** Computes the edit distance of two texts, where swapping two neighbours counts as one edit. */
function distance(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number) => rows[row]?.[column] as number;
  for (let row = 1; row <= a.length; row += 1) {
    rows.push([row]);
    for (let column = 1; column <= b.length; column += 1) {
      const same = a[row - 1] === b[column - 1];
      const swapped = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      const ways = [at(row, column - 1) + 1, at(row - 1, column) + 1, at(row - 1, column - 1) + (same ? 0 : 1)];
      rows[row]?.push(Math.min(...ways, swapped ? at(row - 2, column - 2) + 1 : Infinity));
    }
  }
  return at(a.length, b.length);
}
