import { overrideTable } from '../store/override-tables.ts';
import type { Change, Table } from '../store/store.ts';
import type { CipherRow } from './record-cipher.ts';

/**
 * Wraps a table of records with secrets so that `update` leaves out of the returned ids the rows whose secrets were
 * encrypted again since they were read. A rotation encrypts them with another key without a new version of the record,
 * so the version does not tell; but what is written after it may hold ciphertext of the key that it replaced.
 */
export function secretTable(table: Table): Table {
  return overrideTable(table, {
    async update(changes) {
      const updatedIds = await table.update(changes);
      const stale = await findReencrypted(table, changes);
      return updatedIds.filter((id) => !stale.has(id));
    },
  });
}

async function findReencrypted(table: Table, changes: readonly Change[]): Promise<ReadonlySet<number>> {
  const keys = new Map(
    changes.flatMap(({ row, set }) => {
      const { cipher_key: key } = { ...row, ...set } as Partial<CipherRow>;
      return typeof key === 'string' ? [[row.id, key] as const] : [];
    }),
  );
  if (keys.size === 0) return new Set();
  const rows = await table.find({ where: [['id', 'in', [...keys.keys()]]], columns: ['id', 'cipher_key'] });
  const stale = rows.filter(({ id, cipher_key }) => cipher_key !== keys.get(id));
  return new Set(stale.map(({ id }) => id));
}
