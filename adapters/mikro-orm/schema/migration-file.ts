import type { MigrationDiff } from '@mikro-orm/core';
import { TSMigrationGenerator } from '@mikro-orm/migrations';

/**
 * Generates a migration in the style of this code base. It has no `down`, because restoring a backup undoes a
 * migration.
 */
export class MigrationFile extends TSMigrationGenerator {
  override generateMigrationFile(className: string, { up }: MigrationDiff): string {
    const statements = up.filter((sql) => sql !== '').map((sql) => this.createStatement(sql, 4));
    return `import { Migration } from '@mikro-orm/migrations';

export class ${className} extends Migration {
  override name = '${className}';

  override up(): void {
${statements.join('')}  }
}
`;
  }
}
