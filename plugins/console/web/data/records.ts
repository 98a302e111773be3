import { Mentioned, partsOf } from './mentioned.ts';
import { read } from './request.ts';

/** A record as lists have it. */
export interface AnyRecord {
  readonly id: number;
  readonly [field: string]: unknown;
}

/** The lists that have the records of each kind which views mention. */
const lists = {
  RunTemplate: 'runtemplates',
  Company: 'companies',
  App: 'apps',
  User: 'users',
  Credential: 'credentials',
  CredentialType: 'credential_types',
  EventSource: 'eventsources',
  EventRule: 'eventrules',
  Calendar: 'calendars',
  Topic: 'topics',
  MaintenanceWindow: 'maintenancewindows',
  Pause: 'pauses',
  Task: 'tasks',
  Job: 'jobs',
} as const;
export type Kind = keyof typeof lists;

/** How many values a filter may have. */
const maxAtOnce = 100;

const keyOf = (kind: string, id: number) => `${kind} ${id}`;
const kindOf = (key: string) => key.slice(0, key.indexOf(' ')) as Kind;
const idOf = (key: string) => key.slice(key.indexOf(' ') + 1);

const records = new Mentioned<AnyRecord>({
  max: 5000,
  batchesOf: (keys) => [...Map.groupBy(keys, kindOf).values()].flatMap((ofKind) => partsOf(ofKind, maxAtOnce)),
  readSome: async (keys) => {
    const kind = kindOf(keys[0] as string);
    const query = { id: keys.map(idOf).join(), limit: maxAtOnce };
    const rows = await read<readonly AnyRecord[]>(`/${lists[kind]}.json`, query);
    return new Map(rows.map((row) => [keyOf(kind, row.id), row]));
  },
  changedBy: ({ entity_type, entity_id }) => [keyOf(entity_type, entity_id)],
});

/** Whether views can show the names of records of that kind. */
export function isKind(name: string): name is Kind {
  return Object.hasOwn(lists, name);
}

/**
 * A record that others refer to by its id. It is read with all others that a view mentions, and the view is drawn again once
 * it has arrived.
 * @returns undefined until it is known; null = there is none that the user may see.
 */
export function recordOf(kind: Kind, id: number): AnyRecord | null | undefined {
  return records.get(keyOf(kind, id));
}

/** What people call a record. */
export function titleOf(record: AnyRecord): string {
  return String(record['name'] ?? record['login'] ?? record['code'] ?? record.id);
}
