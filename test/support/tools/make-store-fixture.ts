import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { ormDatabases } from '../../../adapters/mikro-orm/databases.ts';
import { temporaryFolder } from '../mocha/temporary-folder.ts';
import { databaseKinds } from '../store/test-databases.ts';
import { dumpPostgres, dumpSqlite } from '../upgrade/database-dump.ts';
import { fillStore } from '../upgrade/fill-store.ts';
import { OldVersion } from '../upgrade/old-version.ts';
import { recordAnswers, startQuietService } from '../upgrade/recorded-answers.ts';
import { StoreClient } from '../upgrade/store-client.ts';

type Kind = keyof typeof databaseKinds;

/**
 * Makes a store of each database with the program of a commit, and keeps it for the tests of upgrades:
 * `node dist/test/support/tools/make-store-fixture.js COMMIT`.
 */
async function main(revision = 'HEAD'): Promise<void> {
  await using version = await OldVersion.build(revision);
  const folder = join(process.cwd(), 'test/fixtures', version.commit);
  mkdirSync(folder, { recursive: true });
  for (const { kind } of ormDatabases) {
    const { dump, story } = await makeStore(version, kind);
    const write = (name: string, content: string | Uint8Array) =>
      writeFileSync(join(folder, `${kind}.${name}.gz`), gzipSync(content, { level: 9 }));
    write('store', dump);
    write('json', JSON.stringify(story));
    console.log(`${kind}: made.`);
  }
}

async function makeStore(version: OldVersion, kind: Kind) {
  const folder = temporaryFolder('fixture');
  const { url, drop } = await databaseKinds[kind].create();
  try {
    const environment = { HORARIUM_DATABASE_URL: url, HORARIUM_TIMEZONE: 'Europe/Prague' };
    const filled = await fillStore(version.program, { folder, environment });
    const at = Date.now();
    const keys = { ...environment, HORARIUM_VAULT_KEY: filled.vaultKeys.join() };
    await using service = await startQuietService(version.root, { folder, environment: keys });
    const answers = await recordAnswers(new StoreClient(service.url, filled.tokens.admin, globalThis.fetch));
    return { dump: await dumpOf(version, kind, { url, folder }), story: { at, ...filled, answers } };
  } finally {
    await drop();
    rmSync(folder, { recursive: true });
  }
}

async function dumpOf({ root }: OldVersion, kind: Kind, { url, folder }: { url: string; folder: string }) {
  if (kind === 'sqlite') {
    const copy = join(folder, 'copy.sqlite');
    dumpSqlite(url.replace('sqlite:', ''), copy);
    return readFileSync(copy);
  }
  const index = join(root, 'dist/adapters/mikro-orm/dialects', kind, 'migrations/index.js');
  const { [`${kind}Migrations`]: entries } = await import(pathToFileURL(index).href);
  const classes = await Promise.all(entries.map((entry: { load(): Promise<new () => never> }) => entry.load()));
  return dumpPostgres(
    url,
    classes.map((migration) => new migration()),
  );
}

await main(process.argv[2]);
