/** Returns the name nearest to the given one; undefined when it differs in too many letters. */
function closest(given: string, names: readonly string[]): string | undefined {
  const maxDistance = ({ length }: string) => Math.max(1, Math.floor(length * 0.4));
  const [best] = names
    .filter((name) => Math.abs(name.length - given.length) <= maxDistance(name))
    .map((name) => ({ name, distance: distance(given.toLowerCase(), name.toLowerCase()) }))
    .filter((each) => each.distance <= maxDistance(each.name))
    .sort((one, other) => one.distance - other.distance);
  return best?.name;
}

/** Returns ` Did you mean X?`, or an empty text when no name is near. A prefix that all names share does not count. */
export function didYouMean(given: string, names: readonly string[], prefix = ''): string {
  const rest = names.map((name) => name.slice(prefix.length));
  const name = closest(given.slice(prefix.length), rest);
  return name ? ` Did you mean ${prefix}${name}?` : '';
}

/** Computes the edit distance of two texts, where swapping two neighbours counts as one edit. */
function distance(one: string, other: string): number {
  const rows = [Array.from({ length: other.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number) => rows[row]?.[column] as number;
  for (let row = 1; row <= one.length; row += 1) {
    rows.push([row]);
    for (let column = 1; column <= other.length; column += 1) {
      const same = one[row - 1] === other[column - 1];
      const swapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      const ways = [at(row, column - 1) + 1, at(row - 1, column) + 1, at(row - 1, column - 1) + (same ? 0 : 1)];
      rows[row]?.push(Math.min(...ways, swapped ? at(row - 2, column - 2) + 1 : Infinity));
    }
  }
  return at(one.length, other.length);
}
