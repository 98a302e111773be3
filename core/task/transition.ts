/**
 * Returns the new state of a Task or job, after checking it against the table of allowed transitions.
 * @throws Error when the table does not allow it: a bug of the service, whose transaction must be rolled back.
 */
export function transition<S extends string>(transitions: Readonly<Record<S, readonly S[]>>, from: S, to: S): S {
  if (!transitions[from].includes(to)) throw new Error(`A transition from ${from} to ${to} is not allowed.`);
  return to;
}
