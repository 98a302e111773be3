import type { Query, Where } from '../store/query.ts';
import type { Change, Table } from '../store/store.ts';
import type { AnyRow } from '../store/table.ts';
import type { CipherRow } from './record-cipher.ts';

/**
 * A table of records with secrets. A rotation encrypts them with another key without a new version of the record, so
 * the version tells nothing; but what is written after it may hold ciphertext of the key that it replaced.
 */
export class SecretTable implements Table {
  readonly #table: Table;

  constructor(table: Table) {
    this.#table = table;
  }

  find(query?: Query) {
    return this.#table.find(query);
  }

  count(where?: Where, max?: number) {
    return this.#table.count(where, max);
  }

  countBy(by: readonly string[], where?: Where) {
    return this.#table.countBy(by, where);
  }

  insert(rows: readonly Omit<AnyRow, 'id'>[]) {
    return this.#table.insert(rows);
  }

  insertAbsent(rows: readonly Omit<AnyRow, 'id'>[], key: readonly string[]) {
    return this.#table.insertAbsent(rows, key);
  }

  /** Updates rows; leaves those out of the returned ids whose secrets were encrypted again since they were read. */
  async update(changes: readonly Change[]): Promise<number[]> {
    const updatedIds = await this.#table.update(changes);
    const stale = await this.#findReencrypted(changes);
    return updatedIds.filter((id) => !stale.has(id));
  }

  updateWhere(where: Where, set: Partial<AnyRow>) {
    return this.#table.updateWhere(where, set);
  }

  delete(where: Where) {
    return this.#table.delete(where);
  }

  async #findReencrypted(changes: readonly Change[]): Promise<ReadonlySet<number>> {
    const keys = new Map(
      changes.flatMap(({ row, set }) => {
        const { cipher_key: key } = { ...row, ...set } as Partial<CipherRow>;
        return typeof key === 'string' ? [[row.id, key] as const] : [];
      }),
    );
    if (keys.size === 0) return new Set();
    const rows = await this.#table.find({ where: [['id', 'in', [...keys.keys()]]], columns: ['id', 'cipher_key'] });
    const stale = rows.filter(({ id, cipher_key }) => cipher_key !== keys.get(id));
    return new Set(stale.map(({ id }) => id));
  }
}
