import { signal } from '@preact/signals';
import { onChanges } from './live.ts';
import { read } from './request.ts';
import { whenUserChanges } from './session.ts';

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

/** The records that are known, by kind and id; null = the user may not see it, or it is gone. */
const known = signal<ReadonlyMap<string, AnyRecord | null>>(new Map());
const asked = new Set<string>();
let wanted = new Map<Kind, Set<number>>();

const maxRecords = 5000;
/** How many values a filter may have. */
const maxAtOnce = 100;

const keyOf = (kind: string, id: number) => `${kind} ${id}`;

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
  const key = keyOf(kind, id);
  const record = known.value.get(key);
  if (!asked.has(key)) {
    if (asked.size >= maxRecords) asked.clear();
    asked.add(key);
    if (wanted.size === 0) queueMicrotask(readWanted);
    wanted.set(kind, (wanted.get(kind) ?? new Set()).add(id));
  }
  return record;
}

/** What people call a record. */
export function titleOf(record: AnyRecord): string {
  return String(record['name'] ?? record['login'] ?? record['code'] ?? record.id);
}

function readWanted(): void {
  const batch = wanted;
  wanted = new Map();
  for (const [kind, ids] of batch) {
    const all = [...ids];
    for (let start = 0; start < all.length; start += maxAtOnce)
      void readSome(kind, all.slice(start, start + maxAtOnce));
  }
}

async function readSome(kind: Kind, ids: readonly number[]): Promise<void> {
  try {
    const rows = await read<readonly AnyRecord[]>(`/${lists[kind]}.json`, { id: ids.join(), limit: maxAtOnce });
    const found = new Map(rows.map((row) => [row.id, row]));
    const next = new Map(known.peek());
    for (const id of ids) next.set(keyOf(kind, id), found.get(id) ?? null);
    known.value = next;
  } catch {
    // They are read again once a view mentions them again.
    for (const id of ids) asked.delete(keyOf(kind, id));
  }
}

/** Reads records again that have changed, where a view still mentions them. */
export function startRecords(): void {
  onChanges((changes) => {
    const stale = changes?.map(({ entity_type, entity_id }) => keyOf(entity_type, entity_id)) ?? [...asked];
    let isStale = false;
    for (const key of stale) isStale = asked.delete(key) || isStale;
    // The views that mention them are drawn again, and ask for them.
    if (isStale) known.value = new Map(known.peek());
  });
  whenUserChanges(() => {
    asked.clear();
    known.value = new Map();
  });
}
