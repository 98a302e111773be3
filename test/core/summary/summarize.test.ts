import { type Actor, type RunTemplateRow, type Summary, type SummaryRequest, Task, trustedActor } from '@horarium/core';
import { expect } from 'chai';
import { noCalendarRules } from '#core/calendar/calendars';
import { backfill } from '#core/scheduler/backfill';
import { Scheduler } from '#core/scheduler/scheduler';
import { newRow } from '#core/store/table';
import { summarize } from '#core/summary/summarize';
import type { Runner } from '#core/worker/runner';
import { inSingleSteps } from '../../support/clocks/single-steps.ts';
import { rejectionOf } from '../../support/mocha/rejection-of.ts';
import { RunnerWorld, runUntilIdle } from '../../support/worlds/runner-world.ts';

const minute = 60_000;
const hour = 60 * minute;
const everyone = trustedActor('test');

/** Sees one company, as a member of it does. */
const memberOf = (company: number): Actor => ({
  ...everyone,
  roles: new Set(),
  memberships: new Map([[company, 'viewer']]),
});

/** The world begins at 05:00 UTC, an hour before the time in Prague. */
describe('A summary', () => {
  let world: RunnerWorld;

  beforeEach(() => {
    world = new RunnerWorld();
  });

  const summary = (request: SummaryRequest = {}, actor = everyone): Promise<Summary> =>
    world.audited.read((tables) =>
      summarize(tables, actor, request, {
        timezone: 'Europe/Prague',
        external: new Set(['external']),
        calendarRules: noCalendarRules,
      }),
    );

  /** Lets time pass in which the worker keeps its lease. */
  async function pass(runner: Runner, duration: number) {
    for (let left = duration; left > 0; left -= 2500) {
      await world.time.pass(Math.min(left, 2500));
      await runner.tick();
    }
  }

  /** Runs the hourly template once in each of the next windows, for that long. */
  async function runWindows(template: Partial<RunTemplateRow>, durations: readonly number[], exitCode = 0) {
    const { id } = await world.template(template);
    const runner = world.worker();
    for (const duration of durations) {
      await runner.tick();
      await world.schedule();
      await runUntilIdle(runner);
      await pass(runner, duration);
      await world.executor.end(world.executor.started.at(-1) as number, exitCode, { finishedAt: world.time.now });
      await runUntilIdle(runner);
      await world.time.pass(hour - duration);
    }
    return { id, runner };
  }

  /** Runs the next window. @returns when its attempt ended. */
  async function runNext(runner: Runner, exitCode: number, duration = minute) {
    await runner.tick();
    await world.schedule();
    await runUntilIdle(runner);
    await pass(runner, duration);
    const finishedAt = world.time.now;
    await world.executor.end(world.executor.started.at(-1) as number, exitCode, { finishedAt });
    await runUntilIdle(runner);
    await world.time.pass(hour - duration);
    return finishedAt;
  }

  it('says that nothing was owed, and what comes next', async () => {
    await world.template({ name: 'Nightly backup', interval: 'daily', timezone: 'Europe/Prague', delay: 300 });
    await world.worker().tick();
    const found = await summary();
    expect(found.sentence).to.equal('today nothing was owed; 0 running; next 2026-11-22 00:05 Nightly backup (Acme)');
    expect(found).to.deep.include({ ok: true, owed: 0, on_time_rate: null, problems: [], further: 0 });
  });

  it('counts those in time, and tells of the others with the reason of the newest', async () => {
    const { id } = await runWindows({ name: 'Sync' }, [minute, minute]);
    await world.edit(id, { active: false });
    await runWindows({ name: 'Import' }, [minute, minute, minute], 3);
    const found = await summary();
    expect(found.sentence).to.equal(
      'today 2 of 5 on time, 3 failed; 1 will not run; 0 running; next 11:00 Import (Acme)',
    );
    const failed = found.problems.filter(({ kind }) => kind === 'failed');
    expect(failed).to.have.length(1);
    expect(failed[0]).to.deep.include({ name: 'Import', company: 'Acme', count: 3 });
    expect(failed[0]?.reason).to.equal('exit code 3');
    expect(found.ok).to.equal(false);
  });

  it('tells since when a template that failed has succeeded, and in how many windows', async () => {
    const { runner } = await runWindows({ name: 'Sync' }, [minute], 3);
    const failed = async (request?: SummaryRequest) =>
      (await summary(request)).problems.find(({ kind }) => kind === 'failed');
    expect(await failed()).to.include({ recovered_at: null, fulfilled_since: 0 });
    const recovered_at = await runNext(runner, 0);
    await runNext(runner, 0);
    expect(await failed()).to.include({ recovered_at, fulfilled_since: 2 });
    // In a range that has ended none of them is known.
    expect(await failed({ to: world.time.now - minute })).to.include({ recovered_at: null, fulfilled_since: 0 });
    await runNext(runner, 1);
    expect(await failed()).to.include({ count: 2, recovered_at: null, fulfilled_since: 0 });
  });

  it('says of a template that it has succeeded since also where that was late', async () => {
    const { runner } = await runWindows({ name: 'Sync', allow_late: true, deadline: '+30m' }, [minute], 3);
    const recovered_at = await runNext(runner, 0, 40 * minute);
    const { problems } = await summary();
    const ended = problems.filter(({ kind }) => kind !== 'will_not_run');
    expect(ended.map(({ kind, recovered_at: at, fulfilled_since: n }) => [kind, at, n])).to.deep.equal([
      ['failed', recovered_at, 1],
      ['late', null, 0],
    ]);
  });

  it('does not say of a template that was late that it has succeeded since while a later window is overdue', async () => {
    const template = { name: 'Sync', overlap: 'allow', allow_late: true, deadline: '+30m' } as const;
    const { runner } = await runWindows(template, [40 * minute]);
    const late = async () => (await summary()).problems.find(({ kind }) => kind === 'late')?.fulfilled_since;
    await runNext(runner, 0);
    expect(await late()).to.equal(1);
    await world.schedule();
    await runUntilIdle(runner);
    await pass(runner, 40 * minute);
    expect(await late()).to.equal(0);
  });

  it('begins the day in the zone of the reader', async () => {
    await runWindows({ name: 'Sync' }, [minute, minute, minute]);
    expect(await summary()).to.include({ owed: 3, timezone: 'Europe/Prague' });
    const from = Date.UTC(2026, 10, 21, 7);
    const timezone = 'America/Phoenix';
    expect(await summary({ timezone })).to.include({ from, owed: 1, timezone });
    const refusal = await rejectionOf(summary({ timezone: 'Mars/Olympus' }));
    expect(refusal).to.include({ code: 'bad_request' });
    expect(refusal.message).to.match(/no time zone "Mars\/Olympus"/);
  });

  it('does not say of a template that it has succeeded since while a later window is overdue', async () => {
    const { runner } = await runWindows(
      { name: 'Sync', overlap: 'allow', allow_late: true, deadline: '+30m' },
      [minute],
      3,
    );
    await runNext(runner, 0);
    expect((await summary()).problems.find(({ kind }) => kind === 'failed')?.fulfilled_since).to.equal(1);
    await world.schedule();
    await runUntilIdle(runner);
    await pass(runner, 40 * minute);
    const { problems } = await summary();
    expect(problems.map(({ kind, fulfilled_since }) => [kind, fulfilled_since])).to.deep.equal([
      ['failed', 0],
      ['overdue', 0],
    ]);
  });

  it('counts a Task on the day on which it ended, such as a daily one that is missed at midnight', async () => {
    await world.template({ name: 'Daily', interval: 'daily', timezone: 'Europe/Prague', catch_up: 'none' });
    await world.time.pass(24 * hour);
    await world.schedule();
    expect(await summary()).to.include({ missed: 0, owed: 0 });
    await world.time.pass(24 * hour);
    await world.schedule();
    expect(await summary()).to.include({ missed: 1, owed: 1 });
    const yesterday = world.time.now - 24 * hour;
    const before = await summary({ from: yesterday - hour, to: yesterday });
    expect(before).to.include({ missed: 0, running: 0, next: null });
    expect(before.sentence).to.equal('from 2026-11-22 05:00 to 2026-11-22 06:00 nothing was owed');
  });

  it('tells of a Task whose deadline has passed, and that may still be fulfilled late', async () => {
    await world.template({ name: 'Late', deadline: '+10m', allow_late: true });
    const runner = world.worker();
    await world.schedule();
    await runUntilIdle(runner);
    await pass(runner, 20 * minute);
    const { problems, ...found } = await summary();
    expect(found).to.include({ owed: 1, on_time: 0, overdue: 1, running: 1, further: 0 });
    expect(problems).to.have.length(1);
    expect(problems[0]).to.include({ kind: 'overdue', name: 'Late', task_id: 1, reason: 'an attempt is running' });
    await world.executor.end(1, 0, { finishedAt: world.time.now });
    await runUntilIdle(runner);
    const ended = await summary();
    expect(ended).to.include({ owed: 1, late: 1, overdue: 0 });
    expect(ended.problems[0]).to.include({ kind: 'late', reason: 'succeeded after the deadline' });
  });

  it('foresees that an attempt will be late, by how long it usually takes', async () => {
    const { runner } = await runWindows({ name: 'Report', deadline: '+30m', delay: 0 }, [20 * minute, 20 * minute]);
    await runner.tick();
    await world.schedule();
    await runUntilIdle(runner);
    expect(await summary()).to.include({ running: 1, will_be_late: 0 });
    await world.executor.end(3, 1, { finishedAt: world.time.now });
    await runUntilIdle(runner);
    await world.edit(1, { max_attempts: 3 });
    await world.time.pass(hour);
    await world.time.pass(11 * minute);
    await runner.tick();
    await world.schedule();
    const waiting = (await summary()).problems.find(({ kind }) => kind === 'will_be_late');
    expect(waiting?.reason).to.equal(
      'it starts at 09:11 at the earliest and usually takes 20 min; the deadline is 09:30',
    );
    await runUntilIdle(runner);
    await pass(runner, 4 * minute);
    const { will_be_late, problems, sentence } = await summary();
    expect(will_be_late).to.equal(1);
    expect(sentence).to.include('; 1 will be late; 1 running');
    expect(problems.find(({ kind }) => kind === 'will_be_late')?.reason).to.equal(
      'job 4 has run for 4 min and usually takes 20 min; the deadline is 09:30',
    );
  });

  it('tells which templates no worker can run, but not of those whose jobs are claimed elsewhere', async () => {
    await world.template({ name: 'Native' });
    await world.template({ name: 'Claimed', executor: 'external' });
    await world.template({ name: 'Off', executor: 'http', active: false });
    await world.template({ name: 'Gone', company_id: await world.company('gone', { enabled: false }) });
    const alone = await summary();
    expect(alone.problems).to.have.length(1);
    expect(alone.problems[0]).to.include({
      kind: 'will_not_run',
      count: 1,
      name: null,
      reason: 'no worker runs: start the service (horarium serve)',
    });
    await world.worker().tick();
    expect((await summary()).problems).to.deep.equal([]);
    await world.template({ name: 'Other', executor: 'http' });
    await world.template({ name: 'Gone too', executor: 'http', company_id: 2 });
    const [problem, ...others] = (await summary()).problems;
    expect(others).to.deep.equal([]);
    expect(problem).to.include({
      kind: 'will_not_run',
      name: 'Other',
      reason: 'no worker has the executor http: a host with its plugin must start',
    });
  });

  it('notices a template whose windows cannot be planned, because a rule of its calendar is missing', async () => {
    const calendar_id = await world.calendar({ rules: [{ rule: 'month-starts', from: 1 }] });
    const { id } = await world.template({ name: 'Sync', calendar_id });
    await world.template({ name: 'Import', timezone: 'Asia/Kathmandu' });
    const scheduler = new Scheduler({ store: world.audited, poll: 1000 });
    for (const delay of [hour, minute]) {
      await world.time.pass(delay);
      while ((await scheduler.tick()) < 2);
    }
    const kinds = async () => (await summary()).problems.map(({ kind, runtemplate_id }) => [kind, runtemplate_id]);
    expect(await kinds()).to.deep.include(['not_scheduled', id]);
    const [problem] = (await summary()).problems;
    expect(problem).to.deep.include({
      name: 'Sync',
      since: world.time.now - hour - minute,
      reason: `its windows cannot be planned (horarium why ${id})`,
    });
    await world.time.pass(minute);
    await world.schedule();
    expect((await kinds()).map(([kind]) => kind)).not.to.include('not_scheduled');
  });

  it('notices that no host makes the Tasks of windows that begin', async () => {
    await world.template({});
    await world.time.pass(hour + 2 * minute);
    await world.worker().tick();
    expect((await summary()).problems[0]).to.include({
      kind: 'not_scheduled',
      reason: 'the windows since 06:00 have no Tasks: no host of the service schedules, or it is behind',
    });
    await world.schedule();
    expect((await summary()).problems.map(({ kind }) => kind)).not.to.include('not_scheduled');
  });

  it('is about the companies of the actor alone, or about one of them', async () => {
    await runWindows({ name: 'Ours' }, [minute]);
    const company_id = await world.company('other');
    await runWindows({ name: 'Theirs', company_id }, [minute], 3);
    const other = await summary({}, memberOf(company_id));
    expect(other.problems.map(({ name }) => name))
      .to.include('Theirs')
      .and.not.include('Ours');
    expect(other).to.include({ on_time: 0, failed: 1 });
    expect(await summary({ company_id: 1 })).to.include({ failed: 0 });
    expect(await summary({}, memberOf(99))).to.include({ owed: 0, next: null });
    const many = Array.from({ length: 150 }, (_none, index) => 1 + 2 * index);
    const ofMany = { ...memberOf(1), memberships: new Map(many.map((id) => [id, 'viewer' as const])) };
    expect(await summary({}, ofMany)).to.include({ on_time: 1, failed: 0 });
    const refused = await rejectionOf(summary({ company_id: 1 }, memberOf(company_id)));
    expect(refused).to.include({ code: 'not_found', message: 'There is no Company 1.' });
  });

  it('tells of the newest Tasks, and how many older ones there are', async () => {
    await world.template({ interval: 'minutely', catch_up: 'none' });
    await world.time.pass(301 * minute);
    await world.schedule();
    const { problems, missed, further } = await summary();
    expect(missed).to.be.greaterThan(290);
    expect(problems.find(({ kind }) => kind === 'missed')?.count).to.equal(200);
    expect(further).to.equal(missed - 200);
  });

  it('tells of the newest Tasks of all states together, though each is read by itself', async () => {
    const { id: runtemplate_id, company_id } = await world.template({ interval: 'none' });
    await world.time.pass(12 * hour);
    const { now } = world.time;
    const states = ['failed', 'missed', 'failed', 'fulfilled_late'] as const;
    const tasks = Array.from({ length: 400 }, (_, ago) => {
      const window = { window_start: now - ago * minute, window_end: now, deadline: now };
      const end = { state: states[ago % 4] as (typeof states)[number], ended_at: now - ago * minute };
      return newRow(Task, { runtemplate_id, company_id, ...window, ...end });
    });
    await world.audited.transaction(world.actor, (tables) => tables.of(Task).insert(tasks));
    const { problems, further, ...counts } = await summary();
    expect(counts).to.include({ failed: 200, missed: 100, late: 100 });
    expect(further).to.equal(200);
    const ofTasks = problems.filter(({ task_id }) => task_id !== null);
    expect(ofTasks.map(({ kind, count, since }) => [kind, count, since])).to.have.deep.members([
      ['failed', 100, now],
      ['missed', 50, now - minute],
      ['late', 50, now - 3 * minute],
    ]);
  });

  it('does not owe what was backfilled, and counts a repeated Task as late on the day on which it ended', async () => {
    const { id, runner } = await runWindows({ name: 'Sync' }, [minute], 3);
    const from = world.time.now - 4 * hour;
    const { tasks } = await world.audited.transaction(world.actor, (tables) =>
      backfill(tables, world.actor, id, { from, to: world.time.now, calendarRules: noCalendarRules }),
    );
    expect(tasks).to.have.length(3);
    await world.jobs.schedule(world.actor, { task_id: 1 });
    expect((await summary()).sentence).to.match(/^today 0 of 1 on time, 1 failed;/);
    await world.time.pass(24 * hour);
    for (let job = 0; job < 4; job += 1) {
      await runner.tick();
      await runUntilIdle(runner);
      await world.executor.end(world.executor.started.at(-1) as number, 0, { finishedAt: world.time.now });
      await runUntilIdle(runner);
    }
    expect((await world.task(tasks[0]?.id as number)).state).to.equal('fulfilled_late');
    const yesterday = await summary({ from: from, to: from + 12 * hour });
    expect(yesterday).to.include({ owed: 1, late: 1, failed: 0 });
    expect(await summary()).to.include({ owed: 0, late: 0 });
  });

  it('does not owe what was cancelled', async () => {
    const { id } = await world.template({ name: 'Sync' });
    await world.schedule();
    await world.edit(id, { active: false });
    expect(await summary()).to.include({ cancelled: 1, owed: 0, ok: true });
  });

  it('lets other work be done between the days of its range, and refuses more than 366', async () => {
    const day = 24 * hour;
    const { turns } = await inSingleSteps(() => summary({ from: world.time.now - 365 * day }));
    expect(turns).to.be.at.least(365);
    const error = await rejectionOf(summary({ from: world.time.now - 366 * day }));
    expect(error).to.include({ code: 'bad_request', message: 'The range has 367 days; the maximum is 366.' });
  });

  it('refuses a range that ends before it begins', async () => {
    const error = await rejectionOf(summary({ from: world.time.now, to: world.time.now - 1 }));
    expect(error).to.include({ code: 'bad_request', message: 'from must not be after to.' });
  });
});
