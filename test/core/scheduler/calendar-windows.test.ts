import { expect } from 'chai';
import { backfill } from '#core/scheduler/backfill';
import { Scheduler } from '#core/scheduler/scheduler';
import { Schedule } from '#core/template/schedule';
import { rejectionOf } from '../../support/mocha/rejection-of.ts';
import { recordServices } from '../../support/worlds/record-world.ts';
import { SchedulingWorld } from '../../support/worlds/scheduling-world.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const { calendarRules } = recordServices;

/** The world begins on Saturday, 21 November 2026, at 05:00 UTC. */
describe('A template that follows a calendar', () => {
  let world: SchedulingWorld;

  beforeEach(() => {
    world = new SchedulingWorld();
  });

  const text = (at: number) => new Date(at).toISOString().slice(8, 13);
  const windows = async () => (await world.allTasks()).map(({ window_start }) => text(window_start));
  const states = async () =>
    (await world.allTasks()).map(({ window_start, state }) => `${text(window_start)} ${state}`);
  const nextOf = async (id: number) => {
    const where = [['runtemplate_id', '=', id]] as const;
    const [schedule] = await world.audited.read((tables) => tables.of(Schedule).find({ where }));
    return text(schedule?.next_window ?? 0);
  };
  /** Lets hours pass, in each of which the scheduler ticks. */
  const pass = async (hours: number) => {
    for (let index = 0; index < hours; index += 1) {
      await world.time.pass(hour);
      await world.schedule();
    }
  };

  it('gets no Task for a window that begins on a day off', async () => {
    const calendar_id = await world.calendar({ weekdays: ['saturday', 'sunday'] });
    const { id } = await world.template({ calendar_id });
    expect(await nextOf(id)).to.equal('23T00');
    await world.schedule();
    await pass(44);
    expect(await windows()).to.deep.equal(['23T00', '23T01']);
  });

  it('moves a window to the next working day', async () => {
    const calendar_id = await world.calendar({ weekdays: ['sunday'] });
    const { id } = await world.template({ calendar_id, interval: 'custom', cron: '0 7 * * SUN', day_off: 'next' });
    expect(await nextOf(id)).to.equal('23T07');
    await world.schedule();
    await pass(55);
    expect(await windows()).to.deep.equal(['23T07']);
    const [task] = await world.allTasks();
    expect(text(task?.window_end ?? 0)).to.equal('30T07');
    expect((await world.allJobs()).map(({ scheduled_at }) => text(scheduled_at))).to.deep.equal(['23T07']);
  });

  it('observes the days of its own time zone', async () => {
    const calendar_id = await world.calendar({ weekdays: ['saturday', 'sunday'] });
    // It is Monday in Auckland from 11:00 UTC on Sunday on.
    const { id } = await world.template({ calendar_id, timezone: 'Pacific/Auckland' });
    expect(await nextOf(id)).to.equal('22T11');
  });

  it('catches up after an outage what was owed, and nothing of the days off', async () => {
    const calendar_id = await world.calendar({ weekdays: ['sunday'] });
    await world.template({ calendar_id, catch_up: 'all', overlap: 'allow', interval: 'custom', cron: '0 */6 * * *' });
    await world.time.pass(2 * day + hour);
    await world.schedule();
    expect((await windows()).sort()).to.deep.equal(['21T06', '21T12', '21T18', '23T00', '23T06']);
  });

  it('keeps what began when its calendar changes, and owes the windows after the change by the new one', async () => {
    const calendar_id = await world.calendar({ weekdays: ['sunday'] });
    const { id } = await world.template({ calendar_id, overlap: 'allow' });
    await world.schedule();
    await pass(2);
    await world.editCalendar(calendar_id, { dates: [{ date: '2026-11-21', name: 'stocktaking' }] });
    expect(await nextOf(id)).to.equal('23T00');
    await pass(3);
    expect(await states()).to.deep.equal(['21T05 missed', '21T06 missed', '21T07 missed']);
    await world.editCalendar(calendar_id, { weekdays: [], dates: [] });
    expect(await nextOf(id)).to.equal('21T11');
    await pass(1);
    expect(await windows()).to.deep.equal(['21T05', '21T06', '21T07', '21T11']);
  });

  it('owes the windows of an outage by the calendar that it had then', async () => {
    const calendar_id = await world.calendar({});
    await world.template({ calendar_id, catch_up: 'all', overlap: 'allow' });
    await world.schedule();
    await world.time.pass(3 * hour + minute);
    await world.editCalendar(calendar_id, { dates: [{ date: '2026-11-21' }] });
    await world.schedule();
    await pass(2);
    expect(await windows()).to.deep.equal(['21T05', '21T06', '21T07', '21T08']);
  });

  it('owes the windows of an outage by it also where the change leaves most of them to later ticks', async () => {
    const calendar_id = await world.calendar({});
    await world.template({ calendar_id, catch_up: 'none', overlap: 'allow', interval: 'minutely' });
    await world.schedule();
    await world.time.pass(500 * minute);
    await world.editCalendar(calendar_id, { dates: [{ date: '2026-11-21' }] });
    await world.editCalendar(calendar_id, { dates: [{ date: '2026-11-21' }, { date: '2026-11-22' }] });
    await world.schedule();
    expect(await world.allTasks()).to.have.lengthOf(501);
  });

  it('is not scheduled again by a change that leaves the days off as they are', async () => {
    const calendar_id = await world.calendar({ name: 'Work', weekdays: ['sunday'] });
    const { id } = await world.template({ calendar_id });
    const read = () =>
      world.audited.read((tables) => tables.of(Schedule).find({ where: [['runtemplate_id', '=', id]] }));
    const before = await read();
    await world.time.pass(minute);
    await world.editCalendar(calendar_id, { note: 'agreed with the shop' });
    expect(await read()).to.deep.equal(before);
  });

  it('begins to follow a calendar, or follows it no more, with the first window after the change', async () => {
    const calendar_id = await world.calendar({ weekdays: ['saturday'] });
    const { id } = await world.template({});
    await world.schedule();
    await world.time.pass(10 * minute);
    await world.edit(id, { calendar_id });
    expect(await nextOf(id)).to.equal('22T00');
    expect(await states()).to.deep.equal(['21T05 open']);
    await world.edit(id, { calendar_id: null });
    expect(await nextOf(id)).to.equal('21T06');
  });

  it('waits while a rule of its calendar cannot tell the days off, and holds up no other template', async () => {
    const missing = await world.calendar({ name: 'Lost', rules: [{ rule: 'month-starts', from: 1 }] });
    const { id } = await world.template({ calendar_id: missing });
    const other = await world.template({});
    const failures: [number, string][] = [];
    const options = { store: world.audited, poll: 1000 };
    const scheduler = new Scheduler({
      ...options,
      onTemplateFailed: (template, error) => failures.push([template, (error as Error).message]),
    });
    await scheduler.tick();
    expect(failures).to.deep.equal([
      [
        id,
        'The days off of the calendar Lost in 2026 are not known: no loaded plugin provides the calendar rule month-starts.',
      ],
    ]);
    expect((await world.allTasks()).map(({ runtemplate_id }) => runtemplate_id)).to.deep.equal([other.id]);
    await world.time.pass(minute);
    await new Scheduler({ ...options, calendarRules }).tick();
    expect((await world.allTasks()).map(({ runtemplate_id }) => runtemplate_id)).to.deep.equal([other.id, id]);
  });

  it('can be switched off and on while a rule of its calendar cannot tell the days off', async () => {
    const calendar_id = await world.calendar({ rules: [{ rule: 'moons' }] });
    const { id } = await world.template({ calendar_id, active: false });
    await world.edit(id, { active: true });
    expect(await nextOf(id)).to.equal('21T05');
    await world.time.pass(2 * hour + minute);
    await world.schedule();
    await world.edit(id, { active: false });
    await world.editCalendar(calendar_id, { rules: [] });
    await world.schedule();
    // They were owed until it was switched off.
    expect((await states()).sort()).to.deep.equal(['21T05 missed', '21T06 missed', '21T07 cancelled']);
    expect(await nextOf(id)).to.equal('01T00');
    await world.edit(id, { active: true });
    expect(await nextOf(id)).to.equal('21T08');
  });

  it('has no windows to backfill on days off', async () => {
    const calendar_id = await world.calendar({ weekdays: ['thursday', 'friday'] });
    const { id } = await world.template({ calendar_id, interval: 'daily' });
    const from = world.time.now - 5 * day;
    const fill = (to: number | null) =>
      world.audited.transaction(world.actor, (tables) =>
        backfill(tables, world.actor, id, { from, to, calendarRules }),
      );
    const { tasks } = await fill(null);
    expect(tasks.map(({ window_start }) => text(window_start))).to.deep.equal(['17T00', '18T00']);
    const range = { from: from + 2.5 * day, to: null, calendarRules };
    const refused = world.audited.transaction(world.actor, (tables) => backfill(tables, world.actor, id, range));
    expect((await rejectionOf(refused)).message).to.match(/^No window of RunTemplate 1 begins between/);
  });
});
