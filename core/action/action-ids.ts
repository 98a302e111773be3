import { canonicalJson } from '../field/canonical-json.ts';
import { idOf, type ListedAction } from './listed-action.ts';

/**
 * Returns the ids of the actions in a list that is saved: the ids of the input, else the ids of the stored actions that they
 * are, by their content or their place, else new ones. The same list can be saved again without ids.
 * @param contentOf tells equal actions, without what callers cannot give again.
 */
export function assignIds(
  input: readonly ListedAction[],
  stored: readonly ListedAction[],
  contentOf: (action: ListedAction) => unknown,
): string[] {
  const ids = input.map(({ id }) => id);
  const free = new Map(stored.map((action, position) => [idOf(action, position), { action, position }]));
  for (const id of ids) if (id !== undefined) free.delete(id);
  const take = (isIt: (other: { action: ListedAction; position: number }) => boolean) => {
    const [id] = [...free].find(([, other]) => isIt(other)) ?? [];
    if (id !== undefined) free.delete(id);
    return id;
  };
  const matches = [
    ({ action, place }: Wanted) => take((other) => other.position === place && isSame(action, other.action)),
    ({ action }: Wanted) => take((other) => isSame(action, other.action)),
    ({ action, place }: Wanted) => take((other) => other.position === place && other.action.action === action.action),
  ];
  const isSame = (one: ListedAction, other: ListedAction) =>
    canonicalJson(contentOf(one)) === canonicalJson(contentOf(other));
  for (const match of matches) for (const [place, action] of input.entries()) ids[place] ??= match({ action, place });
  return ids.map((id) => id ?? crypto.randomUUID());
}

interface Wanted {
  readonly action: ListedAction;
  readonly place: number;
}
