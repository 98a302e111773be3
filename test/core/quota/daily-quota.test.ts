import { Artifact, type Query, type RunTemplateRow, type Table, type Tables } from '@horarium/core';
import type { ArtifactFile } from '@horarium/core/plugin';
import { expect } from 'chai';
import { JobOutput } from '#core/job/job-output';
import { DailyQuota } from '#core/quota/daily-quota';
import { DailyUsage, dailyUsage, noDailyLimits } from '#core/quota/daily-usage';
import { overrideTable, overrideTables } from '#core/store/override-tables';
import type { Runner } from '#core/worker/runner';
import { withRecordedCalls } from '../../support/store/recorded-calls.ts';
import { RunnerWorld, runUntilIdle } from '../../support/worlds/runner-world.ts';

const decoder = new TextDecoder();

const usages = (tables: Tables) => tables.of(DailyUsage) as unknown as Table;

function file(filename: string, size: number): ArtifactFile {
  return { filename, contentType: 'text/plain', sha256: '0'.repeat(64), content: new Uint8Array(size) };
}

describe('What a company may store in a day', () => {
  let world: RunnerWorld;
  let runner: Runner;
  let template: RunTemplateRow;
  let other: RunTemplateRow;

  beforeEach(async () => {
    world = new RunnerWorld();
    world.dailyLimits = { ...noDailyLimits, maxOutputPerDay: 10, maxArtifactsPerDay: 10 };
    runner = world.worker();
    template = await world.template({ interval: 'none', overlap: 'allow' });
    other = await world.template({ interval: 'none', company_id: await world.company('other') });
  });

  /** Starts a job and lets it write. @returns its id. */
  async function start(each: RunTemplateRow, ...texts: readonly string[]): Promise<number> {
    const { id } = await world.jobs.schedule(world.actor, { runtemplate_id: each.id });
    await runUntilIdle(runner);
    for (const text of texts) await world.executor.write(id, text);
    await store();
    return id;
  }

  /** Lets the runner store what is buffered. */
  async function store(): Promise<void> {
    await world.time.pass(200);
    await runUntilIdle(runner);
  }

  async function outputOf(id: number): Promise<string> {
    const where = [['job_id', '=', id]] as const;
    const chunks = await world.audited.read((tables) => tables.of(JobOutput).find({ where, order: [['seq', 'asc']] }));
    return chunks.map(({ data }) => decoder.decode(data as Uint8Array)).join('');
  }

  async function end(id: number, files: readonly ArtifactFile[]): Promise<void> {
    await world.executor.end(id, 0, { files });
    await runUntilIdle(runner);
  }

  const cut =
    /^\[horarium: output cut: company \d+ may store 10 bytes of output a day, which are used up until (\S+)\]$/;

  it('cuts the output beyond the limit with a line that says why and until when, and fails no job for it', async () => {
    const first = await start(template, '1234567\n');
    expect(await outputOf(first)).to.equal('1234567\n');
    const second = await start(template, 'abcd', 'efgh\n', 'ijkl\n');
    const [kept, marker, ...rest] = (await outputOf(second)).split('\n');
    expect([kept, rest]).to.deep.equal(['ab', ['']]);
    expect(cut.exec(marker ?? '')?.[1]).to.equal('2026-11-22T00:00:00.000Z');
    await end(second, []);
    expect(await world.job(second)).to.include({ state: 'succeeded', reason: null });
  });

  it('is not used up by other companies', async () => {
    await start(template, 'x'.repeat(100));
    expect(await outputOf(await start(other, '0123456789'))).to.equal('0123456789');
  });

  it('is counted for all hosts together, and by one that is started again', async () => {
    await start(template, '12345678');
    runner = world.worker();
    expect(await outputOf(await start(template, 'abcd'))).to.match(/^ab\n\[horarium: output cut/);
  });

  it('reaches a host whose job is running already by what another host stores', async () => {
    const running = await start(template, '1');
    const first = runner;
    runner = world.worker();
    await start(template, '23456789');
    runner = first;
    await world.time.pass(2500);
    await runUntilIdle(runner);
    await world.executor.write(running, 'abcd');
    await store();
    expect(await outputOf(running)).to.match(/^1a\n\[horarium: output cut/);
  });

  it('starts again at midnight of UTC, also for jobs that run since before', async () => {
    await world.time.pass(Date.UTC(2026, 10, 21, 23, 59, 58) - world.time.now);
    const before = await start(template, '1234567890');
    await world.time.pass(2500);
    await runUntilIdle(runner);
    await world.executor.write(before, 'abcd');
    await store();
    expect(await outputOf(before)).to.equal('1234567890abcd');
    expect(await outputOf(await start(template, 'efghij'))).to.equal('efghij');
  });

  it('leaves out the files beyond the limit, and says so as the reason of the job, which it does not fail', async () => {
    const first = await start(template);
    await end(first, [file('a', 6), file('b', 6), file('c', 4)]);
    expect(await world.job(first)).to.deep.include({
      state: 'succeeded',
      reason: `a file was not stored: company ${template.company_id} may store 10 bytes of artifacts a day, which are used up until 2026-11-22T00:00:00.000Z`,
    });
    const second = await start(template);
    await end(second, [file('d', 1), file('e', 1)]);
    expect((await world.job(second)).reason).to.match(/^2 files were not stored: /);
    const artifacts = await world.audited.read((tables) => tables.of(Artifact).find());
    expect(artifacts.map(({ filename }) => filename)).to.deep.equal(['a', 'c']);
  });

  it('is counted by one read and one write of a transaction, however many jobs have written however much', async () => {
    world.dailyLimits = { ...noDailyLimits, maxOutputPerDay: 1_000_000, maxArtifactsPerDay: 1_000_000 };
    const calls: string[] = [];
    runner = world.worker(withRecordedCalls(world.store, DailyUsage, calls));
    const jobs = [await start(template), await start(template), await start(other)];
    for (const id of jobs) await world.executor.write(id, 'first\n');
    await store();
    calls.length = 0;
    for (const id of jobs) for (let line = 0; line < 100; line += 1) await world.executor.write(id, 'further\n');
    await world.time.pass(200);
    await runner.tick();
    expect(calls).to.deep.equal(['find', 'update']);
  });

  it('is not forgotten by a clock that is set back to the day before', async () => {
    const quota = new DailyQuota(world.dailyLimits);
    const day = Date.UTC(2026, 10, 21);
    const sync = (now: number) =>
      world.store.transaction((tables) => quota.sync(overrideTables(tables, { now: async () => now }), ['company 1']));
    await sync(day);
    expect(quota.take('output', 'company 1', 8)).to.equal(8);
    await sync(day + 1);
    await sync(day + 24 * 3_600_000);
    expect(quota.take('output', 'company 1', 1)).to.equal(1);
    await sync(day + 2);
    expect(quota.take('output', 'company 1', 8)).to.equal(1);
    await sync(day + 3);
    const [usage] = await world.audited.read((tables) => tables.of(DailyUsage).find());
    expect(usage).to.include({ day, output: 10 });
  });

  it('is counted by a later transaction when another host has locked the count, without a wait', async () => {
    const quota = new DailyQuota(world.dailyLimits);
    const sync = (isLocked: boolean) =>
      world.store.transaction((tables) => {
        const find = async (query?: Query) => (isLocked && query?.lock === 'skip' ? [] : usages(tables).find(query));
        const of = () => overrideTable(usages(tables), { find });
        return quota.sync(overrideTables(tables, { of: of as never }), ['company 1']);
      });
    const counted = async () => (await world.store.transaction((tables) => usages(tables).find()))[0]?.['output'];
    for (const bytes of [1, 2, 4]) {
      quota.take('output', 'company 1', bytes);
      await sync(bytes === 2);
      if (bytes === 2) expect(await counted()).to.equal(1);
    }
    expect(await counted()).to.equal(7);
    expect(quota.take('output', 'company 1', 8)).to.equal(3);
  });

  it('is pruned when its day is over', async () => {
    await start(template, '1');
    const usage = () => world.audited.read((tables) => tables.of(DailyUsage).count());
    const prune = () => world.audited.transaction(world.actor, (tables) => dailyUsage.prune(tables));
    await prune();
    expect(await usage()).to.equal(1);
    await world.time.pass(3 * 24 * 3_600_000);
    await prune();
    expect(await usage()).to.equal(0);
  });
});
