import { capitalized } from '../words/words.ts';

/** The records whose changes since the last success are listed. */
export const kindsOfChanges = ['RunTemplate', 'App', 'Company', 'Credential', 'CredentialType', 'EventRule'];

/** `[before, after]` of each field. */
export type FieldChanges = Readonly<Record<string, readonly [unknown, unknown]>>;

/** A change that was saved since the last success. */
export interface SavedChange {
  readonly auditlog_id: number;
  readonly at: string;
  readonly actor: string;
  readonly channel: string;
  readonly action: string;
  readonly entity_type: string;
  readonly entity_id: number;
  readonly name: string | null;
  readonly changes: FieldChanges;
  /** The later change that gave the record its former values again; null = none has. */
  readonly undone_by: UndoingChange | null;
}

export interface UndoingChange {
  readonly auditlog_id: number;
  readonly at: string;
  readonly actor: string;
}

/** What is known to have changed between the last success and a failure. */
export interface ChangesSinceSuccess {
  readonly job_id: number | null;
  readonly since: string;
  /** How many windows before were fulfilled in time, one after the other. */
  readonly fulfilled_before: number | null;
  readonly changes: readonly SavedChange[];
  readonly further: number;
  readonly hidden: number;
  readonly archived_before: string | null;
  readonly differences: readonly {
    readonly what: string;
    readonly before: string | null;
    readonly after: string | null;
  }[];
}

/** Why something runs or not, and what has changed. */
export interface WhyAnswer {
  readonly sentence: string;
  readonly conditions: readonly { readonly name: string; readonly met: boolean; readonly text: string }[];
  readonly since_success: ChangesSinceSuccess | null;
}

/** Lists changes without those that undid another one of them, which says so. */
export function changesToTell(changes: readonly SavedChange[]): readonly SavedChange[] {
  const undoing = new Set(changes.map(({ undone_by }) => undone_by?.auditlog_id));
  return changes.filter(({ auditlog_id }) => !undoing.has(auditlog_id));
}

/** The field of a record whose save explains a difference between two runs. */
const savedFields: Readonly<Record<string, string>> = {
  app_version: 'version',
  command: 'executable',
  arguments: 'arguments',
  executor: 'executor',
};

/** Whether a difference is one that a listed save made, so that it is not said twice. */
export function isSaved(what: string, changes: ChangesSinceSuccess['changes']): boolean {
  const variable = /^environment\.(.+)/.exec(what)?.[1];
  return changes.some(({ changes: fields }) => {
    if (variable === undefined) return Object.hasOwn(fields, savedFields[what] ?? what);
    const [before, after] = (fields['environment'] ?? []) as readonly [FieldChanges | null, FieldChanges | null];
    return JSON.stringify(before?.[variable]) !== JSON.stringify(after?.[variable]);
  });
}

/** The newest change; where it was undone, an older one of the same field that is in force, such as one that was saved again. */
export function foremostOf(changes: readonly SavedChange[]): SavedChange | undefined {
  const [newest] = changes;
  if (!newest?.undone_by) return newest;
  const { entity_type, entity_id } = newest;
  const isLike = (change: SavedChange) =>
    change.entity_type === entity_type &&
    change.entity_id === entity_id &&
    Object.keys(change.changes).some((field) => Object.hasOwn(newest.changes, field));
  return changes.find((change) => change.undone_by === null && isLike(change)) ?? newest;
}

/**
 * Makes a sentence of that of an answer, without its subject, which the headline of a page names, and without the number of a
 * Task, which people know by its window: `Runs next: …`.
 * @param name of the template.
 */
export function predicateOf(sentence: string, name: string): string {
  const subject = sentence.replace(/^(?:Task|job) \d+ of /, '');
  const predicate = subject.startsWith(`${name} (`)
    ? subject.slice(name.length).replace(/^ \(.*?\)+(?:, window [^,]+,|:)? /, '')
    : sentence;
  return `${capitalized(predicate).replace(/its last Task, \d+,/, 'its last run')}.`;
}
