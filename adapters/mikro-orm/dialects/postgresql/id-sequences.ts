import type { IdSequences } from '../../dialect.ts';

/** Sequences of `bigserial` columns. They belong to no transaction: an id that was rolled back counts as assigned. */
export const postgresIdSequences: IdSequences = {
  async last(transaction, table) {
    const sql = `select pg_sequence_last_value(pg_get_serial_sequence($1, 'id')::regclass) as "last"`;
    return Number((await transaction.run(sql, [table])).rows[0]?.['last'] ?? 0);
  },
  async set(transaction, table, id) {
    await transaction.run(`select setval(pg_get_serial_sequence($1, 'id'), $2)`, [table, id]);
  },
};
