import type { IdSequences } from '../../dialect.ts';

/** SQLite's table of sequences, where a table has a row as soon as it has assigned an id. */
export const sqliteIdSequences: IdSequences = {
  async last(transaction, table) {
    const { rows } = await transaction.run('select "seq" from sqlite_sequence where "name" = ?', [table]);
    return Number(rows[0]?.['seq'] ?? 0);
  },
  async set(transaction, table, id) {
    const { affected } = await transaction.run('update sqlite_sequence set "seq" = ? where "name" = ?', [id, table]);
    if (affected === 0) await transaction.run('insert into sqlite_sequence ("name", "seq") values (?, ?)', [table, id]);
  },
};
