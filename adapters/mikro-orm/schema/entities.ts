import type { FieldDescription, TableDescription } from '@horarium/core';
import { foreignKeys } from '@horarium/core/store';
import { EntitySchema } from '@mikro-orm/core';
import type { SchemaSyntax } from '../dialect.ts';
import { foreignKeyName, indexName, uniqueName } from './constraint-names.ts';
import { triggersOf } from './triggers.ts';

type Properties = Record<string, Record<string, unknown>>;

/**
 * Describes the tables as MikroORM entities; migrations are generated from them and the schema is compared with them.
 */
export function entitiesOf(tables: readonly TableDescription[], syntax: SchemaSyntax): EntitySchema[] {
  foreignKeys(tables);
  return tables.map(
    (table) =>
      new EntitySchema({
        name: table.name,
        tableName: table.table,
        properties: Object.fromEntries(
          table.columns.map((column) => [column.name, property(table, column, syntax)]),
        ) as Properties as never,
        uniques: table.unique.map((group) => ({ name: uniqueName(table, group), properties: group as never })),
        indexes: indexGroups(table).map((group) => ({ name: indexName(table, group), properties: group as never })),
        triggers: triggersOf(table, syntax),
      }),
  );
}

/** Returns the declared indexes and one for each reference, except those that a unique constraint already provides. */
function indexGroups(table: TableDescription): readonly (readonly string[])[] {
  const references = table.columns.filter(({ kind }) => kind === 'reference').map(({ name }) => [name]);
  const groups = new Map([...table.indexes, ...references].map((group) => [group.join(), group]));
  for (const group of table.unique) groups.delete(group.join());
  return [...groups.values()];
}

function property(table: TableDescription, column: FieldDescription, syntax: SchemaSyntax): Record<string, unknown> {
  const { name, kind, nullable } = column;
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
    // A migration gives existing rows a value by a default, which no write of the store uses.
    ignoreSchemaChanges: ['default'],
    ...(text && syntax.textCollation ? { collation: syntax.textCollation } : {}),
  };
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
