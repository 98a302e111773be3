import { type SqlBool, SqliteAdapter, SqliteIntrospector, sql } from 'kysely';
import { type Dialect, firstStepCode } from '../../dialect.ts';
import { SqliteBulkWrites } from './bulk-writes.ts';
import { sqliteColumnTypes } from './column-types.ts';
import { sqliteIdSequences } from './id-sequences.ts';
import { HorariumSqliteCompiler } from './query-compiler.ts';
import { SqliteSchemaDriver } from './schema-driver.ts';
import { sqliteCodec } from './value-codec.ts';

/** Kysely's own adapter lets one transaction at a time begin, so that none could join the commit of another. */
class SharedSqliteAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

export const sqliteDialect: Dialect = {
  kind: 'sqlite',
  ormDriver: SqliteSchemaDriver,
  reading: {},
  schemaSyntax: {
    columnTypes: sqliteColumnTypes,
    rejectWhen: (when, message) => `select raise(abort, '${message}') where ${when}`,
  },
  codec: sqliteCodec,
  conditionSyntax: {
    isIn: (operand, _column, list) => sql<SqlBool>`${operand} in (select "value" from json_each(${list}))`,
    /**
     * Disables indexes by a unary plus. Without statistics SQLite takes a state for as selective as a list of ids, and
     * would read all rows in that state.
     */
    unindexed: (operand) => sql`+${operand}`,
  },
  selectVerbatim: ({ name }) => sql.ref(name).as(name),
  stepSyntax: {
    values: (_column, { from, length }) => [from, length],
    // `char` truncates the quotient.
    text({ name }, slots) {
      const step = sql`(${sql.ref(name)} - ${slots.next()}) / ${slots.next()}`;
      return sql`group_concat(char(${sql.lit(firstStepCode)} + ${step}), '')`;
    },
  },
  createKyselyDialect: (driver) => ({
    createAdapter: () => new SharedSqliteAdapter(),
    createDriver: () => driver,
    createIntrospector: (kysely) => new SqliteIntrospector(kysely),
    createQueryCompiler: () => new HorariumSqliteCompiler(),
  }),
  idSequences: sqliteIdSequences,
  createBulkWrites: (statements) => new SqliteBulkWrites(statements),
  violation(error, table) {
    const { code, message } = error as { code?: string; message: string };
    if (code === 'SQLITE_CONSTRAINT_UNIQUE' || code === 'SQLITE_CONSTRAINT_PRIMARYKEY') {
      const columns = message.replace(/^.*: /, '').split(', ');
      return { rule: 'unique', fields: columns.map((column) => column.replace(`${table.table}.`, '')) };
    }
    const reference = code === 'SQLITE_CONSTRAINT_FOREIGNKEY' || /FOREIGN KEY constraint failed/.test(message);
    return reference ? { rule: 'reference', constraint: undefined } : undefined;
  },
};
