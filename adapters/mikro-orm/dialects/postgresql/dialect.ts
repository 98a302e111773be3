import { nearestInstant } from '@horarium/core/store';
import { IsolationLevel } from '@mikro-orm/core';
import { PostgreSqlDriver } from '@mikro-orm/postgresql';
import { PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler, type SqlBool, sql } from 'kysely';
import { type Dialect, firstStepCode } from '../../dialect.ts';
import { uniqueName } from '../../schema/constraint-names.ts';
import { PostgresBulkWrites } from './bulk-writes.ts';
import { postgresColumnTypes } from './column-types.ts';
import { postgresIdSequences } from './id-sequences.ts';
import { postgresCodec } from './value-codec.ts';

export const postgresDialect: Dialect = {
  kind: 'postgresql',
  ormDriver: PostgreSqlDriver,
  reading: { readOnly: true, isolationLevel: IsolationLevel.REPEATABLE_READ },
  schemaSyntax: {
    columnTypes: postgresColumnTypes,
    textCollation: 'C',
    rejectWhen: (when, message) =>
      `if ${when} then raise exception '${message}' using errcode = 'restrict_violation'; end if; return coalesce(new, old)`,
  },
  codec: postgresCodec,
  conditionSyntax: {
    isIn: (operand, { kind }, list) => sql<SqlBool>`${operand} = any(${list}::${sql.raw(postgresColumnTypes[kind])}[])`,
    /** Changes nothing, because PostgreSQL chooses indexes by statistics. */
    unindexed: (operand) => operand,
  },
  selectVerbatim: ({ name, kind }) => (kind === 'json' ? sql`${sql.ref(name)}::text` : sql.ref(name)).as(name),
  stepSyntax: {
    values(column, { from, length, count }) {
      const starts = Array.from({ length: count }, (_, step) => nearestInstant(from + step * length));
      return [postgresCodec.encodeList(column, starts)];
    },
    // Finds a time among the starts of the steps, the first one of which is 1: faster than to divide, and exact.
    // The type has no precision, because the list would be converted to it for each row.
    text({ name }, slots) {
      const step = sql`width_bucket(${sql.ref(name)}, ${slots.next()}::timestamptz[])`;
      return sql`string_agg(chr(${sql.lit(firstStepCode - 1)} + ${step}), '')`;
    },
  },
  createKyselyDialect: (driver) => ({
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => driver,
    createIntrospector: (kysely) => new PostgresIntrospector(kysely),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  }),
  idSequences: postgresIdSequences,
  createBulkWrites: (statements) => new PostgresBulkWrites(statements),
  violation(error, table) {
    const { code, constraint } = error as { code?: string; constraint?: string };
    if (code === '23505')
      return { rule: 'unique', fields: table.unique.find((group) => uniqueName(table, group) === constraint) };
    // A trigger that refuses a change has the code of a restriction, and no constraint.
    const isReference = (code === '23503' || code === '23001') && constraint !== undefined;
    return isReference ? { rule: 'reference', constraint } : undefined;
  },
};
