import { type AnyResource, isLabelled, readLabels } from '@horarium/core';
import type { Command } from 'commander';
import type { CommandSession } from '../command-session.ts';
import type { Io } from '../io.ts';
import { type OutputFormat, print } from '../output.ts';
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
  if (command.opts<{ format: OutputFormat }>().format !== 'table')
    return print(io, command, records, { ...(chosen && { columns: chosen }), ...described });
  const columns = chosen ?? Object.keys(records[0] ?? {});
  const references = columns.flatMap((field) => referenceOf(session, resource, field));
  const labels = await labelsOf(session, references, records);
  const heading = (field: string) => {
    const isNamed = references.some((reference) => reference.field === field);
    const short = field.replace(/_id$/, '');
    return isNamed && !columns.includes(short) ? short : field;
  };
  const shown = records.map((record) => {
    const texts = references.map(({ field, kindOf }) => {
      const label = (id: unknown) => labels.get(kindOf(record) ?? '')?.get(id as number) ?? id;
      const value = record[field];
      return [field, Array.isArray(value) ? value.map(label) : label(value)] as const;
    });
    const all: Row = { ...record, ...Object.fromEntries(texts) };
    return Object.fromEntries(columns.map((field) => [heading(field), all[field]]));
  });
  await print(io, command, shown, { columns: columns.map(heading), ...described });
}

/** A field with the ids of other records, and the kind of those that a record has in it. */
interface ReferenceField {
  readonly field: string;
  readonly kindOf: (record: Row) => string | undefined;
}

/** Returns the field if the records whose ids it has may have names. */
function referenceOf({ core }: CommandSession, resource: AnyResource, field: string): ReferenceField[] {
  const kindOf = (record: Row) => referenceKindOf(resource, field, (typeField) => record[typeField]);
  const kind = kindOf({});
  const isNamed = core.resources.some((each) => each.name === kind && isLabelled(each));
  return isNamed || typeFieldOf(resource.columns, field) !== undefined ? [{ field, kindOf }] : [];
}

/** Reads the names of all records that fields refer to, with one query for each kind. */
async function labelsOf(
  { core, actor }: CommandSession,
  references: readonly ReferenceField[],
  records: readonly Row[],
): Promise<ReadonlyMap<string, ReadonlyMap<number, string>>> {
  const ids = new Map<string, Set<number>>();
  for (const { field, kindOf } of references)
    for (const record of records) {
      const kind = kindOf(record) ?? '';
      const ofKind = ids.get(kind) ?? new Set();
      for (const id of [record[field]].flat()) if (typeof id === 'number') ofKind.add(id);
      ids.set(kind, ofKind);
    }
  const kinds = core.resources.filter(({ name }) => ids.has(name));
  return core.store.read(async (tables) => {
    const labels = new Map<string, ReadonlyMap<number, string>>();
    for (const resource of kinds) {
      const named = [...(ids.get(resource.name) ?? [])].slice(0, maxNamed);
      labels.set(resource.name, await readLabels(tables, actor, resource, named));
    }
    return labels;
  });
}
