import { type Actor, App, type Summary, type SummaryRequest, trustedActor } from '@horarium/core';
import { expect } from 'chai';
import { noCalendarRules } from '#core/calendar/calendars';
import { summarize } from '#core/summary/summarize';
import { hour, minute, PauseWorld } from '../pause/pause-world.ts';

const everyone = trustedActor('test');
const memberOf = (company: number): Actor => ({
  ...everyone,
  roles: new Set(),
  memberships: new Map([[company, 'viewer']]),
});

/** The world begins at 05:00 UTC. */
describe('A summary of what is paused or switched off', () => {
  let world: PauseWorld;

  beforeEach(() => {
    world = new PauseWorld();
  });

  const summary = (actor = everyone, request: SummaryRequest = {}): Promise<Summary> =>
    world.audited.read((tables) =>
      summarize(tables, actor, request, { timezone: 'UTC', external: new Set(), calendarRules: noCalendarRules }),
    );

  it('says what is paused until when, which is no problem', async () => {
    const { id } = await world.template({ name: 'Backup' });
    await world.act();
    await world.pause(2 * hour, { runtemplate_id: id });
    const found = await summary();
    expect(found.sentence).to.match(
      /^today nothing was owed; Backup \(Acme\) is paused until 07:00; 1 running; next 07:00 /,
    );
    expect(found).to.include({ ok: true, paused: 1 });
    expect(found.pauses).to.deep.equal([
      {
        ...{ id: 1, runtemplate_id: id, company_id: 1, name: 'Backup', company: 'Acme' },
        ...{ starts_at: world.time.now, until: world.time.now + 2 * hour, paused_by: 'anna', reason: 'lunch' },
      },
    ]);
    expect((await summary(everyone, { to: world.time.now - hour })).pauses).to.deep.equal([]);
  });

  it('names a company, everything, or how many there are', async () => {
    await world.template({ interval: 'none' });
    await world.act();
    await world.pause(null, { company_id: 1 });
    expect((await summary()).sentence).to.include('; company Acme is paused until a person resumes; ');
    await world.resume(1);
    await world.pause(hour);
    expect((await summary()).sentence).to.include('; everything is paused until 06:00; ');
    await world.pause(hour);
    expect((await summary()).sentence).to.include('; 2 pauses are in force; ');
  });

  it('tells a member of the pauses of the own company and of all', async () => {
    await world.template({});
    const other = await world.company('other');
    await world.pause(hour, { company_id: other });
    await world.pause(hour);
    await world.pause(hour, { company_id: 1 });
    const idsFor = async (company: number) => (await summary(memberOf(company))).pauses.map(({ id }) => id).sort();
    expect(await idsFor(1)).to.deep.equal([2, 3]);
    expect(await idsFor(other)).to.deep.equal([1, 2]);
  });

  it('finds what runs next after what is held', async () => {
    await world.template({ name: 'Held' });
    await world.template({ name: 'Free', delay: 1800 });
    await world.act();
    await world.pause(100 * minute, { runtemplate_id: 1 });
    await world.pass(minute);
    expect((await summary()).next).to.include({ name: 'Free', at: world.time.now + 29 * minute });
    await world.pass(30 * minute);
    expect((await summary()).next).to.include({ name: 'Free', at: world.time.now + 59 * minute });
    await world.edit(2, { active: false });
    expect((await summary()).next).to.include({ name: 'Held', at: world.time.now + 69 * minute });
  });

  it('foresees no lateness of Tasks that a pause outlasts, but that of those which start too late after it', async () => {
    const { id } = await world.template({ name: 'Report', deadline: '+50m' });
    await world.act();
    await world.pass(20 * minute);
    await world.endAll();
    await world.pause(75 * minute, { runtemplate_id: id });
    await world.pass(41 * minute);
    expect(await summary()).to.include({ will_be_late: 1 });
    expect((await summary()).problems[0]?.reason).to.equal(
      'it starts at 06:35 at the earliest and usually takes 20 min; the deadline is 06:50',
    );
    await world.pause(3 * hour, { runtemplate_id: id });
    expect(await summary()).to.include({ will_be_late: 0, ok: true });
  });

  it('counts run templates that are switched off', async () => {
    await world.template({});
    await world.template({ active: false });
    expect(await summary()).to.include({ switched_off: 1, ok: false });
    await world.audited.transaction(world.actor, async (tables) => {
      const [row] = await tables.of(App).find({ where: [['id', '=', 1]] });
      await tables.of(App).update([{ row: row as NonNullable<typeof row>, set: { enabled: false } }]);
    });
    expect(await summary()).to.include({ switched_off: 2 });
  });
});
