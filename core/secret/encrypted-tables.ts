import { Job } from '../job/job.ts';
import { reencryptOverrides } from '../job/overrides.ts';
import type { TableDescription } from '../resource/define-resource.ts';
import { Setting } from '../store/setting.ts';
import type { Store, Tables } from '../store/store.ts';
import { lockTemplates } from '../template/lock-templates.ts';
import { auditKeyContext } from './audit-key.ts';
import { ciphertextsIn } from './ciphertext.ts';
import { RecordCipher } from './record-cipher.ts';
import type { Vault } from './vault.ts';

export type EncryptedRow = { readonly id: number } & Readonly<Record<string, unknown>>;

/** A table in which some rows hold encrypted values, and how such a row is encrypted anew. */
export interface EncryptedTable {
  readonly table: TableDescription;
  /** What is read of a row: its id, its revision, and whatever may be encrypted. */
  readonly columns: readonly string[];
  /** What is to be written; columns without encrypted values are left out. @throws HorariumError `unavailable`. */
  again(vault: Vault, row: EncryptedRow): Readonly<Record<string, unknown>>;
  /** Sees to it that nobody else writes those columns of these rows before the transaction has ended. */
  lock?(tables: Tables, rows: readonly EncryptedRow[]): Promise<unknown>;
}

/** A store, what opens its secrets, and where in it they are. */
export interface EncryptedStore {
  readonly store: Store;
  readonly vault: Vault;
  readonly places: readonly EncryptedTable[];
}

/** Records tie their secrets to themselves with a seal; whatever is structured may hold some. */
function ofRecords(table: TableDescription): EncryptedTable {
  const holding = table.columns.filter(({ kind, secret }) => kind === 'json' || secret === 'encrypted');
  const names = holding.map(({ name }) => name);
  return {
    table,
    columns: ['id', 'revision', 'cipher_key', ...names],
    again(vault, row) {
      const tied = { id: row.id, cipher_key: row['cipher_key'] as string };
      const cipher = new RecordCipher(vault, table, tied);
      const sealed = names.filter((name) => [...ciphertextsIn(row[name])].length > 0);
      const values = sealed.map((name) => [name, cipher.reencryptAll([name], row[name])]);
      return { ...Object.fromEntries(values), cipher_key: cipher.reencryptCipherKey(tied) };
    },
  };
}

/** A retry takes the values over from the job before it: whoever makes one holds the lock of the template. */
const ofJobs: EncryptedTable = {
  table: Job as unknown as TableDescription,
  columns: ['id', 'revision', 'runtemplate_id', 'overrides'],
  again: (vault, { runtemplate_id, overrides }) => ({
    overrides: reencryptOverrides(vault, runtemplate_id as number, overrides as Record<string, string>),
  }),
  lock: (tables, rows) =>
    lockTemplates(
      tables,
      rows.map((row) => row['runtemplate_id'] as number),
      'wait',
    ),
};

const ofSettings: EncryptedTable = {
  table: Setting as unknown as TableDescription,
  columns: ['id', 'value'],
  again: (vault, { value }) => ({
    value: vault.encrypt(vault.decrypt(value as string, auditKeyContext), auditKeyContext),
  }),
};

/** Everywhere in those tables that something is encrypted. */
export function encryptedTables(tables: readonly TableDescription[]): EncryptedTable[] {
  return [ofSettings, ...tables.filter(({ fields }) => fields['cipher_key']).map(ofRecords), ofJobs];
}

/** The rows that hold a value which was sealed with one of these keys. */
export function encryptedWith(
  { columns }: EncryptedTable,
  vault: Vault,
  rows: readonly EncryptedRow[],
  counts: (key: string) => boolean,
): EncryptedRow[] {
  return rows.filter((row) =>
    columns.some((name) => [...ciphertextsIn(row[name])].some((sealed) => counts(vault.keyOf(sealed)))),
  );
}
