import type { NewEntry } from './signed-entry.ts';

/** What a transaction returned that was rolled back after its work. */
export interface DryRun<T> {
  readonly result: T;
  /** A sentence for each kind of record and change that it would have committed, the record itself included. */
  readonly consequences: readonly string[];
}

/** Thrown to roll a dry run back, with what it would have done. */
export class RolledBack<T> extends Error {
  readonly result: T;
  readonly entries: readonly NewEntry[];

  constructor(result: T, entries: readonly NewEntry[]) {
    super('A dry run was rolled back.');
    this.name = 'RolledBack';
    this.result = result;
    this.entries = entries;
  }
}

/** How many records, and how many fields, a sentence names. */
const maxNamed = 10;

/**
 * Describes the changes of a dry run by the audit entries that it would have written, which the caller could read:
 * `would update Task 5 and 6 (state, reason)`. New records are counted, because their ids are not reserved.
 */
export function describeConsequences(entries: readonly NewEntry[]): string[] {
  const groups = Map.groupBy(entries, ({ action, entity_type }) => `would ${action} ${entity_type}`);
  const sentences = [...groups].map(([change, group]) => {
    if (change.startsWith('would create')) return `${change}: ${group.length}`;
    const ids = [...new Set(group.map(({ entity_id }) => String(entity_id)))];
    const fields = new Set(group.flatMap(({ changes }) => Object.keys(changes)));
    return `${change} ${listed(ids)}${change.startsWith('would update') ? ` (${listed([...fields])})` : ''}`;
  });
  return ['dry run: nothing was changed', ...sentences];
}

function listed(names: readonly string[]): string {
  const more = names.length - maxNamed;
  return more > 0 ? `${names.slice(0, maxNamed).join(', ')} and ${more} more` : names.join(', ');
}
