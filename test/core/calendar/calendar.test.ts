import type { CalendarInput, RunTemplateInput } from '@horarium/core';
import { expect } from 'chai';
import { rejectionOf } from '../../support/mocha/rejection-of.ts';
import { recordWorld, smallCompany, user } from '../../support/worlds/record-world.ts';

describe('Calendar records', () => {
  let world: ReturnType<typeof recordWorld>;
  let ids: Awaited<ReturnType<typeof smallCompany>>;

  beforeEach(async () => {
    world = recordWorld();
    ids = await smallCompany(world);
  });

  type Actor = Parameters<typeof world.save>[2];
  const save = (given: CalendarInput, actor?: Actor) => world.save('Calendar', { name: 'Work', ...given }, actor);
  const follow = (given: RunTemplateInput) => world.save('RunTemplate', { id: ids.template.id, ...given });
  const messageOf = async (saving: Promise<unknown>) => (await rejectionOf(saving)).message;

  it('take weekdays by their names, in full or in three letters, as a list or as one text', async () => {
    expect(await save({ weekdays: ['Saturday', 'SUN', 'sunday'] as never })).to.deep.include({
      weekdays: ['saturday', 'sunday'],
    });
    expect(await save({ weekdays: 'sat, sun' as never })).to.deep.include({ weekdays: ['saturday', 'sunday'] });
    expect(await messageOf(save({ weekdays: ['saterday'] }))).to.include(
      'weekdays must be weekdays such as saturday, not saterday. Did you mean saturday?',
    );
    const all = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
    expect(await messageOf(save({ weekdays: all }))).to.include('weekdays must leave a working day');
  });

  it('name dates that exist, in the right order', async () => {
    const wrong: [CalendarInput, string][] = [
      [{ dates: [{ date: '2026-02-30' }] }, 'dates[0].date must be a date such as 2026-12-24'],
      [{ dates: [{ date: '2026-12-24', to: 'Christmas' }] }, 'dates[0].to must be a date such as 2027-01-01'],
      [{ working_dates: [{ date: '2026-12-24', to: '2026-12-23' }] }, 'working_dates[0].to must not be before date'],
      [{ dates: [{ date: '2026-01-01', to: '2126-01-01' }] }, 'dates may have at most 10000 days'],
    ];
    for (const [given, message] of wrong) expect(await messageOf(save(given))).to.include(message);
    expect(await messageOf(save({ dates: [{ day: '2026-12-24' }] as never }))).to.match(/dates\[0\]/);
  });

  it('name rules that plugins provide, with the options that they describe', async () => {
    const saved = await save({ rules: [{ rule: 'month-starts', from: 3 }] });
    expect(saved).to.deep.include({ rules: [{ rule: 'month-starts', from: 3 }] });
    expect(await messageOf(save({ rules: [{ rule: 'moons' }] }))).to.include(
      'rules[0].rule: no loaded plugin provides the calendar rule moons; there are month-starts',
    );
    expect(await messageOf(save({ rules: [{ rule: 'month-starts', to: 3 }] }))).to.include('rules[0].to');
    expect(await messageOf(save({ rules: [{ rule: 'month-starts', from: 13 }] }))).to.include('rules[0].from');
  });

  it('are written by managers of their company, those of all companies by admins', async () => {
    const company_id = ids.company.id;
    const manager = user(2, [], { [company_id]: 'manager' });
    await save({ company_id }, manager);
    expect(await messageOf(save({}, manager))).to.equal(
      'user 2 may not create a Calendar of all companies: that takes the role admin.',
    );
    expect(await rejectionOf(save({ company_id }, user(3, [], { [company_id]: 'operator' })))).to.have.property(
      'code',
      'denied',
    );
    await save({}, user(4, ['admin']));
  });

  it('of all companies are seen and followed by everybody, those of a company by its own', async () => {
    const other = await smallCompany(world, 'other');
    const [shared, own, foreign] = [
      await save({}),
      await save({ company_id: ids.company.id }),
      await save({ company_id: other.company.id }),
    ].map(({ id }) => id) as [number, number, number];
    const rows = await world.records('Calendar').list(user(2, [], { [ids.company.id]: 'viewer' }));
    expect(rows.rows.map(({ id }) => id)).to.deep.equal([own, shared]);
    await follow({ calendar_id: shared });
    await follow({ calendar_id: own });
    expect(await messageOf(follow({ calendar_id: foreign }))).to.include(`there is no Calendar ${foreign}`);
  });

  it('have codes that are unique within a company, and among those of all companies', async () => {
    await save({ code: 'cz' });
    expect(await messageOf(save({ code: 'cz' }))).to.equal('Another Calendar of all companies has the code cz.');
    await save({ code: 'cz', company_id: ids.company.id });
    expect(await save({ code: 'cz', company_id: ids.company.id, note: 'second' })).to.include({ id: 2 });
  });

  it('are not deleted while a run template follows them', async () => {
    const { id } = await save({});
    await follow({ calendar_id: id });
    const records = world.records('Calendar');
    expect(await rejectionOf(records.delete(user(1, ['admin']), id))).to.have.property('code', 'conflict');
    await follow({ calendar_id: null });
    await records.delete(user(1, ['admin']), id);
  });

  it('let windows move that are times of days, and no others', async () => {
    const calendar_id = (await save({ weekdays: ['sunday'] })).id;
    await follow({ calendar_id, interval: 'daily', day_off: 'next' });
    expect(await messageOf(follow({ interval: 'hourly' }))).to.include(
      'windows that are hourly cannot move to another day: day_off must be skip',
    );
    expect(await messageOf(follow({ interval: 'custom', cron: '*/5 * * * *' }))).to.include(
      'windows of the cron pattern "*/5 * * * *" cannot move to another day',
    );
    await follow({ interval: 'custom', cron: '5 8-18 * * *', day_off: 'previous' });
    await follow({ interval: 'hourly', day_off: 'skip' });
  });

  it('are refused by a run template none of whose windows would ever be owed', async () => {
    const calendar_id = (await save({ name: 'Weekdays', weekdays: ['monday'] })).id;
    expect(await messageOf(follow({ calendar_id, interval: 'weekly' }))).to.include(
      'calendar_id: no window would ever be owed: each begins on a day off of the calendar Weekdays',
    );
    await follow({ calendar_id, interval: 'weekly', day_off: 'next' });
  });
});
