import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { allTables, Topic } from '@horarium/core';
import { expect } from 'chai';
import { openStore } from '../../adapters/mikro-orm/open-store.ts';
import { ServiceWorld } from '../support/faults/service-world.ts';
import { eventually } from '../support/mocha/eventually.ts';
import { runDoctor } from '../support/program/doctor.ts';
import { SpawnedProgram, spawnService } from '../support/program/spawned-program.ts';
import { TestCli } from '../support/program/test-cli.ts';
import { createDatabase } from '../support/store/test-postgres.ts';
import { writeAgedLog } from '../support/worlds/aged-log.ts';

const newStores = {
  sqlite: async () => new TestCli(),
  postgresql: async () => new TestCli(await createDatabase()),
} as const;
const others = { sqlite: 'postgresql', postgresql: 'sqlite' } as const;

for (const kind of ['sqlite', 'postgresql'] as const)
  describe(`A service on ${kind} that is backed up while it runs`, () => {
    let world: ServiceWorld;
    let restored: TestCli;
    let backup: string;
    let template: number;
    let long: number;
    before(async function () {
      this.timeout(60_000);
      world = await ServiceWorld.create(kind);
      template = await world.addTemplate('tick', ['-c', 'echo "$SECRET_WORD"'], {
        cron: '* * * * * *',
        interval: 'custom',
      });
      long = await world.addDailyTemplate('long', 'sleep 600');
      await world.startService();
      const succeeded = async () => (await world.jobs(template)).filter(({ state }) => state === 'succeeded');
      await eventually('jobs have run', async () => (await succeeded()).length > 2, 30_000);
      await eventually('the long one runs', async () => (await world.jobs(long))[0]?.state === 'running', 30_000);
      backup = join(world.cli.folder, 'backup.jsonl');
      restored = await newStores[others[kind]]();
    });
    after(async () => {
      restored[Symbol.dispose]();
      await world[Symbol.asyncDispose]();
    });

    it('goes on, and the file belongs to its owner alone', async () => {
      const result = await world.run('backup', backup);
      expect(result).to.include({ file: backup });
      expect(statSync(backup).mode & 0o777).to.equal(0o600);
      expect(readdirSync(world.cli.folder).filter((name) => name.includes('draft'))).to.deep.equal([]);
      const { rows } = JSON.parse(readFileSync(backup, 'utf8').trimEnd().split('\n').at(-1) as string);
      expect(result.rows).to.equal(rows);
      const count = (await world.jobs(template)).length;
      await eventually('more jobs run', async () => (await world.jobs(template)).length > count, 30_000);
    });

    it(`is restored on ${others[kind]} with every record, and an audit log that proves it`, async () => {
      const { json, err } = await restored.run(['restore', backup, '--format', 'json']);
      expect(json).to.include({ audit_log: 'verified', pause: 1 });
      expect(err).to.equal('Everything is paused. Once the original is stopped: horarium resume --all\n');
      const { audit_head } = JSON.parse(readFileSync(backup, 'utf8').split('\n')[0] as string);
      expect((await restored.run(['audit:verify', '--head', audit_head, '--format', 'json'])).json).to.include({
        intact: true,
      });
      const jobs = (await restored.run(['job:list', '--format', 'json'])).json as { id: number; state: string }[];
      const before = await world.jobs(template);
      const ended = jobs.filter(({ state }) => state === 'succeeded');
      expect(ended.length).to.be.above(2);
      for (const { id } of ended) expect(before.find((job) => job.id === id)).to.include({ state: 'succeeded' });
      expect((await restored.command(`job:output ${ended[0]?.id}`)).out).to.equal('\n');
    });

    it('has no worker of the original, which is no process that doctor misses', async () => {
      expect((await restored.run(['status', '--format', 'json'])).json.workers).to.deep.equal([]);
      expect((await runDoctor(restored)).of('workers').map(({ found }) => found)).to.deep.equal([
        'no service is running',
      ]);
    });

    it('has no job that runs: those that ran when the backup was made are lost', async () => {
      const { json } = await restored.run(['job:list', '--runtemplate-id', `${long}`, '--format', 'json']);
      expect(json).to.have.length(1);
      const found = (await restored.run(['job:get', `${json[0].id}`, '--format', 'json'])).json;
      expect(found.state).to.equal('lost');
      expect(found.reason).to.match(/^it ran when the backup was made, in the worker \S+ of the original$/);
    });

    it('starts no job there until a person resumes', async () => {
      const { service } = await spawnService(restored);
      try {
        const states = async () => {
          const { json } = await restored.run(['job:list', '--limit', '1000', '--format', 'json']);
          return (json as { state: string; started_at: string }[]).map(({ state }) => state);
        };
        const ran = (await states()).filter((state) => state === 'succeeded').length;
        await eventually('due jobs wait', async () => (await states()).includes('scheduled'), 30_000);
        expect((await states()).filter((state) => state === 'succeeded')).to.have.length(ran);
        const { out } = await restored.command(`why ${template}`);
        expect(out).to.match(/paused by .* until a person resumes: restored from the backup of /);
        expect((await restored.command('resume --all')).code).to.equal(0);
        await eventually(
          'jobs run',
          async () => (await states()).filter((state) => state === 'succeeded').length > ran,
          30_000,
        );
      } finally {
        service.process.kill('SIGTERM');
        await service.ended;
      }
      expect((await restored.command('audit:verify')).code).to.equal(0);
    });
  });

describe('A backup that does not come to its end', () => {
  let cli: TestCli;
  before(async () => {
    cli = new TestCli();
    await writeAgedLog(cli, 12_000, 3);
    await cli.command('migrate');
  });
  after(() => cli[Symbol.dispose]());

  it('fails with a message where the reader of its output ends', async () => {
    const program = new SpawnedProgram(['backup', '-'], cli);
    program.process.stdout?.once('data', () => program.process.stdout?.destroy());
    expect(await program.ended).to.equal(1);
    expect(program.err).to.equal('Standard output cannot be written (EPIPE): what was written is not whole.\n');
  });

  it('is refused at once where more of it may come', async () => {
    const program = new SpawnedProgram(['restore', '-'], cli, { input: 'pipe' });
    const { out } = await cli.command('backup -');
    program.process.stdin?.on('error', () => undefined).write(out.slice(0, 100_000));
    expect(await program.ended).to.equal(1);
    expect(program.err).to.match(/^The store is not empty: /);
  });

  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    it(`leaves no draft where ${signal} ends it`, async () => {
      const program = new SpawnedProgram(['backup', 'b.jsonl'], cli);
      const drafts = () => readdirSync(cli.folder).filter((name) => name.endsWith('.draft'));
      await eventually('it has begun', () => drafts().length > 0 || program.process.exitCode !== null);
      program.process.kill(signal);
      expect(await program.ended).to.be.oneOf([signal, 0]);
      expect(drafts()).to.deep.equal([]);
    });
});

for (const [kind, open] of Object.entries(newStores))
  describe(`restore that is killed on ${kind}`, () => {
    const topics = 12_000;
    let original: TestCli;
    let target: TestCli;
    before(async function () {
      this.timeout(60_000);
      original = new TestCli();
      await writeAgedLog(original, topics, 3);
      await original.command('migrate');
      expect((await original.command('backup backup.jsonl')).code).to.equal(0);
      target = await open();
    });
    after(() => {
      original[Symbol.dispose]();
      target[Symbol.dispose]();
    });

    it('leaves the store empty, and restores all of it when it is run again', async () => {
      const file = join(original.folder, 'backup.jsonl');
      const text = readFileSync(file, 'utf8');
      const pipe = join(target.folder, 'pipe');
      expect(spawnSync('mkfifo', [pipe]).status).to.equal(0);
      const program = new SpawnedProgram(['restore', pipe], target);
      const half = createWriteStream(pipe);
      // A pipe holds less, so that the program has read, and inserted, most of it.
      if (!half.write(text.slice(0, text.length * 0.6))) await once(half, 'drain');
      program.process.kill('SIGKILL');
      await program.ended;
      half.destroy();
      await using store = await openStore({ url: target.environment['HORARIUM_DATABASE_URL'] as string });
      const count = () =>
        store.transaction(async (tables) => {
          let rows = 0;
          for (const table of allTables) rows += await tables.of(table).count();
          return rows;
        });
      expect(await eventually('the transaction has ended', async () => ({ rows: await count() }))).to.deep.equal({
        rows: 0,
      });
      const { json } = await target.run(['restore', file, '--format', 'json']);
      expect(json).to.include({ audit_log: 'verified', entries: topics });
      expect(await store.transaction((tables) => tables.of(Topic).count())).to.equal(topics);
    });
  });
