import { notFound } from '../errors.ts';
import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';
import type { RecordsContext } from '../records/records.ts';
import { companyOf, visibleTo } from '../resource/access.ts';
import type { Actor } from '../resource/actor.ts';
import type { AnyResource } from '../resource/define-resource.ts';
import { nounsOf } from '../resource/nouns.ts';
import type { Where } from '../store/query.ts';
import type { Tables } from '../store/store.ts';
import type { AnyRow } from '../store/table.ts';
import { type ConfiguredRecord, configuredFields, configuredKinds } from './configured-fields.ts';
import { RecordNames } from './record-names.ts';

/** Rows may be large: an image, hundreds of variables. */
const pageSize = 100;

export interface ExportOptions {
  /** The code of the company whose records are exported alone. @default all, with what companies share */
  readonly company?: string | undefined;
}

export interface ExportedConfiguration {
  readonly records: readonly ConfiguredRecord[];
  /** What another service would not understand, in sentences. */
  readonly warnings: readonly string[];
}

/** A record, and the text that its kind is sorted by: its company, its name and its id. */
interface Sorted {
  readonly record: ConfiguredRecord;
  /** How messages call it. */
  readonly label: string;
  readonly by: string;
}

/**
 * Returns the configuration that the actor may see: kinds after those that they refer to, and within a kind by company and
 * name, so that two exports differ in nothing but what was changed.
 * @throws HorariumError `not_found` for a company that the actor may not see.
 */
export async function exportConfiguration(
  { findResource }: Pick<RecordsContext, 'findResource'>,
  tables: Tables,
  actor: Actor,
  resources: readonly AnyResource[],
  { company }: ExportOptions,
): Promise<ExportedConfiguration> {
  const kinds = configuredKinds(resources);
  const names = await RecordNames.read(tables, actor, namedKinds(kinds, findResource));
  const only = company === undefined ? undefined : names.named('Company', 'code', company, undefined)[0]?.id;
  if (company !== undefined && only === undefined) throw notFound('Company', company);
  const records: ConfiguredRecord[] = [];
  const warnings: string[] = [];
  for (const resource of kinds) {
    await yieldToEventLoop('bulk');
    if (only !== undefined && resource.company === null) continue;
    const owned = only === undefined ? [] : [[resource.company as string, '=', only] as const];
    const where = [...owned, ...visibleTo<AnyRow>(actor, resource)];
    for (const { record, label } of await exportKind(tables, resource, where, names)) {
      await yieldToEventLoop('bulk');
      records.push(record);
      warnings.push(...idWarnings(resource, record, label, findResource));
    }
  }
  return { records, warnings };
}

/** Warns of references that are ids. */
function idWarnings(
  { columns }: AnyResource,
  { fields }: ConfiguredRecord,
  label: string,
  findResource: RecordsContext['findResource'],
): string[] {
  return columns.flatMap(({ name, references }) => {
    const ids = references === undefined ? [] : [fields[name]].flat().filter((each) => typeof each === 'number');
    if (references === undefined || ids.length === 0) return [];
    const { noun, many } = nounsOf(findResource(references));
    const [what, verb] = ids.length === 1 ? [noun, 'has'] : [many, 'have'];
    return [
      `${label} refers to the ${what} ${ids.join(' and ')}, which ${verb} no name that only one has: elsewhere that is not understood.`,
    ];
  });
}

async function exportKind(
  tables: Tables,
  resource: AnyResource,
  where: Where,
  names: RecordNames,
): Promise<readonly Sorted[]> {
  const sorted: Sorted[] = [];
  for (let last = 0, isFull = true; isFull; ) {
    const page = { where: [['id', '>', last] as const, ...where], order: [['id', 'asc'] as const], limit: pageSize };
    const rows = await tables.of<AnyRow>(resource).find(page);
    for (const row of rows) {
      await yieldToEventLoop('bulk');
      const owner = companyOf(resource, row);
      const name = names.get(resource.name, row.id)?.names[0]?.[1] ?? '';
      const place = [owner === null ? '' : names.nameOf('Company', owner, undefined), name];
      sorted.push({
        label: names.label(
          resource.name,
          names.get(resource.name, row.id) ?? { id: row.id, company: owner, names: [] },
        ),
        record: { kind: resource.names.plural, fields: configuredFields(resource, row, names) },
        by: [...place, String(row.id).padStart(16, '0')].join('\n'),
      });
    }
    isFull = rows.length === pageSize;
    last = rows.at(-1)?.id ?? last;
  }
  sorted.sort((one, other) => (one.by < other.by ? -1 : 1));
  return sorted;
}

/** The kinds whose names files of these kinds may have: their own, companies, and what they refer to. */
export function namedKinds(
  kinds: readonly AnyResource[],
  findResource: RecordsContext['findResource'],
): readonly AnyResource[] {
  const named = new Map([findResource('Company'), ...kinds].map((kind) => [kind.name, kind]));
  for (const { columns } of kinds)
    for (const { references } of columns)
      if (references !== undefined && !named.has(references)) named.set(references, findResource(references));
  return [...named.values()];
}
