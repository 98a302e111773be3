import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MigrationDiff } from '@mikro-orm/core';
import { TSMigrationGenerator } from '@mikro-orm/migrations';
import { valueMissing } from './value-missing.ts';

/**
 * Generates a migration in the style of this code base. It has no `down`, because restoring a backup undoes a
 * migration.
 */
export class MigrationFile extends TSMigrationGenerator {
  /**
   * @param stem the name of the file without its suffix, `20261123181013-initial`, from which that of the class follows.
   * @throws HorariumError `invalid` for a new column that existing rows have no value for.
   */
  override async generate({ up, down }: MigrationDiff, folder: string, stem: string): Promise<[string, string]> {
    const column = up.map((sql) => /\badd (?:column )?[`"](\w+)[`"] [^,]*?\bnot null(?! default)/.exec(sql)?.[1]);
    for (const name of column) if (name !== undefined) throw valueMissing(name);
    const source = this.generateMigrationFile(`Migration${stem.replaceAll('-', '_')}`, { up, down });
    writeFileSync(join(folder, `${stem}.ts`), source);
    return [source, `${stem}.ts`];
  }

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
