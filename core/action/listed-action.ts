import type { Fields } from '../field/field-meta.ts';
import { type Options, secretOptionPaths } from '../records/plugin-options.ts';

/** One use of an action in a list: its id there, its name, and its options. */
export interface ListedAction extends Readonly<Record<string, unknown>> {
  /** Identifies it within the list, whatever its position; see `idOf`. */
  readonly id?: string | undefined;
  readonly action: string;
}

/** Returns the id of a stored action. One that was saved without an id, or stands in a setting, has its position. */
export function idOf({ id }: Pick<ListedAction, 'id'>, position: number): string {
  return id ?? String(position);
}

/** Returns the name of an action, and its options that are no secrets. */
export function plainOptions(fields: Fields | undefined, { id: _id, ...listed }: ListedAction): Options {
  const secrets = new Set(secretOptionPaths([], fields).map(([name]) => name));
  return Object.fromEntries(Object.entries(listed).filter(([name]) => !secrets.has(name)));
}
