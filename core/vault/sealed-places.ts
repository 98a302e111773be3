import type { Vault } from '../credential/vault.ts';
import type { TableDescription } from '../resource/define-resource.ts';
import { RecordSeal } from '../resource/record-seal.ts';
import { sealedTexts } from '../resource/sealed-texts.ts';
import { Setting } from '../resource/setting.ts';
import type { Store, Tables } from '../resource/store.ts';
import { sealOverridesAgain } from '../run/overrides.ts';
import { Job } from '../schedule/job.ts';
import { lockTemplates } from '../schedule/lock-templates.ts';
import { auditKeyContext } from './audit-key.ts';

export type SealedRow = { readonly id: number } & Readonly<Record<string, unknown>>;

/** A table in which some rows hold encrypted values, and how such a row is encrypted anew. */
export interface SealedPlace {
  readonly table: TableDescription;
  /** What is read of a row: its id, its revision, and whatever may be encrypted. */
  readonly columns: readonly string[];
  /** What is to be written; columns without encrypted values are left out. @throws HorariumError `unavailable`. */
  again(vault: Vault, row: SealedRow): Readonly<Record<string, unknown>>;
  /** Sees to it that nobody else writes those columns of these rows before the transaction has ended. */
  lock?(tables: Tables, rows: readonly SealedRow[]): Promise<unknown>;
}

/** A store, what opens its secrets, and where in it they are. */
export interface SealedStore {
  readonly store: Store;
  readonly vault: Vault;
  readonly places: readonly SealedPlace[];
}

/** Records tie their secrets to themselves with a seal; whatever is structured may hold some. */
function ofRecords(table: TableDescription): SealedPlace {
  const holding = table.columns.filter(({ kind, secret }) => kind === 'json' || secret === 'encrypted');
  const names = holding.map(({ name }) => name);
  return {
    table,
    columns: ['id', 'revision', 'seal', ...names],
    again(vault, row) {
      const tied = { id: row.id, seal: row['seal'] as string };
      const seal = new RecordSeal(vault, table, tied);
      const sealed = names.filter((name) => [...sealedTexts(row[name])].length > 0);
      const values = sealed.map((name) => [name, seal.sealAllAgain([name], row[name])]);
      return { ...Object.fromEntries(values), seal: seal.fieldAgain(tied) };
    },
  };
}

/** A retry takes the values over from the job before it: whoever makes one holds the lock of the template. */
const ofJobs: SealedPlace = {
  table: Job as unknown as TableDescription,
  columns: ['id', 'revision', 'runtemplate_id', 'overrides'],
  again: (vault, { runtemplate_id, overrides }) => ({
    overrides: sealOverridesAgain(vault, runtemplate_id as number, overrides as Record<string, string>),
  }),
  lock: (tables, rows) =>
    lockTemplates(
      tables,
      rows.map((row) => row['runtemplate_id'] as number),
      'wait',
    ),
};

const ofSettings: SealedPlace = {
  table: Setting as unknown as TableDescription,
  columns: ['id', 'value'],
  again: (vault, { value }) => ({ value: vault.seal(vault.open(value as string, auditKeyContext), auditKeyContext) }),
};

/** Everywhere in those tables that something is encrypted. */
export function sealedPlaces(tables: readonly TableDescription[]): SealedPlace[] {
  return [ofSettings, ...tables.filter(({ fields }) => fields['seal']).map(ofRecords), ofJobs];
}

/** The rows that hold a value which was sealed with one of these keys. */
export function sealedWith(
  { columns }: SealedPlace,
  vault: Vault,
  rows: readonly SealedRow[],
  counts: (key: string) => boolean,
): SealedRow[] {
  return rows.filter((row) =>
    columns.some((name) => [...sealedTexts(row[name])].some((sealed) => counts(vault.keyOf(sealed)))),
  );
}
