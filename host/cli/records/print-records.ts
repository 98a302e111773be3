import {
  type AnyResource,
  embeddedIn,
  isLabelled,
  type RecordLabel,
  readLabels,
  summaryFieldsOf,
} from '@horarium/core';
import type { Command } from 'commander';
import type { CommandSession } from '../command-session.ts';
import type { Io } from '../io.ts';
import { isRecord, type OutputFormat, print } from '../output.ts';
import { referenceKindOf, typeFieldOf } from './reference-kind.ts';

type Row = Readonly<Record<string, unknown>>;

/** Records of a kind with the columns of their table, by field. */
export interface PrintedRecords {
  readonly resource: AnyResource;
  readonly records: readonly Row[];
  /** @default the fields of the first record */
  readonly columns?: readonly string[];
  /** The only columns of csv. @default all */
  readonly csvColumns?: readonly string[] | undefined;
  /** Whether the rows have fields of their own, and not those of records. @default false */
  readonly derived?: boolean;
}

/** At most so many records of one kind are named in a table; the ids of others stand alone. */
const maxNamed = 1000;

/**
 * Prints a list of records in the format that `--format` names. A table shows the names of other records beside or in place of
 * their ids, where the actor may see them; json, yaml and csv have the ids alone.
 */
export async function printRecords(
  session: CommandSession,
  io: Io,
  command: Command,
  { resource, records, columns: chosen, csvColumns, derived = false }: PrintedRecords,
): Promise<void> {
  const described = { ...(!derived && { resource }), csvColumns };
  if (!isTable(command)) return print(io, command, records, { ...(chosen && { columns: chosen }), ...described });
  const table = tableOf(session, resource, records, chosen);
  const { rows, columns } = namedRows(table, await labelsOf(session, [table]));
  await print(io, command, rows, { columns, ...described });
}

/** One record, and what its table shows of it. */
export interface PrintedRecord {
  readonly resource: AnyResource;
  readonly record: Row;
  /** Whether the table leaves out the fields that are not set. @default false */
  readonly onlySet?: boolean;
}

/**
 * Prints a record in the format that `--format` names. Its table shows the names of other records beside their ids, and the lists
 * that it embeds as `printRecords` does; json, yaml and csv have the ids alone.
 */
export async function printRecord(
  session: CommandSession,
  io: Io,
  command: Command,
  { resource, record, onlySet = false }: PrintedRecord,
): Promise<void> {
  const embedded = Object.entries(embeddedIn(resource, 'item'));
  const summaries = embedded.map(([field, each]) => [field, summaryFieldsOf(each.resource)] as const);
  const described = { resource, onlySet, embedded: Object.fromEntries(summaries) };
  if (!isTable(command)) return print(io, command, record, described);
  const own = tableOf(session, resource, [record]);
  const lists = embedded.flatMap(([field, each]) => {
    const records = record[field];
    return Array.isArray(records) && records.every(isRecord)
      ? [[field, tableOf(session, each.resource, records, summaryFieldsOf(each.resource))] as const]
      : [];
  });
  const labels = await labelsOf(session, [own, ...lists.map(([, table]) => table)]);
  const named = lists.map(([field, table]) => [field, namedRows(table, labels)] as const);
  const shown = {
    ...record,
    ...namedFields(own, record, labels, 'full'),
    ...Object.fromEntries(named.map(([field, { rows }]) => [field, rows])),
  };
  const columns = Object.fromEntries(named.map(([field, list]) => [field, list.columns]));
  await print(io, command, shown, { ...described, embedded: { ...described.embedded, ...columns } });
}

function isTable(command: Command): boolean {
  return command.opts<{ format: OutputFormat }>().format === 'table';
}

/** Records that a table shows, and the fields among its columns that have the ids of others. */
interface RecordsTable {
  readonly records: readonly Row[];
  readonly columns: readonly string[];
  readonly references: readonly ReferenceField[];
}

/** A field with the ids of other records, and the kind of those that a record has in it. */
interface ReferenceField {
  readonly field: string;
  readonly kindOf: (record: Row) => string | undefined;
}

/** @param columns @default the fields of the first record */
function tableOf(
  session: CommandSession,
  resource: AnyResource,
  records: readonly Row[],
  columns: readonly string[] = Object.keys(records[0] ?? {}),
): RecordsTable {
  return { records, columns, references: columns.flatMap((field) => referenceOf(session, resource, field)) };
}

/** Returns the field if the records whose ids it has may have names. */
function referenceOf({ core }: CommandSession, resource: AnyResource, field: string): ReferenceField[] {
  const kindOf = (record: Row) => referenceKindOf(resource, field, (typeField) => record[typeField]);
  const kind = kindOf({});
  const isNamed = core.resources.some((each) => each.name === kind && isLabelled(each));
  return isNamed || typeFieldOf(resource.columns, field) !== undefined ? [{ field, kindOf }] : [];
}

/** The labels of records, by kind and id. */
type Labels = ReadonlyMap<string, ReadonlyMap<number, RecordLabel>>;

/** Returns the rows of a list with labels in place of ids, under headings that say so: `company` for `company_id`. */
function namedRows(table: RecordsTable, labels: Labels): { rows: Row[]; columns: string[] } {
  const { records, columns, references } = table;
  const heading = (field: string) => {
    const isNamed = references.some((reference) => reference.field === field);
    const short = field.replace(/_id$/, '');
    return isNamed && !columns.includes(short) ? short : field;
  };
  const rows = records.map((record) => {
    const all: Row = { ...record, ...namedFields(table, record, labels, 'short') };
    return Object.fromEntries(columns.map((field) => [heading(field), all[field]]));
  });
  return { rows, columns: columns.map(heading) };
}

/** Returns the fields of a record that refer to others, with labels in place of ids. */
function namedFields({ references }: RecordsTable, record: Row, labels: Labels, form: keyof RecordLabel): Row {
  const texts = references.map(({ field, kindOf }) => {
    const label = (id: unknown) => labels.get(kindOf(record) ?? '')?.get(id as number)?.[form] ?? id;
    const value = record[field];
    return [field, Array.isArray(value) ? value.map(label) : label(value)] as const;
  });
  return Object.fromEntries(texts);
}

/** Reads the labels of all records that tables refer to, with one query for each kind. */
async function labelsOf({ core, actor }: CommandSession, shown: readonly RecordsTable[]): Promise<Labels> {
  const ids = new Map<string, Set<number>>();
  for (const { records, references } of shown)
    for (const { field, kindOf } of references)
      for (const record of records) {
        const kind = kindOf(record) ?? '';
        const ofKind = ids.get(kind) ?? new Set();
        for (const id of [record[field]].flat()) if (typeof id === 'number') ofKind.add(id);
        ids.set(kind, ofKind);
      }
  const kinds = core.resources.filter(({ name }) => ids.has(name));
  return core.store.read(async (tables) => {
    const labels = new Map<string, ReadonlyMap<number, RecordLabel>>();
    for (const resource of kinds) {
      const named = [...(ids.get(resource.name) ?? [])].slice(0, maxNamed);
      labels.set(resource.name, await readLabels(tables, actor, resource, named));
    }
    return labels;
  });
}
