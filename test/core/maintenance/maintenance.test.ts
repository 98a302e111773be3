import { AuditLog, MaintenanceWindow } from '@horarium/core';
import { expect } from 'chai';
import { noCalendarRules } from '#core/calendar/calendars';
import { simulateStored } from '#core/scheduler/simulate';
import { recordServices } from '../../support/worlds/record-world.ts';
import { hour, minute, PauseWorld } from '../pause/pause-world.ts';

const saturdays = { weekdays: ['saturday'] };

/** The world begins on Saturday 21 November 2026 at 05:00 UTC, at the start of a window. */
describe('A maintenance window', () => {
  let world: PauseWorld;

  beforeEach(() => {
    world = new PauseWorld();
  });

  const pauses = async () => {
    const { rows } = await world.pauses.list(world.actor, {});
    return rows
      .toReversed()
      .map(({ starts_at, until, ended_at }) =>
        [starts_at, until, ended_at]
          .map((at) => (at === null ? 'null' : new Date(at).toISOString().slice(8, 16)))
          .join(' '),
      );
  };
  const window = async () => (await world.maintenanceWindows.list(world.actor, {})).rows[0];
  const next = async () => {
    const row = await window();
    return row?.next_starts_at ? new Date(row.next_starts_at).toISOString().slice(0, 16) : null;
  };

  it('becomes a pause an hour before it begins, which holds jobs, cancels Tasks and ends by itself', async () => {
    await world.template({ overlap: 'allow' });
    await world.maintain(saturdays);
    await world.act();
    await world.endAll();
    expect([await pauses(), await next()]).to.deep.equal([[], '2026-11-21T08:00']);
    await world.pass(2 * hour);
    await world.endAll();
    expect([await pauses(), await next()]).to.deep.equal([['21T08:00 21T10:00 null'], '2026-11-28T08:00']);
    await world.pass(2 * hour + 1 * minute);
    expect(await world.taskStates())
      .to.match(/cancelled/)
      .and.match(/open/);
    const cancelled = (await world.allTasks()).find(({ state }) => state === 'cancelled');
    expect(cancelled?.reason).to.equal('paused by maintenance window 1 until 2026-11-21T10:00:00.000Z: Patches');
    await world.pass(hour);
    expect(await pauses()).to.deep.equal(['21T08:00 21T10:00 21T10:00']);
    expect((await world.allJobs()).at(-1)).to.have.property('state', 'running');
  });

  it('holds one template, one company or all, and its pauses say what made them', async () => {
    const template = await world.template({ overlap: 'allow' });
    await world.maintain(saturdays, { runtemplate_id: template.id, catch_up: 'all', start_time: '05:30' });
    await world.act();
    expect((await world.pauses.list(world.actor, {})).rows[0]).to.deep.include({
      runtemplate_id: template.id,
      company_id: template.company_id,
      maintenance_window_id: 1,
      paused_by: 'maintenance window 1',
      reason: 'Patches',
      catch_up: 'all',
    });
  });

  it('leaves alone a time whose pause a person has dropped, or ended', async () => {
    const { calendar_id } = await world.maintain(saturdays, { start_time: '05:30' });
    await world.act();
    await world.pauses.delete(world.actor, 1);
    await world.pass(2 * hour);
    expect([await pauses(), await next()]).to.deep.equal([[], '2026-11-28T05:30']);
    await world.maintenanceWindows.save(world.actor, { id: 1, start_time: '07:30' });
    await world.act();
    await world.pauses.delete(world.actor, 2);
    await world.maintenanceWindows.save(world.actor, { id: 1, name: 'Renamed', timezone: 'Africa/Abidjan' });
    await world.calendars.save(world.actor, { id: calendar_id, dates: [{ date: '2027-05-01' }] });
    await world.act();
    expect([await pauses(), await next()]).to.deep.equal([[], '2026-11-28T07:30']);
    await world.maintenanceWindows.save(world.actor, { id: 1, start_time: '07:31' });
    await world.pass(hour);
    await world.resume(3);
    await world.calendars.save(world.actor, { id: calendar_id, weekdays: ['saturday', 'sunday'] });
    await world.act();
    expect([await pauses(), await next()]).to.deep.equal([['21T07:31 21T08:00 21T08:00'], '2026-11-22T07:31']);
  });

  it('that changes lets its pauses follow: the one in force ends with it, those ahead are made again', async () => {
    await world.maintain(saturdays, { start_time: '05:30', end_time: '07:00' });
    await world.act();
    await world.maintenanceWindows.save(world.actor, { id: 1, start_time: '05:45' });
    await world.act();
    expect(await pauses()).to.deep.equal(['21T05:45 21T07:00 null']);
    await world.pass(hour);
    await world.maintenanceWindows.save(world.actor, { id: 1, end_time: '09:00', name: 'More patches' });
    await world.act();
    expect([await pauses(), await next()]).to.deep.equal([['21T05:45 21T09:00 null'], '2026-11-28T05:45']);
    expect(await world.pauses.get(world.actor, 2)).to.have.property('reason', 'More patches');
    await world.maintenanceWindows.save(world.actor, { id: 1, active: false });
    await world.act();
    expect([await pauses(), await next()]).to.deep.equal([['21T05:45 21T06:00 21T06:00'], null]);
  });

  it('that is deleted ends the pause in force, and drops those ahead', async () => {
    await world.template({ overlap: 'allow' });
    await world.maintain(saturdays, { start_time: '05:30', end_time: '09:00' });
    await world.pass(hour + 1 * minute);
    expect((await world.allJobs()).at(-1)).to.have.property('state', 'scheduled');
    await world.maintenanceWindows.delete(world.actor, 1);
    await world.act();
    expect(await pauses()).to.deep.equal(['21T05:30 21T06:01 21T06:01']);
    expect(await world.pauses.get(world.actor, 1)).to.have.property('maintenance_window_id', null);
    expect((await world.allJobs()).at(-1)).to.have.property('state', 'running');
  });

  it('follows its calendar, also while it holds jobs', async () => {
    const { calendar_id } = await world.maintain(saturdays, { start_time: '05:30', end_time: '09:00' });
    await world.pass(hour);
    await world.calendars.save(world.actor, { id: calendar_id, note: 'nothing else' });
    expect(await pauses()).to.deep.equal(['21T05:30 21T09:00 null']);
    await world.calendars.save(world.actor, { id: calendar_id, weekdays: ['monday'] });
    expect([await pauses(), await next()]).to.deep.equal([['21T05:30 21T06:00 21T06:00'], '2026-11-23T05:30']);
  });

  it('leaves an end that a person has set where another day of its calendar changes', async () => {
    const { calendar_id } = await world.maintain(saturdays, { start_time: '05:30', end_time: '09:00' });
    await world.pass(hour);
    await world.pauses.save(world.actor, { id: 1, until: null });
    await world.calendars.save(world.actor, { id: calendar_id, weekdays: ['saturday', 'monday'] });
    expect(await pauses()).to.deep.equal(['21T05:30 null null']);
  });

  it('has one pause for days in a row, also where it changes meanwhile', async () => {
    const dates = [{ date: '2026-11-21', to: '2026-11-23' }];
    await world.maintain({ dates }, { start_time: '06:00', end_time: '06:00' });
    await world.pass(2 * hour);
    expect([await pauses(), await next()]).to.deep.equal([['21T06:00 24T06:00 null'], null]);
    await world.maintenanceWindows.save(world.actor, { id: 1, name: 'Long' });
    await world.act();
    expect([await pauses(), await next()]).to.deep.equal([['21T06:00 24T06:00 null'], null]);
  });

  it('begins with a day that lies ahead, whatever else is paused now', async () => {
    await world.pause(hour);
    await world.maintain(
      { dates: [{ date: '2026-11-20', to: '2026-11-23' }] },
      { start_time: '06:00', end_time: '06:00' },
    );
    expect(await next()).to.equal('2026-11-21T06:00');
    await world.maintain(
      { dates: [{ date: '2026-11-20', to: '2026-11-23' }] },
      { start_time: '04:00', end_time: '04:00' },
    );
    expect(await next()).to.equal('2026-11-22T04:00');
  });

  it('gets no pause for times that passed while the service was down, and one for the present time', async () => {
    await world.maintain({ weekdays: ['saturday', 'sunday', 'monday'] });
    await world.time.pass(2 * 24 * hour + 4 * hour);
    await world.act();
    expect([await pauses(), await next()]).to.deep.equal([['23T08:00 23T10:00 null'], '2026-11-28T08:00']);
  });

  it('holds again at times that lie ahead again because the clock was set back, by one pause for each', async () => {
    await world.maintain(saturdays, { start_time: '05:30', end_time: '07:00' });
    await world.clockWatch.tick();
    await world.act();
    world.time.jump = -10 * minute;
    await world.clockWatch.tick();
    await world.act();
    expect([await pauses(), await next()]).to.deep.equal([['21T05:30 21T07:00 null'], '2026-11-28T05:30']);
    world.time.jump = 0;
    await world.pass(4 * hour);
    await world.clockWatch.tick();
    world.time.jump = -4 * hour;
    await world.clockWatch.tick();
    await world.act();
    expect(await pauses()).to.deep.equal(['21T05:30 21T07:00 21T07:00', '21T05:30 21T07:00 null']);
  });

  it('is planned once by hosts that plan it at the same time', async () => {
    await world.maintain(saturdays, { start_time: '05:30' });
    const other = world.newPlanner();
    await Promise.all([world.maintenance.tick(), other.tick()]);
    await Promise.all([world.maintenance.tick(), other.tick()]);
    expect(await pauses()).to.have.lengthOf(1);
  });

  it('says why its next time is not known while a rule of the calendar is missing, and tries it each minute', async () => {
    await world.maintain({ rules: [{ rule: 'month-starts', from: 1 }] }, { end_time: '08:30' });
    const planner = world.newPlanner(noCalendarRules);
    await world.time.pass(10 * 24 * hour + 2.5 * hour);
    while ((await planner.tick()) === 0);
    expect(await pauses()).to.deep.equal(['01T08:00 01T08:30 null']);
    const problem = /^The days off of the calendar patch days in 2026 are not known: .*month-starts/;
    expect(await window())
      .to.have.property('problem')
      .that.matches(problem);
    expect(world.problems).to.have.lengthOf(1);
    await world.time.pass(59_000);
    while ((await planner.tick()) === 0);
    expect(world.problems).to.have.lengthOf(1);
    await world.time.pass(1000);
    while ((await planner.tick()) === 0);
    expect(world.problems).to.have.lengthOf(2);
    await world.act();
    expect([(await window())?.problem, await next()]).to.deep.equal([null, '2027-01-01T08:00']);
  });

  it('writes no audit entry of its next time', async () => {
    await world.maintain(saturdays, { start_time: '05:30' });
    await world.act();
    const entries = await world.audited.read((tables) =>
      tables.of(AuditLog).find({ where: [['entity_type', '=', MaintenanceWindow.name]], columns: ['action'] }),
    );
    expect(entries).to.deep.equal([{ action: 'create' }]);
  });

  it('is named by the simulation where its pause is not made yet', async () => {
    const held = await world.template({ interval: 'daily' });
    await world.template({ interval: 'daily' });
    await world.maintain(saturdays, { start_time: '23:00', end_time: '01:00', runtemplate_id: held.id });
    await world.maintain({ weekdays: ['monday'] }, { start_time: '00:00', end_time: '01:00', active: false });
    const runs: (number | null)[] = [];
    const from = world.time.now;
    const { calendarRules } = recordServices;
    for await (const run of simulateStored(world.audited, [], { from, to: from + 3 * 24 * hour, calendarRules }))
      runs.push(run.maintenanceWindowId);
    expect(runs).to.deep.equal([1, null, null, null, null, null]);
  });
});
