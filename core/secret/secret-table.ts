import { ForwardingTable } from '../store/forwarding-table.ts';
import type { Change } from '../store/store.ts';
import type { CipherRow } from './record-cipher.ts';

/**
 * A table of records with secrets. A rotation encrypts them with another key without a new version of the record, so
 * the version tells nothing; but what is written after it may hold ciphertext of the key that it replaced.
 */
export class SecretTable extends ForwardingTable {
  /** Updates rows; leaves those out of the returned ids whose secrets were encrypted again since they were read. */
  override async update(changes: readonly Change[]): Promise<number[]> {
    const updatedIds = await this.table.update(changes);
    const stale = await this.#findReencrypted(changes);
    return updatedIds.filter((id) => !stale.has(id));
  }

  async #findReencrypted(changes: readonly Change[]): Promise<ReadonlySet<number>> {
    const keys = new Map(
      changes.flatMap(({ row, set }) => {
        const { cipher_key: key } = { ...row, ...set } as Partial<CipherRow>;
        return typeof key === 'string' ? [[row.id, key] as const] : [];
      }),
    );
    if (keys.size === 0) return new Set();
    const rows = await this.table.find({ where: [['id', 'in', [...keys.keys()]]], columns: ['id', 'cipher_key'] });
    const stale = rows.filter(({ id, cipher_key }) => cipher_key !== keys.get(id));
    return new Set(stale.map(({ id }) => id));
  }
}
