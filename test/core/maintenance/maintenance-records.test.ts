import type { MaintenanceWindowInput } from '@horarium/core';
import { expect } from 'chai';
import { rejectionOf } from '../../support/mocha/rejection-of.ts';
import { recordWorld, smallCompany, user } from '../../support/worlds/record-world.ts';

describe('Maintenance window records', () => {
  let world: ReturnType<typeof recordWorld>;
  let ids: Awaited<ReturnType<typeof smallCompany>>;
  let calendar_id: number;

  beforeEach(async () => {
    world = recordWorld();
    ids = await smallCompany(world);
    calendar_id = (await world.save('Calendar', { name: 'Sundays', weekdays: ['sunday'] })).id;
  });

  const save = (given: MaintenanceWindowInput = {}, actor?: Parameters<typeof world.save>[2]) =>
    world.save('MaintenanceWindow', { name: 'Patches', calendar_id, ...given }, actor);
  const messageOf = async (given: MaintenanceWindowInput) => (await rejectionOf(save(given))).message;

  it('last a whole day and are in the zone of the service, unless they say otherwise', async () => {
    expect(await save({ runtemplate_id: ids.template.id })).to.deep.include({
      company_id: ids.company.id,
      start_time: '00:00',
      end_time: '00:00',
      timezone: 'Europe/Prague',
      active: true,
      problem: null,
    });
  });

  it('say when they are next, and nothing of the kind while they are inactive', async () => {
    const { id, next_starts_at, next_until } = await save({ start_time: '22:00', end_time: '06:00', timezone: 'UTC' });
    expect(new Date(next_starts_at).toISOString()).to.match(/T22:00:00.000Z$/);
    expect(new Date(next_starts_at).getUTCDay()).to.equal(0);
    expect(next_until - next_starts_at).to.equal(8 * 3_600_000);
    expect(await save({ id, active: false })).to.deep.include({ next_starts_at: null, next_until: null });
  });

  it('need a calendar, local times and a time zone', async () => {
    expect((await rejectionOf(world.save('MaintenanceWindow', { name: 'x' }))).message).to.include(
      'calendar_id is required',
    );
    expect(await messageOf({ start_time: '24:00' })).to.include(
      'start_time must be a local time such as 22:00 or 06:30',
    );
    expect(await messageOf({ end_time: '6:00' })).to.include('end_time must be a local time such as 22:00 or 06:30');
    expect(await messageOf({ timezone: 'Mars' })).to.include('There is no time zone "Mars"');
  });

  it('warn where no day lies ahead in the calendar', async () => {
    const { id } = await world.save('Calendar', { name: 'empty' });
    expect((await save({ calendar_id: id })).warnings).to.deep.equal([
      'No further day of its calendar is known, so that it will hold no jobs.',
    ]);
  });

  it('of a company follow its calendars or those of all, and those of all only the latter', async () => {
    const own = (await world.save('Calendar', { name: 'own', company_id: ids.company.id })).id;
    await save({ company_id: ids.company.id, calendar_id: own });
    const other = await smallCompany(world, 'other');
    const refused = `there is no Calendar ${own}`;
    expect(await messageOf({ company_id: other.company.id, calendar_id: own })).to.include(refused);
    expect(await messageOf({ calendar_id: own })).to.include(refused);
  });

  it('are written by operators of their company, those of all companies by admins', async () => {
    const { id } = ids.company;
    const operator = user(2, [], { [id]: 'operator' });
    await save({ company_id: id }, operator);
    expect(await rejectionOf(save({ company_id: id }, user(3, [], { [id]: 'viewer' })))).to.have.property(
      'code',
      'denied',
    );
    expect(await rejectionOf(save({}, operator))).to.deep.include({
      code: 'denied',
      message: 'user 2 may not create a MaintenanceWindow of all companies: that takes the role admin.',
    });
    await save({}, user(4, ['admin']));
  });

  it('have codes of their own within their company, or among those of all', async () => {
    await save({ code: 'patches', company_id: ids.company.id });
    await save({ code: 'patches' });
    const other = await save({ code: 'other' });
    expect(await rejectionOf(world.save('MaintenanceWindow', { id: other.id, code: 'patches' }))).to.deep.include({
      code: 'conflict',
      message: 'Another MaintenanceWindow of all companies has the code patches.',
    });
  });

  it('of one company are at most 50', async () => {
    for (let saved = 0; saved < 50; saved += 1) await save({ company_id: ids.company.id });
    expect(await rejectionOf(save({ runtemplate_id: ids.template.id }))).to.deep.include({
      code: 'conflict',
      message: `Company ${ids.company.id} has 50 maintenance windows, which is the limit: delete others first.`,
    });
    await save({});
  });

  it('keep their calendar from being deleted, and are deleted with their run template', async () => {
    await save({ runtemplate_id: ids.template.id });
    const admin = user(4, ['admin']);
    const error = await rejectionOf(world.records('Calendar').delete(admin, calendar_id));
    expect(error).to.have.property('message').that.includes('still referenced by MaintenanceWindow 1');
    await world.records('RunTemplate').delete(admin, ids.template.id);
    expect((await world.records('MaintenanceWindow').list(admin)).rows).to.deep.equal([]);
  });
});
