import type { RunTemplateRow } from '@horarium/core';
import { expect } from 'chai';
import { noCalendarRules } from '#core/calendar/calendars';
import { type BackfillRange, backfill } from '#core/scheduler/backfill';
import { rejectionOf } from '../../support/mocha/rejection-of.ts';
import { hour, minute, PauseWorld } from '../pause/pause-world.ts';

/** The world begins at 05:00 UTC, and the template with the window from then on. */
describe('A backfill', () => {
  let world: PauseWorld;
  let start: number;

  beforeEach(() => {
    world = new PauseWorld();
    start = world.time.now;
  });

  const fill = ({ id }: RunTemplateRow, range: Partial<BackfillRange & { maxQueued: number }> = {}) =>
    world.audited.transaction(world.actor, (tables) =>
      backfill(tables, world.actor, id, {
        from: start - 3 * hour,
        to: world.time.now,
        calendarRules: noCalendarRules,
        ...range,
      }),
    );
  const refusal = async (template: RunTemplateRow, range: Parameters<typeof fill>[1] = {}) =>
    (await rejectionOf(fill(template, range))).message;
  const windows = async () =>
    (await world.allTasks()).map(({ window_start, state }) => [(window_start - start) / hour, state]);

  it('creates the Tasks of the windows before the first one, and runs the oldest first, after what is owed now', async () => {
    const template = await world.template({});
    const { tasks, leftOut } = await fill(template);
    expect(leftOut).to.equal(0);
    expect(tasks.map(({ window_start }) => (window_start - start) / hour)).to.deep.equal([-3, -2, -1]);
    for (const task of tasks) expect(task).to.include({ state: 'open', backfilled: true, start_deadline: null });
    const jobs = await world.allJobs();
    expect(jobs.map(({ trigger, scheduled_at }) => [trigger, (scheduled_at - start) / hour])).to.deep.equal([
      ['catch_up', -3],
      ['catch_up', -2],
      ['catch_up', -1],
    ]);
    await world.act();
    expect((await world.job(world.executor.started[0] as number)).scheduled_at).to.equal(start);
    for (let job = 0; job < 4; job += 1) await world.endAll().then(() => world.act());
    const order = await Promise.all(world.executor.started.map(async (id) => (await world.job(id)).scheduled_at));
    expect(order.map((at) => (at - start) / hour)).to.deep.equal([0, -3, -2, -1]);
    expect((await world.task(tasks[0]?.id as number)).reason).to.equal('backfilled');
    expect(new Set((await world.allTasks()).map(({ state }) => state))).to.deep.equal(
      new Set(['fulfilled', 'fulfilled_late']),
    );
  });

  it('leaves out windows that have a Task, that have not ended, or that the scheduler is about to schedule', async () => {
    const template = await world.template({});
    await world.act();
    await world.endAll();
    await world.time.pass(2.5 * hour);
    // The windows of 06:00 and 07:00 are owed, and have no Tasks yet.
    const { tasks, leftOut } = await fill(template, { from: start - hour });
    expect([tasks.length, leftOut]).to.deep.equal([1, 2]);
    expect((await fill(template, { from: start - hour })).leftOut).to.equal(3);
    await world.act();
    expect(await windows()).to.have.deep.members([
      [-1, 'open'],
      [0, 'fulfilled'],
      [1, 'open'],
      [2, 'running'],
    ]);
  });

  it('makes up for windows that passed while the template was inactive', async () => {
    const template = await world.template({ catch_up: 'none' });
    await world.edit(template.id, { active: false });
    await world.time.pass(3 * hour + minute);
    expect(await refusal(template)).to.equal('RunTemplate 1 is not active.');
    await world.edit(template.id, { active: true });
    const { tasks } = await fill(template, { from: start + hour });
    expect(tasks.map(({ window_start }) => (window_start - start) / hour)).to.deep.equal([1, 2]);
  });

  it('retries as its template says, fails when attempts are used up, and stops no job that is owed', async () => {
    const template = await world.template({ overlap: 'replace', max_attempts: 2 });
    await world.act();
    const { tasks } = await fill(template, { from: start - hour });
    await world.pass(minute);
    expect([...world.executor.stops.keys()]).to.deep.equal([]);
    await world.endAll();
    for (const attempt of [2, 3]) {
      await world.act();
      expect(world.executor.started.at(-1)).to.equal(attempt);
      await world.executor.end(attempt, 3, { finishedAt: world.time.now });
      await world.runner1.tick();
    }
    expect(await world.task(tasks[0]?.id as number)).to.include({ state: 'failed', attempts: 2 });
  });

  it('starts windows that passed in a pause which is over', async () => {
    const template = await world.template({});
    await world.edit(template.id, { active: false });
    await world.pause(2 * hour);
    await world.time.pass(3 * hour);
    await world.act();
    await world.edit(template.id, { active: true });
    const { tasks } = await fill(template, { from: start });
    expect(tasks.map(({ state }) => state)).to.deep.equal(['open', 'open']);
  });

  it('is refused in a pause, without windows, with too many, beyond the room in the queue, and for wrong ranges', async () => {
    const template = await world.template({});
    const pause = await world.pause(minute);
    expect(await refusal(template)).to.match(/^RunTemplate 1 is paused by anna /);
    await world.resume(pause.id);
    expect(await refusal(template, { from: start - 2000 * hour })).to.equal(
      'RunTemplate 1 has more than 1000 windows in this range: backfill up to 2026-10-10T12:00:00.000Z first.',
    );
    expect(await refusal(template, { from: start - 30 * minute })).to.match(
      /^No window of RunTemplate 1 begins between/,
    );
    expect(await refusal(template, { to: start - 9 * hour })).to.equal('from must not be after to.');
    expect(await refusal(template, { maxQueued: 2 })).to.match(/^Company 1 may have 2 jobs waiting/);
    expect(await refusal({ ...template, id: 99 })).to.equal('There is no RunTemplate 99.');
    const none = await world.template({ interval: 'none' });
    expect(await refusal(none)).to.equal('RunTemplate 2 has no windows: its interval is none.');
    expect(await world.allTasks()).to.deep.equal([]);
  });
});
