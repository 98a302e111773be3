import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { postgresqlMigrations } from '../../adapters/mikro-orm/dialects/postgresql/migrations/index.ts';
import { sqliteMigrations } from '../../adapters/mikro-orm/dialects/sqlite/migrations/index.ts';

/** The hashes of the migrations that stores in use have applied. */
const frozen = {
  sqlite: { '20261123181013-initial.ts': '4abbc00cb71c05f536e62c8440b8818b96697a09624ff2e4c7da074de5a8a424' },
  postgresql: { '20261123181024-initial.ts': 'b0ce0304b74e2688bea6246a261adadfa50b577314ccfd9536114e5fa7fcf2b8' },
};
const listed = { sqlite: sqliteMigrations, postgresql: postgresqlMigrations };
const databases = ['sqlite', 'postgresql'] as const;

describe('The migrations', () => {
  for (const database of databases) {
    const folder = join(import.meta.dirname, '../../../adapters/mikro-orm/dialects', database, 'migrations');
    const files = readdirSync(folder).filter((file) => file !== 'index.ts');

    it(`of ${database} that stores in use have applied are as they were`, () => {
      for (const [file, hash] of Object.entries(frozen[database]))
        expect(
          createHash('sha256')
            .update(readFileSync(join(folder, file)))
            .digest('hex'),
          file,
        ).to.equal(hash);
    });

    it(`of ${database} are all listed in the order of their times, under the names of their classes`, async () => {
      for (const file of files) expect(file).to.match(/^\d{14}-[a-z\d]+(-[a-z\d]+)*\.ts$/);
      const names = files.map((file) => `Migration${file.replace('.ts', '').replaceAll('-', '_')}`).sort();
      expect(listed[database].map(({ name }) => name)).to.deep.equal(names);
      const classes = await Promise.all(listed[database].map(({ load }) => load()));
      expect(classes.map(({ name }) => name)).to.deep.equal(names);
    });
  }

  it('have one name in all databases where one time made them', () => {
    const names = databases.map((database) => new Map(listed[database].map(({ name }) => [name.slice(0, 23), name])));
    for (const [time, name] of names[0] ?? []) expect(names[1]?.get(time) ?? name).to.equal(name);
  });
});
