/** The JSON Schema of the change of one field. */
export const changeSchema = { type: 'array', minItems: 2, maxItems: 2, items: {} } as const;

/** `[before, after]` of each field that changed; secrets are masked. */
export type Changes = Readonly<Record<string, readonly [unknown, unknown]>>;

/** The `entity_id` of an entry about several records; its changes are keyed by the ids of the records. */
export const severalRecords = 0;

/** The columns of an entry that name its records and their changes; in a database they may hold anything. */
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
