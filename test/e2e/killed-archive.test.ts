import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AuditLog, type Store } from '@horarium/core';
import { expect } from 'chai';
import { openStore } from '../../adapters/mikro-orm/open-store.ts';
import { eventually } from '../support/mocha/eventually.ts';
import { SpawnedProgram } from '../support/program/spawned-program.ts';
import { TestCli } from '../support/program/test-cli.ts';
import { createDatabase } from '../support/store/test-postgres.ts';
import { writeAgedLog } from '../support/worlds/aged-log.ts';

const entries = 12_000;
const archive = 'audit:archive --retention-audit-days 30';

for (const [database, open] of [
  ['SQLite', async () => new TestCli()],
  ['PostgreSQL', async () => new TestCli(await createDatabase())],
] as const)
  describe(`audit:archive on ${database}`, () => {
    let cli: TestCli;
    let store: Store & AsyncDisposable;
    let folder: string;

    before(async function () {
      this.timeout(60_000);
      cli = await open();
      folder = join(cli.folder, 'var/audit');
      await writeAgedLog(cli, entries, 60);
      await cli.command('migrate');
      await cli.command('company:save --code acme --name Acme');
      store = await openStore({ url: cli.environment['HORARIUM_DATABASE_URL'] as string });
    });
    after(async () => {
      await store[Symbol.asyncDispose]();
      cli[Symbol.dispose]();
    });

    const left = () => store.transaction((tables) => tables.of(AuditLog).count(), { readOnly: true });
    const verified = async (...line: readonly string[]) => {
      const { code, out, err } = await cli.run(['audit:verify', '--format', 'json', ...line]);
      return { code, err, ...JSON.parse(out) };
    };

    it('moves nothing unless a number of days is set', async () => {
      const { code, err } = await cli.command('audit:archive');
      expect([code, err]).to.deep.equal([
        1,
        'The audit log is kept for ever: say by --retention-audit-days after how many days its entries leave the database.\n',
      ]);
      const { json, err: note } = await cli.command(`${archive} --dry-run --format json`);
      expect([json, note]).to.deep.equal([
        { entries, folder: 'var/audit' },
        'Nothing was moved: this was a dry run.\n',
      ]);
      expect(existsSync(folder)).to.equal(false);
    });

    it('has written and verified what it deletes when it is killed, so that the log stays proved', async () => {
      const before = await left();
      const program = new SpawnedProgram(archive.split(' '), cli);
      await eventually('some entries have left', async () => (await left()) < before, 60_000);
      program.process.kill('SIGKILL');
      await program.ended;
      const gone = before - (await left());
      expect(gone).to.be.within(1, entries - 1);
      expect(await verified()).to.include({ code: 0, intact: true, archived: gone });
      expect(readdirSync(folder)).to.deep.equal(['audit-000000000001.jsonl']);
      expect(statSync(join(folder, 'audit-000000000001.jsonl')).mode & 0o777).to.equal(0o600);
    });

    it('goes on when it is run again, and the database then holds the young entries', async () => {
      const { code, json } = await cli.command(`${archive} --format json`);
      expect(code).to.equal(0);
      expect(json.entries).to.be.within(1, entries - 1);
      expect(await left()).to.be.within(1, 20);
      expect(await verified()).to.include({ code: 0, intact: true, archived: entries });
      expect(await verified('--without-archive')).to.include({ code: 0, intact: true, archived: entries });
      expect((await cli.command(`${archive} --format json`)).json).to.include({ entries: 0 });
    });

    it('leaves files in which audit:verify names what is changed or missing', async () => {
      const file = join(folder, 'audit-000000000001.jsonl');
      const text = readFileSync(file, 'utf8');
      const { changes } = JSON.parse(text.slice(0, text.indexOf('\n')));
      expect(JSON.parse(changes).name).to.deep.equal([null, 'aged 0']);
      writeFileSync(file, text.replace('aged 11000', 'aged 11999'));
      const changed = await verified();
      expect([changed.code, changed.intact]).to.deep.equal([1, false]);
      expect(changed.err).to.match(
        /^Audit entry 11001 \(create of Topic 11001, seq 11001\) was changed or inserted\. It is in audit-0{11}1\.jsonl in /,
      );
      rmSync(file);
      const missing = await verified();
      expect([missing.code, missing.problem]).to.deep.equal([
        1,
        `Entry 1 has left the database, and no file in ${folder} holds it.`,
      ]);
      writeFileSync(join(cli.folder, 'elsewhere'), '');
      expect((await cli.command('audit:verify --audit-archive elsewhere')).err).to.contain('cannot be read (ENOTDIR)');
    });
  });
