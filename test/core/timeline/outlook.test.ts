import { type Actor, Job, Pause, type RunTemplateRow, trustedActor } from '@horarium/core';
import { expect } from 'chai';
import fc from 'fast-check';
import { noCalendarRules } from '#core/calendar/calendars';
import { simulateStored } from '#core/scheduler/simulate';
import { newRow } from '#core/store/table';
import { type TaskEndState, taskEndStates } from '#core/task/task';
import { Schedule } from '#core/template/schedule';
import type { OutlookRequest } from '#core/timeline/outlook';
import { readOutlook } from '#core/timeline/read-outlook';
import { inSingleSteps } from '../../support/clocks/single-steps.ts';
import { rejectionOf } from '../../support/mocha/rejection-of.ts';
import { type OpenedStore, storeKinds } from '../../support/store/store-kinds.ts';
import { recordServices } from '../../support/worlds/record-world.ts';
import { SchedulingWorld } from '../../support/worlds/scheduling-world.ts';
import { everyone, TimelineWorld } from './timeline-world.ts';

const minute = 60_000;
const hour = 60 * minute;
const slot = 15 * minute;
const slots = 120;
const { calendarRules } = recordServices;

const total = (list: readonly number[] = []) => list.reduce((sum, count) => sum + count, 0);

/** The world begins at 05:00 UTC on 2026-11-21. */
describe('The runs to come of an outlook', () => {
  let world: SchedulingWorld;

  beforeEach(() => {
    world = new SchedulingWorld();
  });

  const outlook = (actor: Actor = everyone, request: OutlookRequest = {}) =>
    world.audited.read((tables) => readOutlook(tables, actor, request, { timezone: 'UTC', calendarRules }));

  it('have as many until the end of the day as the zone of the reader has it', async () => {
    await world.template({ interval: 'hourly' });
    await world.schedule();
    const restIn = async (timezone: string) => (await outlook(everyone, { timezone })).rest_of_day.count;
    expect(await restIn('UTC')).to.equal(19);
    expect(await restIn('America/Phoenix')).to.equal(2);
    expect(await rejectionOf(restIn('Mars/Olympus'))).to.have.property('code', 'bad_request');
  });

  const made = fc.record({
    cadence: fc.constantFrom<Partial<RunTemplateRow>>(
      { interval: 'hourly' },
      { interval: 'minutely' },
      { interval: 'daily' },
      { interval: 'none' },
      { interval: 'custom', cron: '*/20 5-9 * * *' },
    ),
    company: fc.constantFrom(0, 1, 2),
    timezone: fc.constantFrom('UTC', 'Asia/Kathmandu'),
    delay: fc.constantFrom(0, 0, 1300),
    active: fc.constantFrom(true, true, false),
    hasCalendar: fc.boolean(),
    starts_at: fc.constantFrom(null, null, Date.UTC(2026, 10, 21, 7, 30)),
    ends_at: fc.constantFrom(null, null, Date.UTC(2026, 10, 21, 8)),
  });
  const pause = fc.record({
    of: fc.constantFrom('template', 'company', 'all'),
    start: fc.integer({ min: -2, max: 5 }),
    length: fc.option(fc.integer({ min: 1, max: 4 })),
  });

  it('are those of a simulation that no pause holds, by when they are due, and the jobs that wait', async () => {
    const property = fc.asyncProperty(
      fc.array(made, { minLength: 1, maxLength: 6 }),
      fc.array(pause, { maxLength: 3 }),
      async (templates, pauses) => {
        world = new SchedulingWorld();
        const { company_id } = await world.template({ name: 'first', interval: 'none' });
        const companies = [company_id, await world.company('b'), await world.company('off', { enabled: false })];
        const calendar_id = await world.calendar({ weekdays: ['saturday'], dates: [] });
        const ids: number[] = [];
        for (const { cadence, company, hasCalendar, ...given } of templates) {
          const owner = { company_id: companies[company] as number, calendar_id: hasCalendar ? calendar_id : null };
          ids.push((await world.template({ ...given, ...cadence, ...owner })).id);
        }
        await world.schedule();
        const { now } = world.time;
        await world.audited.transaction(world.actor, async (tables) => {
          for (const { of, start, length } of pauses) {
            const scope = {
              runtemplate_id: of === 'template' ? (ids[0] as number) : null,
              company_id: of === 'all' ? null : (companies[templates[0]?.company ?? 0] as number),
            };
            const until = length === null ? null : now + Math.max(1, start + length) * hour;
            const row = { ...scope, starts_at: now + start * hour, until, reason: 'test', paused_by: 'test' };
            await tables.of(Pause).insert([newRow(Pause, row)]);
          }
        });
        const expected = new Array<number>(slots).fill(0);
        const { counts, from, complete, rest_of_day } = await outlook();
        let today = 0;
        const add = (at: number) => {
          const index = Math.floor((at - from) / slot);
          if (index < slots) expected[index] = (expected[index] ?? 0) + 1;
          if (at < Date.UTC(2026, 10, 22)) today += 1;
        };
        const range = { from: now + 1, to: now + 24 * hour };
        for await (const run of simulateStored(world.audited, [], { ...range, calendarRules }))
          if (run.windowStart > now && run.pauseId === null) add(run.dueAt);
        const jobs = await world.audited.read((tables) => tables.of(Job).find({ where: [['queue_at', '!=', null]] }));
        for (const { queue_at } of jobs) add(Math.max(queue_at ?? 0, now));
        expect(counts.to_come ?? new Array<number>(slots).fill(0)).to.deep.equal(expected);
        expect(rest_of_day.count).to.equal(today);
        expect(complete).to.equal(true);
      },
    );
    await fc.assert(property, { numRuns: 25 });
  });

  it('are those of a company that the actor may see', async () => {
    const { company_id } = await world.template({ interval: 'hourly' });
    const other = await world.company('other');
    await world.template({ interval: 'minutely', company_id: other });
    await world.schedule();
    const member: Actor = {
      ...trustedActor('member'),
      roles: new Set(),
      memberships: new Map([[company_id, 'viewer']]),
    };
    const own = await outlook(member);
    expect(total(own.counts.to_come)).to.equal(7);
    expect((await outlook(everyone, { company_id })).counts).to.deep.equal(own.counts);
    expect(total((await outlook()).counts.to_come)).to.be.above(300);
    expect(await rejectionOf(outlook(member, { company_id: other }))).to.have.property('code', 'not_found');
  });

  it('are left out of the rarest cadences where these have too many windows', async () => {
    for (let every = 0; every < 5; every++)
      await world.template({ interval: 'custom', cron: `*/2 * * * * ${every}-6`, timezone: 'UTC' });
    const { complete, counts } = await outlook();
    expect(complete).to.equal(false);
    expect(total(counts.to_come)).to.be.above(30_000);
  });

  it('begin with the first one of each template, with its deadline and how long it usually takes', async () => {
    const hourly = await world.template({ name: 'hourly', interval: 'hourly', deadline: '+45m' });
    const late = await world.template({ name: 'delayed', interval: 'hourly', delay: 600, starts_at: world.time.now });
    await world.schedule();
    await world.audited.transaction(world.actor, async (tables) => {
      await tables.of(Schedule).updateWhere([['runtemplate_id', '=', hourly.id]], { duration_mean: 90_000 });
    });
    const { now } = world.time;
    const { next, rest_of_day } = await outlook();
    expect(
      next.map(({ name, at, deadline, usual_duration }) => [name, at - now, deadline, usual_duration]),
    ).to.deep.equal([
      ['delayed', 10 * minute, now + hour, null],
      ['hourly', hour, now + hour + 45 * minute, 90_000],
      ['delayed', hour + 10 * minute, now + 2 * hour, null],
    ]);
    expect(late.company_id).to.equal(next[0]?.company_id);
    expect(rest_of_day.deadline).to.equal(Date.UTC(2026, 10, 22));
  });
});

for (const [kind, open] of Object.entries(storeKinds))
  describe(`An outlook of the store ${kind}`, () => {
    let opened: OpenedStore;
    let world: TimelineWorld;

    before(async () => {
      opened = await open();
      world = new TimelineWorld(opened.store);
    });
    after(() => opened.close());

    const outlook = (company_id: number) =>
      opened.store.transaction(
        (tables) => readOutlook(tables, everyone, { company_id }, { timezone: 'UTC', calendarRules: noCalendarRules }),
        { readOnly: true },
      );

    it('counts Tasks by state and when they ended, but for backfilled ones, and the jobs that run', async () => {
      const company_id = await world.company('Acme');
      const runtemplate_id = await world.template(company_id, { interval: 'none' });
      const { from, time } = await outlook(company_id);
      const task = (number: number, state: TaskEndState, ended_at: number, backfilled = false) => {
        const window_start = from + number * minute;
        const window = { window_start, window_end: window_start + minute, deadline: window_start + minute };
        return { runtemplate_id, company_id, ...window, state, ended_at, backfilled };
      };
      await world.tasks([
        ...taskEndStates.map((state, index) => task(index, state, from + index * slot)),
        task(10, 'fulfilled', from + slot - 1),
        task(11, 'fulfilled', from - 1),
        task(12, 'failed', from, true),
      ]);
      await world.jobs([{ runtemplate_id, company_id, state: 'running', scheduled_at: time, started_at: time }]);
      const { counts } = await outlook(company_id);
      const present = Math.floor((time - from) / slot);
      const first = (index: number, count = 1) => Array.from({ length: slots }, (_, at) => (at === index ? count : 0));
      expect(counts).to.deep.equal({
        ...Object.fromEntries(
          taskEndStates.map((state, index) => [state, first(index, state === 'fulfilled' ? 2 : 1)]),
        ),
        running: first(present),
      });
    });

    it('lets other work be done between groups of templates', async () => {
      const company_id = await world.company('Groups');
      for (let delay = 0; delay < 20; delay++) await world.template(company_id, { delay });
      const { turns } = await inSingleSteps(() => outlook(company_id));
      expect(turns).to.be.at.least(20);
    });
  });
