/** The end of one template starts the other. */
export interface Chain {
  readonly from: number;
  readonly to: number;
}

/**
 * The way back to where it began, when this chain is added to the others: `[1, 2, 1]`.
 * @returns null when it closes no loop.
 */
export function loopClosedBy(added: Chain, others: readonly Chain[]): number[] | null {
  const next = new Map<number, number[]>();
  for (const { from, to } of others) next.set(from, [...(next.get(from) ?? []), to]);
  // Breadth first, so that the shortest loop is the one that is named.
  const cameFrom = new Map<number, number | null>([[added.to, null]]);
  for (const at of cameFrom.keys()) {
    if (at === added.from) return [added.from, ...wayTo(at, cameFrom)];
    for (const each of next.get(at) ?? []) if (!cameFrom.has(each)) cameFrom.set(each, at);
  }
  return null;
}

function wayTo(end: number, cameFrom: ReadonlyMap<number, number | null>): number[] {
  const way: number[] = [];
  for (let at: number | null = end; at !== null; at = cameFrom.get(at) ?? null) way.unshift(at);
  return way;
}
