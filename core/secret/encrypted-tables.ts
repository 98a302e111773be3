import { eachPage, type PageQuery } from '../store/rows.ts';
import { Setting } from '../store/setting.ts';
import type { Store, Tables } from '../store/store.ts';
import type { TableDescription } from '../store/table.ts';
import { ciphertextsIn } from './ciphertext.ts';
import { auditKeyContext } from './key-registry.ts';
import { RecordCipher } from './record-cipher.ts';
import type { Vault } from './vault.ts';

export type EncryptedRow = { readonly id: number } & Readonly<Record<string, unknown>>;

/** A table in which some rows hold ciphertext, and how such a row is encrypted with another key. */
export interface EncryptedTable {
  readonly table: TableDescription;
  /** The columns to read: id, revision, and those that may hold ciphertext. */
  readonly columns: readonly string[];
  /**
   * Encrypts the secrets of a row with the newest key.
   * @returns the columns to write; those without ciphertext are left out.
   * @throws HorariumError `unavailable` for a row that cannot be decrypted.
   */
  reencrypt(vault: Vault, row: EncryptedRow): Readonly<Record<string, unknown>>;
  /** Locks these columns of the rows against concurrent writes until the transaction ends. */
  lock?(tables: Tables, rows: readonly EncryptedRow[]): Promise<unknown>;
}

/** Lists the settings and all records that have a cipher key; tables that encrypt otherwise are added in `rotationRules`. */
export function encryptedTablesOf(tables: readonly TableDescription[]): EncryptedTable[] {
  return [encryptedSettings, ...tables.filter(({ fields }) => fields['cipher_key']).map(encryptedRecords)];
}

const encryptedSettings: EncryptedTable = {
  table: Setting,
  columns: ['id', 'value'],
  reencrypt: (vault, { value }) => ({
    value: vault.encrypt(vault.decrypt(value as string, auditKeyContext), auditKeyContext),
  }),
};

/** Records bind their secrets to themselves with a cipher key; any structured field may hold some. */
function encryptedRecords(table: TableDescription): EncryptedTable {
  const names = table.columns
    .filter(({ kind, secret }) => kind === 'json' || secret === 'encrypted')
    .map(({ name }) => name);
  return {
    table,
    columns: ['id', 'revision', 'cipher_key', ...names],
    reencrypt(vault, row: EncryptedRow & { readonly cipher_key: string }) {
      const cipher = new RecordCipher(vault, table, row);
      const encrypted = names.filter((name) => [...ciphertextsIn(row[name])].length > 0);
      const values = encrypted.map((name) => [name, cipher.reencryptAll([name], row[name])]);
      return { ...Object.fromEntries(values), cipher_key: cipher.reencryptCipherKey(row) };
    },
  };
}

/** Rows per transaction, few enough that other transactions do not wait long. */
const pageSize = 200;

export interface EncryptedPage {
  readonly encrypted: EncryptedTable;
  readonly rows: readonly EncryptedRow[];
}

/** Pages through every row that may hold ciphertext, with one transaction for each page. */
export async function* encryptedPages(
  store: Store,
  tables: readonly EncryptedTable[],
): AsyncGenerator<EncryptedPage, void> {
  for (const encrypted of tables) {
    const { table, columns } = encrypted;
    const read = (page: PageQuery) =>
      store.transaction((transaction) => transaction.of(table).find({ ...page, columns }), { readOnly: true });
    for await (const rows of eachPage(read, { size: pageSize })) yield { encrypted, rows };
  }
}

/** Filters the rows that hold a value which was encrypted with a key that `isKey` accepts. */
export function rowsEncryptedWith(
  { columns }: EncryptedTable,
  vault: Vault,
  rows: readonly EncryptedRow[],
  isKey: (key: string) => boolean,
): EncryptedRow[] {
  return rows.filter((row) =>
    columns.some((name) => [...ciphertextsIn(row[name])].some((ciphertext) => isKey(vault.keyOf(ciphertext)))),
  );
}
