import type { Configuration } from '@mikro-orm/core';
import {
  AbstractSqlDriver,
  SqliteConnection,
  SqlitePlatform,
  SqliteSchemaHelper,
  type TableDifference,
} from '@mikro-orm/sqlite';
import { valueMissing } from '../../schema/value-missing.ts';

/** MikroORM's driver of SQLite, which rebuilds tables without a loss. */
export class SqliteSchemaDriver extends AbstractSqlDriver<SqliteConnection> {
  constructor(config: Configuration) {
    super(config, new RebuildingPlatform(), SqliteConnection, ['kysely', 'better-sqlite3']);
  }
}

class RebuildingPlatform extends SqlitePlatform {
  protected override readonly schemaHelper = new RebuildingSchemaHelper(this);
}

/**
 * Writes the changes of a table. SQLite can add, rename and drop columns; for any other change the table is rebuilt.
 * MikroORM's own rebuild forgets the highest id that was ever used, so that ids of deleted rows would return, the values
 * of renamed columns, and the defaults of new ones.
 */
class RebuildingSchemaHelper extends SqliteSchemaHelper {
  override alterTable(diff: TableDifference, safe?: boolean): string[] {
    return needsRebuild(diff) ? this.#rebuild(diff) : super.alterTable(diff, safe);
  }

  #rebuild({ fromTable, toTable, renamedColumns }: TableDifference): string[] {
    const renamed = new Map(Object.entries(renamedColumns).map(([old, { name }]) => [name, old]));
    const values = toTable.getColumns().map(({ name, nullable, default: value }) => {
      const source = renamed.get(name) ?? name;
      if (fromTable.getColumn(source)) return this.quote(source);
      if (!nullable && value == null) throw valueMissing(name);
      return `${value ?? null}`;
    });
    const table = this.quote(toTable.name);
    const newName = `${toTable.name}_new`;
    const newTable = this.quote(newName);
    const [createTable = '', ...indexesAndTriggers] = this.createTable(toTable);
    return [
      createTable.replace(`create table ${table}`, `create table ${newTable}`),
      `insert into ${newTable} select ${values.join(', ')} from ${table};`,
      `delete from sqlite_sequence where name = '${newName}';`,
      `insert into sqlite_sequence (name, seq) select '${newName}', seq from sqlite_sequence where name = '${toTable.name}';`,
      `drop table ${table};`,
      // Otherwise SQLite refuses the new name while triggers of other tables read the one that is gone.
      'pragma legacy_alter_table = on;',
      `alter table ${newTable} rename to ${table};`,
      'pragma legacy_alter_table = off;',
      ...indexesAndTriggers,
    ];
  }
}

function needsRebuild(diff: TableDifference): boolean {
  const added = new Set(Object.keys(diff.addedColumns));
  const addedKeys = Object.values(diff.addedForeignKeys);
  const changes = [
    diff.changedColumns,
    diff.addedChecks,
    diff.changedChecks,
    diff.removedChecks,
    diff.changedForeignKeys,
    diff.removedForeignKeys,
    addedKeys.filter(({ columnNames }) => columnNames.length > 1 || !added.has(`${columnNames[0]}`)),
  ];
  return changes.some((change) => Object.keys(change).length > 0);
}
