/** `[before, after]` of each field that changed; secrets are masked. */
export type Changes = Readonly<Record<string, readonly [unknown, unknown]>>;

/** The `entity_id` of an entry about several records; its changes are keyed by the ids of the records. */
export const severalRecords = 0;

/** What an entry tells of the records that it is about; what a database holds may be anything. */
export interface Recorded {
  readonly entity_type: string;
  readonly entity_id: number;
  readonly changes: Changes;
}

/** Returns the changes of each record that an entry holds, by its id. */
export function partsOf({ entity_id, changes }: Pick<Recorded, 'entity_id' | 'changes'>): [id: number, Changes][] {
  if (entity_id !== severalRecords) return [[entity_id, changes]];
  return Object.entries(changes as unknown as Record<string, Changes>).map(([id, part]) => [Number(id), part]);
}
