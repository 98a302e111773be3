/**
 * The new state, once it is sure that the table of moves allows it.
 * @throws Error when it does not: that is a mistake of ours, and the transaction must not be committed.
 */
export function transition<S extends string>(moves: Readonly<Record<S, readonly S[]>>, from: S, to: S): S {
  if (!moves[from].includes(to)) throw new Error(`A move from ${from} to ${to} is not allowed.`);
  return to;
}
