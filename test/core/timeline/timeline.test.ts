import {
  type Actor,
  Calendar,
  MaintenanceWindow,
  memoryStore,
  Pause,
  type RunTemplateRow,
  type TimelineRequest,
  trustedActor,
} from '@horarium/core';
import { expect } from 'chai';
import fc from 'fast-check';
import { readCalendars } from '#core/calendar/calendars';
import { simulateStored } from '#core/scheduler/simulate';
import { insertOne } from '#core/store/rows';
import { newRow } from '#core/store/table';
import { preview } from '#core/template/preview';
import { readTimeline } from '#core/timeline/read-timeline';
import { inSingleSteps } from '../../support/clocks/single-steps.ts';
import { rejectionOf } from '../../support/mocha/rejection-of.ts';
import { recordServices } from '../../support/worlds/record-world.ts';
import { SchedulingWorld } from '../../support/worlds/scheduling-world.ts';
import { everyone, TimelineWorld } from './timeline-world.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const { calendarRules } = recordServices;

/** Sees one company, as a member of it does. */
const memberOf = (company: number): Actor => ({
  ...trustedActor('member'),
  roles: new Set(),
  memberships: new Map([[company, 'viewer']]),
});

/** The world begins at 05:00 UTC on 2026-11-21. */
describe('The windows to come of a timeline', () => {
  let world: SchedulingWorld;

  beforeEach(() => {
    world = new SchedulingWorld();
  });

  const timeline = (request: TimelineRequest) =>
    world.audited.read((tables) => readTimeline(tables, everyone, request, { timezone: 'UTC', calendarRules }));

  const cadence = fc.constantFrom<Partial<RunTemplateRow>>(
    { interval: 'hourly' },
    { interval: 'daily' },
    { interval: 'weekly' },
    { interval: 'monthly' },
    { interval: 'none' },
    { interval: 'custom', cron: '30 2 * * *' },
    { interval: 'custom', cron: '0 */3 * * 1-5' },
  );
  const template = fc.record({
    cadence,
    timezone: fc.constantFrom('UTC', 'Europe/Prague', 'America/New_York', 'Australia/Lord_Howe'),
    delay: fc.constantFrom(0, 600),
    jitter: fc.constantFrom(0, 300),
    deadline: fc.constantFrom(null, '+45m'),
    day_off: fc.constantFrom('skip', 'next', 'previous'),
    hasCalendar: fc.boolean(),
    ends_at: fc.constantFrom(null, Date.UTC(2027, 2, 20, 12)),
  });
  /** When the range begins, in hours from now: also far ahead, and in the weeks of clock changes. */
  const first = fc.oneof(fc.integer({ min: -30, max: 100 }), fc.constantFrom(24 * 106, 24 * 125));

  it('are those of a preview that get Tasks, also where clocks change, on days off and in its first window', async () => {
    const property = fc.asyncProperty(template, first, async ({ cadence: of, hasCalendar, ...given }, hours) => {
      world = new SchedulingWorld();
      const mayMove = of.interval !== 'hourly' && of.cron !== '0 */3 * * 1-5';
      const day_off = mayMove ? given.day_off : 'skip';
      const weekdays = ['saturday', 'sunday'];
      const calendar_id = hasCalendar ? await world.calendar({ weekdays, dates: [] }) : null;
      const row = await world.template({ ...given, ...of, day_off, calendar_id });
      await world.schedule();
      const from = world.time.now + hours * hour;
      const to = from + 10 * day;
      const [shown] = (await timeline({ from, to, slots: 2000 })).templates;
      const spec = await world.audited.read(async (tables) =>
        (await readCalendars(tables, calendarRules, [row])).resolve(row),
      );
      const tasks = new Set((await world.allTasks()).map(({ window_start }) => window_start));
      const owed = preview(spec, { from: from - 70 * day, to: to - 1, limit: 5000 }).filter(
        ({ start, end, due }) => due !== null && end > from && start > world.time.now && !tasks.has(start),
      );
      expect(shown?.to_come?.start.map((start) => from + start)).to.deep.equal(owed.map(({ start }) => start));
      expect(shown?.to_come?.end.map((end) => from + end)).to.deep.equal(owed.map(({ end }) => end));
      expect(shown?.to_come?.due.map((due) => from + due)).to.deep.equal(owed.map(({ due }) => due));
      expect(shown?.to_come?.deadline.map((at) => from + at)).to.deep.equal(owed.map(({ deadline }) => deadline));
    });
    await fc.assert(property, { numRuns: 60 });
  });

  const span = fc.tuple(fc.integer({ min: -20, max: 200 }), fc.option(fc.integer({ min: 1, max: 60 })));

  it('are held where a simulation names a pause or a maintenance window, listed or counted', async () => {
    const scope = fc.constantFrom('template', 'company', 'all');
    const pauses = fc.array(fc.tuple(scope, span), { maxLength: 4 });
    const maintenance = fc.option(fc.constantFrom(['22:00', '06:00'], ['00:00', '00:00'], ['02:30', '03:15']));
    const property = fc.asyncProperty(pauses, maintenance, fc.constantFrom(0, 1800), async (made, times, delay) => {
      world = new SchedulingWorld();
      const { id, company_id } = await world.template({ interval: 'hourly', delay, timezone: 'Europe/Prague' });
      await world.template({ name: 'other', interval: 'daily' });
      await world.schedule();
      const { now } = world.time;
      await world.audited.transaction(world.actor, async (tables) => {
        for (const [of, [start, length]] of made)
          await insertOne(
            tables.of(Pause),
            newRow(Pause, {
              runtemplate_id: of === 'template' ? id : null,
              company_id: of === 'all' ? null : company_id,
              starts_at: now + start * hour,
              until: length === null ? null : now + Math.max(1, start + length) * hour,
              reason: 'test',
              paused_by: 'test',
            }),
          );
        if (times === null) return;
        const calendar_id = await insertOne(tables.of(Calendar), newRow(Calendar, { name: 'c', weekdays: ['sunday'] }));
        const [start_time, end_time] = times as [string, string];
        const zone = { timezone: 'Europe/Prague', start_time, end_time };
        const next = { next_starts_at: now, next_until: now + 1 };
        const window = newRow(MaintenanceWindow, { name: 'm', calendar_id, company_id, ...zone, ...next });
        await tables.of(MaintenanceWindow).insert([window]);
      });
      const range = { from: now, to: now + 8 * day };
      const planned = new Map<number, boolean>();
      for await (const run of simulateStored(world.audited, [], { ...range, to: range.to + hour, calendarRules }))
        if (run.templateId === id) planned.set(run.windowStart, (run.pauseId ?? run.maintenanceWindowId) !== null);
      const row = async (slots: number) =>
        (await timeline({ ...range, slots })).templates.find((each) => each.id === id);
      const coming = (await row(2000))?.to_come;
      for (const [index, start] of coming?.start.entries() ?? [])
        expect(coming?.held[index] === 1, `${start / hour} h`).to.equal(planned.get(now + start));
      const counts = (await row(8))?.counts;
      const total = (list: readonly number[] = []) => list.reduce((sum, count) => sum + count, 0);
      const held = coming?.held.filter((each) => each === 1).length;
      expect([total(counts?.held), total(counts?.to_come)]).to.deep.equal([
        held,
        (coming?.start.length ?? 0) - (held ?? 0),
      ]);
      expect(coming?.start).to.have.length.above(150);
    });
    await fc.assert(property, { numRuns: 25 });
  });

  it('are none of a template that is switched off, which says why', async () => {
    await world.template({ name: 'a' });
    await world.template({ name: 'b', active: false });
    const app_id = await world.app('other');
    await world.template({ name: 'c', company_id: await world.company('zeta', { enabled: false }), app_id });
    const { templates } = await timeline({});
    expect(templates.map(({ name, off, to_come }) => [name, off, to_come?.start.length])).to.deep.equal([
      ['a', null, 6],
      ['b', 'inactive', 0],
      ['c', 'company_disabled', 0],
    ]);
  });

  it('are complete until a time where a template has very many', async () => {
    await world.template({ interval: 'minutely' });
    const { now } = world.time;
    const [row] = (await timeline({ from: now, to: now + 60 * day })).templates;
    expect(row?.counts?.to_come?.reduce((sum, count) => sum + count, 0)).to.equal(50_000);
    expect(row?.complete_until).to.equal(50_000 * minute);
  });
});

describe('A timeline', () => {
  let world: TimelineWorld;
  let acme: number;
  let zeta: number;

  beforeEach(async () => {
    world = new TimelineWorld(memoryStore());
    [zeta, acme] = [await world.company('Zeta'), await world.company('Acme')];
  });

  const namesOf = async (request: TimelineRequest, actor?: Actor) =>
    (await world.timeline(request, actor)).templates.map(({ company, name }) => `${company} ${name}`);

  it('has the templates by company, App and name, page by page, each once', async () => {
    const first = await world.app('aaa');
    for (const name of ['c', 'a', 'b', 'b']) await world.template(zeta, { name });
    for (const name of ['y', 'x']) await world.template(acme, { name });
    await world.template(acme, { name: 'z', app_id: first });
    const all = ['Acme z', 'Acme x', 'Acme y', 'Zeta a', 'Zeta b', 'Zeta b', 'Zeta c'];
    expect(await namesOf({})).to.deep.equal(all);
    const paged: string[] = [];
    for (let after: number | null | undefined; after !== null; ) {
      const page = await world.timeline({ limit: 2, ...(after !== undefined && { after }) });
      paged.push(...page.templates.map(({ company, name }) => `${company} ${name}`));
      after = page.next;
    }
    expect(paged).to.deep.equal(all);
  });

  it('has those templates alone that a request names by company, App, id, name or code', async () => {
    const app_id = await world.app('other');
    const a = await world.template(acme, { name: 'Nightly backup', code: 'nb' });
    await world.template(acme, { name: 'Invoices', app_id });
    await world.template(zeta, { name: 'Reports', code: 'backup-reports' });
    expect(await namesOf({ company_id: acme })).to.deep.equal(['Acme Invoices', 'Acme Nightly backup']);
    expect(await namesOf({ app_id })).to.deep.equal(['Acme Invoices']);
    expect(await namesOf({ templateIds: [a, 999] })).to.deep.equal(['Acme Nightly backup']);
    expect(await namesOf({ name: 'BACKUP' })).to.deep.equal(['Acme Nightly backup', 'Zeta Reports']);
  });

  it('shows a member the templates of their companies alone, and no names of Apps', async () => {
    await world.template(acme, { name: 'own' });
    const other = await world.template(zeta, { name: 'other' });
    const member = memberOf(acme);
    expect(await namesOf({}, member)).to.deep.equal(['Acme own']);
    expect((await world.timeline({}, member)).templates[0]?.app).to.equal(null);
    expect(await namesOf({ templateIds: [other] }, member)).to.deep.equal([]);
    for (const request of [{ company_id: zeta }, { after: other }])
      expect(await rejectionOf(world.timeline(request, member))).to.have.property('code', 'not_found');
  });

  it('names what is wrong with a request', async () => {
    const refused: readonly (readonly [TimelineRequest, RegExp])[] = [
      [{ from: 2, to: 2 }, /^from must be before to\.$/],
      [{ from: 0, to: 367 * day }, /^The range has 367 days; the maximum is 366\.$/],
      [{ slots: 0 }, /^slots must be a whole number from 1 to 2000\.$/],
      [{ limit: 1001 }, /^limit must be a whole number from 1 to 1000\.$/],
      [{ timezone: 'Mars' }, /^There is no time zone "Mars"/],
      [{ states: ['fulfilled' as 'open'] }, /^state takes open, .* and not "fulfilled"\.$/],
    ];
    for (const [request, message] of refused) {
      const error = await rejectionOf(world.timeline(request));
      expect(error.message).to.match(message);
      expect(error).to.have.property('code', 'bad_request');
    }
  });

  it('tells the offset of a zone, and when it changes', async () => {
    const from = Date.UTC(2026, 9, 24);
    const { clock } = await world.timeline({ from, to: from + 3 * day, timezone: 'Europe/Prague' });
    expect(clock).to.deep.equal([
      { at: 0, offset: 2 * hour },
      { at: 25 * hour, offset: hour },
    ]);
    const year = { from: Date.UTC(2026, 0, 1), to: Date.UTC(2026, 11, 31) };
    expect((await world.timeline({ ...year, timezone: 'UTC' })).clock).to.deep.equal([{ at: 0, offset: 0 }]);
    expect((await world.timeline({ ...year, timezone: 'Australia/Lord_Howe' })).clock).to.have.length(3);
  });

  it('lets other work be done between its templates', async () => {
    for (let count = 0; count < 20; count++) await world.template(acme);
    const { turns } = await inSingleSteps(() => world.timeline({}));
    expect(turns).to.be.at.least(20);
  });

  it('has the pauses of its templates in its range, with those that have ended', async () => {
    const store = memoryStore();
    world = new TimelineWorld(store);
    const company_id = await world.company('Acme');
    const other = await world.company('Other');
    const id = await world.template(company_id);
    const from = Date.UTC(2026, 9, 24);
    const pause = { reason: 'rack', paused_by: 'jana', company_id, revision: 1, created_at: 1, updated_at: 1 };
    await store.transaction(async (tables) => {
      const ended = { until: from + 2 * hour, ended_at: from + 2 * hour };
      await tables.of(Pause).insert([
        { ...newRow(Pause, { runtemplate_id: id, starts_at: from - hour, ...ended }), ...pause },
        { ...newRow(Pause, { starts_at: from + hour }), ...pause },
        { ...newRow(Pause, { starts_at: from + hour }), ...pause, company_id: other },
        { ...newRow(Pause, { starts_at: from - 9 * hour, until: from - hour, ended_at: from - hour }), ...pause },
      ]);
    });
    const { holds } = await world.timeline({ from, to: from + day });
    expect(
      holds.map(({ runtemplate_id, from: start, to, by, reason }) => [runtemplate_id, start, to, by, reason]),
    ).to.deep.equal([
      [id, -hour, 2 * hour, 'jana', 'rack'],
      [null, hour, null, 'jana', 'rack'],
    ]);
  });
});
