import type { PauseInput } from '@horarium/core';
import { expect } from 'chai';
import { rejectionOf } from '../../support/mocha/rejection-of.ts';
import { recordWorld, smallCompany, user } from '../../support/worlds/record-world.ts';

const hour = 3_600_000;

describe('Pause records', () => {
  let world: ReturnType<typeof recordWorld>;
  let ids: Awaited<ReturnType<typeof smallCompany>>;

  beforeEach(async () => {
    world = recordWorld();
    ids = await smallCompany(world);
  });

  const now = () => world.store.read((tables) => tables.now());
  const inHours = async (hours: number) => new Date((await now()) + hours * hour).toISOString();
  const pause = async (given: PauseInput, actor?: Parameters<typeof world.save>[2]) =>
    world.save('Pause', { reason: 'lunch', until: await inHours(1), ...given }, actor);

  it('have the company of their run template, and say who paused, and since when', async () => {
    const saved = await pause({ runtemplate_id: ids.template.id });
    expect(saved).to.deep.include({
      company_id: ids.company.id,
      starts_at: await now(),
      paused_by: 'root',
      ended_at: null,
      catch_up: 'none',
    });
  });

  it('name no run template of another company', async () => {
    const other = await smallCompany(world, 'other');
    const error = await rejectionOf(pause({ runtemplate_id: ids.template.id, company_id: other.company.id }));
    expect(error).to.have.property('message').that.includes(`there is no RunTemplate ${ids.template.id}`);
  });

  it('are written by operators of their company, those of all companies by admins', async () => {
    const { id } = ids.company;
    const operator = user(2, [], { [id]: 'operator' });
    await pause({ company_id: id }, operator);
    const [asViewer, ofAll] = [
      await rejectionOf(pause({ company_id: id }, user(3, [], { [id]: 'viewer' }))),
      await rejectionOf(pause({}, operator)),
    ];
    expect(asViewer).to.have.property('code', 'denied');
    expect(ofAll).to.deep.include({
      code: 'denied',
      message: 'user 2 may not create a Pause of all companies: that takes the role admin.',
    });
    await pause({}, user(4, ['admin']));
  });

  it('of all companies are seen by everybody, those of a company by its members', async () => {
    const other = await smallCompany(world, 'other');
    await pause({});
    await pause({ company_id: ids.company.id });
    await pause({ company_id: other.company.id });
    const seenBy = async (actor: Parameters<typeof world.save>[2] & {}) =>
      (await world.records('Pause').list(actor)).rows.map((row) => row.id);
    expect(await seenBy(user(2, [], { [ids.company.id]: 'viewer' }))).to.deep.equal([2, 1]);
    expect(await seenBy(user(3, []))).to.deep.equal([1]);
    expect(await seenBy(user(4, ['admin']))).to.deep.equal([3, 2, 1]);
  });

  it('need a reason, and an end that lies ahead and after their start', async () => {
    const { save } = world;
    expect(await rejectionOf(save('Pause', {})))
      .to.have.property('message')
      .that.includes('reason is required');
    expect(await rejectionOf(pause({ reason: ' ' })))
      .to.have.property('message')
      .that.includes('reason must say what the pause is for');
    expect(await rejectionOf(pause({ until: await inHours(-1) })))
      .to.have.property('message')
      .that.includes('until must lie ahead');
    expect(await rejectionOf(pause({ until: await inHours(1), starts_at: await inHours(2) })))
      .to.have.property('message')
      .that.includes('until must be after starts_at');
  });

  it('end at once by a time that has passed, and are not changed afterwards', async () => {
    const { id } = await pause({});
    world.advance(60_000);
    const ended = await world.save('Pause', { id, until: await inHours(-1) });
    expect(ended).to.deep.include({ until: await now(), ended_at: await now() });
    world.advance(60_000);
    const error = await rejectionOf(world.save('Pause', { id, until: await inHours(1) }));
    expect(error).to.deep.include({
      code: 'conflict',
      message: `Pause ${id} has ended: its until cannot be changed. Make another one.`,
    });
    expect(await world.save('Pause', { id, reason: 'the shop moved' })).to.have.property('reason', 'the shop moved');
  });

  it('may be prolonged and shortened until they are over', async () => {
    const { id } = await pause({});
    await world.save('Pause', { id, until: await inHours(2) });
    world.advance(1.5 * hour);
    expect(await world.save('Pause', { id, until: null })).to.deep.include({ until: null, ended_at: null });
  });

  it('are deleted, not ended, before they begin', async () => {
    const { id } = await pause({ starts_at: await inHours(1), until: await inHours(2) });
    const error = await rejectionOf(world.save('Pause', { id, until: new Date(await now()).toISOString() }));
    expect(error).to.deep.include({
      code: 'conflict',
      message: `Pause ${id} has not begun: it can be deleted, not ended.`,
    });
    await world.records('Pause').delete(user(4, ['admin']), id);
  });

  it('of one company that have not ended are at most 200', async () => {
    for (let saved = 0; saved < 200; saved += 1) await pause({ company_id: ids.company.id });
    expect(await rejectionOf(pause({ runtemplate_id: ids.template.id }))).to.deep.include({
      code: 'conflict',
      message: `Company ${ids.company.id} has 200 pauses that have not ended, which is the limit: end or delete others first.`,
    });
    await pause({});
  });

  it('are deleted with their run template', async () => {
    await pause({ runtemplate_id: ids.template.id });
    await world.records('RunTemplate').delete(user(4, ['admin']), ids.template.id);
    expect((await world.records('Pause').list(user(4, ['admin']))).rows).to.deep.equal([]);
  });

  it('are saved again as they are shown', async () => {
    const shown = await pause({ runtemplate_id: ids.template.id });
    const given = {
      id: shown.id,
      runtemplate_id: shown.runtemplate_id,
      company_id: shown.company_id,
      starts_at: new Date(shown.starts_at).toISOString(),
      until: new Date(shown.until).toISOString(),
      reason: shown.reason,
    };
    expect(await world.save('Pause', given)).to.have.property('revision', shown.revision);
    const moved = { ...given, starts_at: await inHours(0.5) };
    expect(await rejectionOf(world.save('Pause', moved)))
      .to.have.property('message')
      .that.includes('starts_at cannot be changed once it is set');
  });
});
