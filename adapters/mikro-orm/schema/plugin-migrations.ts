import type { PluginMigrations } from '@horarium/core';
import { type MigrationEntry, pluginMigrationName } from './schema.ts';

/** Returns the migrations of plugins for one kind of database. */
export function pluginMigrations(
  plugins: readonly PluginMigrations[],
  kind: 'sqlite' | 'postgresql',
): readonly MigrationEntry[] {
  return plugins.flatMap(({ plugin, migrations }) =>
    migrations.map(({ name, [kind]: statements }) => migrationOf(pluginMigrationName(plugin, name), statements)),
  );
}

function migrationOf(name: string, statements: readonly string[]): MigrationEntry {
  return {
    name,
    load: async () => {
      const { Migration } = await import('@mikro-orm/migrations');
      return class extends Migration {
        override up(): void {
          for (const statement of statements) this.addSql(statement);
        }
      };
    },
  };
}
