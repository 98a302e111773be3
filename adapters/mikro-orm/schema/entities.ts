import type { FieldDescription, TableDescription } from '@horarium/core';
import { foreignKeys } from '@horarium/core/store';
import { EntitySchema } from '@mikro-orm/core';
import type { Dialect } from '../dialect.ts';
import { foreignKeyName, indexName, uniqueName } from './constraint-names.ts';
import { triggersOf } from './triggers.ts';

type Properties = Record<string, Record<string, unknown>>;

/**
 * Describes the tables as MikroORM entities; migrations are generated from them and the schema is compared with them.
 */
export function entitiesOf(tables: readonly TableDescription[], dialect: Dialect): EntitySchema[] {
  foreignKeys(tables);
  return tables.map(
    (table) =>
      new EntitySchema({
        name: table.name,
        tableName: table.table,
        properties: Object.fromEntries(
          table.columns.map((column) => [column.name, property(table, column, dialect)]),
        ) as Properties as never,
        uniques: table.unique.map((group) => ({ name: uniqueName(table, group), properties: group as never })),
        indexes: indexesOf(table),
        triggers: triggersOf(table, dialect.schemaSyntax),
      }),
  );
}

/**
 * Returns the indexes of a table: the declared ones and one for each reference. An index that another one begins with is
 * left out, and that of a reference holds no nulls.
 */
function indexesOf(table: TableDescription) {
  const { columns, unique, indexes, partialIndexes } = table;
  const references = columns.filter(({ kind, foreignKey }) => kind === 'reference' && foreignKey !== false);
  const groups = new Map([...indexes, ...references.map(({ name }) => [name])].map((group) => [group.join(), group]));
  const longer = [...unique.map((group) => `${group.join()},`), ...groups.keys()];
  const needed = [...groups].filter(([name]) => !longer.some((other) => other.startsWith(`${name},`)));
  const nullable = new Set(columns.filter((column) => column.nullable && column.references).map(({ name }) => name));
  return [
    ...needed.map(([name, group]) =>
      nullable.has(name) ? partialIndex(table, group, [name]) : fullIndex(table, group),
    ),
    ...partialIndexes.map((index) => partialIndex(table, index.columns, index.present)),
  ];
}

function fullIndex(table: TableDescription, columns: readonly string[]) {
  return { name: indexName(table, columns), properties: columns as never };
}

function partialIndex(table: TableDescription, columns: readonly string[], present: readonly string[]) {
  const name = indexName(table, [...columns, 'present']);
  return {
    name,
    properties: columns as never,
    where: present.map((column) => `"${column}" is not null`).join(' and '),
  };
}

function property(table: TableDescription, column: FieldDescription, dialect: Dialect): Record<string, unknown> {
  const { name, kind, nullable } = column;
  const { schemaSyntax: syntax } = dialect;
  if (name === 'id')
    return { type: 'integer', columnType: syntax.columnTypes.integer, primary: true, autoincrement: true };
  if (kind === 'reference' && column.foreignKey !== false)
    return {
      kind: 'm:1',
      entity: () => column.references,
      fieldName: name,
      columnType: syntax.columnTypes.reference,
      mapToPk: true,
      nullable,
      index: false,
      foreignKeyName: foreignKeyName(table, name),
      deleteRule: 'restrict',
      updateRule: 'no action',
    };
  const text = kind === 'text' || kind === 'choice';
  return {
    type: propertyTypes[kind],
    fieldName: name,
    columnType: syntax.columnTypes[kind],
    nullable,
    ...defaultOf(column, dialect),
    ...(text && syntax.textCollation ? { collation: syntax.textCollation } : {}),
  };
}

/**
 * Declares the value of a column for rows that exist before it. The store itself gives every column a value, so that a
 * database need not have the same default.
 */
function defaultOf(column: FieldDescription, { codec }: Dialect): Record<string, unknown> {
  if (column.default === null) return {};
  const value = codec.encode(column, column.default);
  const literal = typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : `${value}`;
  return { defaultRaw: literal, ignoreSchemaChanges: ['default'] };
}

const propertyTypes: Record<FieldDescription['kind'], string> = {
  text: 'text',
  choice: 'text',
  integer: 'integer',
  reference: 'integer',
  number: 'double',
  flag: 'boolean',
  instant: 'datetime',
  references: 'json',
  texts: 'json',
  json: 'json',
  binary: 'blob',
};
