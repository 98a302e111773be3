import type { Where } from '../store/query.ts';
import type { Tables } from '../store/store.ts';
import type { AnyRow, TableDescription } from '../store/table.ts';
import type { Actor } from './actor.ts';
import type { AnyResource } from './define-resource.ts';

/** The rules of who may do what. Everything that is not allowed is denied. */
export interface Guard {
  /** Which rows of it the actor may see: all, none, or those that match. */
  readable(actor: Actor, resource: TableDescription): boolean | Where;
  /**
   * Whether the actor may write this row. `after` is undefined for a deletion, `before` for a creation.
   * @returns undefined when it is allowed, or a sentence that says why not.
   */
  refusal(
    actor: Actor,
    resource: AnyResource,
    before: object | undefined,
    after: object | undefined,
    tables: Tables,
  ): Promise<string | undefined> | string | undefined;
  /** Whether the actor may delete what refers to a record along with it, whosever that is. */
  mayCascade(actor: Actor): boolean;
}

/** The condition that leaves the rows which the actor may see. */
export function visibleTo<R extends AnyRow>(guard: Guard, actor: Actor, resource: TableDescription<R>): Where<R> {
  const readable = guard.readable(actor, resource);
  if (readable === false) return [['id', 'in', []]];
  return readable === true ? [] : (readable as Where<R>);
}
