import { Company, serializeRow } from '@horarium/core';
import { mask } from '@horarium/core/plugin';
import { expect } from 'chai';
import { rejectionOf } from '../../support/mocha/rejection-of.ts';
import { type AnyRow, invalidFields, recordWorld, root, user } from '../../support/worlds/record-world.ts';

/** The actions of a list as they were sent, without their ids. */
function withoutIds(list: AnyRow): object[] {
  return list.map(({ id: _id, ...listed }: AnyRow) => listed);
}

/** The ids of the actions of a list. */
function idsOf(list: AnyRow): string[] {
  return list.map(({ id }: AnyRow) => id);
}

describe('Lists of actions', () => {
  const command = { action: 'command', program: '/usr/local/bin/tell' };
  const log = { action: 'log', level: 'info' };

  async function world() {
    const { records, audit } = recordWorld();
    const app = await records('App').save(root, { name: 'backup', executable: '/bin/true' });
    const company = await records('Company').save(root, { code: 'acme', name: 'Acme' });
    const template: AnyRow = await records('RunTemplate').save(root, {
      name: 'nightly',
      code: 'nightly',
      app_id: app.id,
      company_id: company.id,
      interval: 'daily',
      on_failure: [command],
    });
    return { records, audit, company, template, manager: user(7, [], { [company.id]: 'admin' }) };
  }

  it('are those of a company too, with secrets that are kept and never shown', async () => {
    const { records, audit, company, manager } = await world();
    const webhook = { action: 'webhook', url: 'https://example.com', secret: 'a planted secret' };
    const saved = await records('Company').save(manager, { id: company.id, on_missed: [log, webhook] });
    expect(JSON.stringify(saved)).not.to.contain('a planted secret');
    const again = await records('Company').save(manager, {
      id: company.id,
      on_missed: [log, { action: 'webhook', url: 'https://example.com/2' }],
    });
    expect(again['on_missed'][1].secret).to.equal(saved['on_missed'][1].secret);
    const shown = serializeRow(Company, again);
    expect(withoutIds(shown['on_missed'])).to.deep.equal([
      log,
      { ...webhook, url: 'https://example.com/2', secret: mask },
    ]);
    expect(JSON.stringify(await audit()))
      .to.contain('https://example.com/2')
      .and.not.to.contain('a planted secret');
  });

  it('keep the secrets of an action in its place only, so that none gets those of another', async () => {
    const { records, company, manager } = await world();
    const save = (on_missed: readonly object[]) => records('Company').save(manager, { id: company.id, on_missed });
    const chat = (subject: string, room: string = mask) => ({ action: 'chat', room, subject });
    await save([chat('a', 'room a'), chat('a', 'room b'), chat('c', 'room c')]);
    expect(await invalidFields(save([chat('a'), chat('c')]))).to.deep.equal(['on_missed[0]', 'on_missed[1]']);
    expect(await invalidFields(save([chat('c'), chat('a'), chat('a')]))).to.include('on_missed[0]');
    await save([chat('a'), chat('b'), chat('c'), chat('a', 'room d')]);
    await save([chat('a', 'room b'), chat('c', 'room c')]);
  });

  it('keep no secret of an action that gets another address', async () => {
    const { records, company, manager } = await world();
    const save = (options: object) =>
      records('Company').save(manager, { id: company.id, on_missed: [{ action: 'chat', ...options }] });
    await save({ room: 'room a', token: 'a planted secret' });
    await save({ room: mask, token: mask, subject: 'kept' });
    for (const options of [{ room: 'room b' }, { room: 'room b', token: mask }])
      expect(await invalidFields(save(options))).to.deep.equal(['on_missed[0].token']);
    await save({ room: 'room b', token: null });
  });

  it('take an action that only admins may use from no other user, but keep one that an admin has written', async () => {
    const { records, company, template, manager } = await world();
    const templates = records('RunTemplate');
    const kept = await templates.save(manager, { id: template.id, on_failure: [log, command], note: 'kept' });
    expect(withoutIds(kept['on_failure'])).to.deep.equal([log, command]);
    for (const change of [{ on_failure: [{ ...command, program: '/bin/sh' }] }, { on_success: [command] }]) {
      const error = await rejectionOf(templates.save(manager, { id: template.id, ...change }));
      expect(error).to.have.property('code', 'denied');
      expect(error.message).to.match(
        /^user 7 may not write the action command into on_\w+: that takes the role admin\.$/,
      );
    }
    const error = await rejectionOf(records('Company').save(manager, { id: company.id, on_start: [command] }));
    expect(error).to.have.property('code', 'denied');
  });

  it('take an action that only admins may use once, from every user who lists it again', async () => {
    const { records, template, manager } = await world();
    const [listed] = template.on_failure;
    const save = (lists: object) => records('RunTemplate').save(manager, { id: template.id, ...lists });
    for (const lists of [
      { on_failure: [listed, command] },
      { on_failure: [command, command] },
      { on_failure: [{ ...listed, id: 'other' }] },
      { on_failure: [listed], on_success: [listed] },
    ])
      expect(await rejectionOf(save(lists))).to.have.property('code', 'denied');
    expect((await rejectionOf(save({ on_failure: [listed, listed] }))).message).to.match(
      /id is that of another action/,
    );
    expect((await save({ on_failure: [log, command] })).on_failure[1].id).to.equal(listed.id);
  });

  it('give each action an id, which it keeps wherever it stands, also in a list without ids', async () => {
    const { records, template } = await world();
    const save = async (on_success: readonly object[]) =>
      (await records('RunTemplate').save(root, { id: template.id, on_success })).on_success;
    const [a, b, c] = ['a', 'b', 'c'].map((to) => ({ action: 'tell', to }));
    const first = await save([a, b] as object[]);
    const [idOfA, idOfB] = idsOf(first);
    expect(new Set([idOfA, idOfB, template.on_failure[0].id]).size).to.equal(3);
    expect(await save([a, b] as object[])).to.deep.equal(first);
    expect(idsOf(await save([b, a] as object[]))).to.deep.equal([idOfB, idOfA]);
    expect(idsOf(await save([{ ...b, to: 'changed' }, a] as object[]))).to.deep.equal([idOfB, idOfA]);
    const [idOfC, ...others] = idsOf(await save([c, { ...b, id: idOfB }, a] as object[]));
    expect(others).to.deep.equal([idOfB, idOfA]);
    expect([idOfA, idOfB]).not.to.include(idOfC);
    expect(idsOf(await save([a] as object[]))).to.deep.equal([idOfA]);
    expect(idsOf(await save([{ ...a, id: 'mine' }] as object[]))).to.deep.equal(['mine']);
  });

  it('refuse an id that is none, or that two actions have', async () => {
    const { records, template } = await world();
    const save = (on_success: readonly object[]) => records('RunTemplate').save(root, { id: template.id, on_success });
    expect(await invalidFields(save([{ ...log, id: 5 }]))).to.deep.equal(['on_success[0].id']);
    expect(await invalidFields(save([{ ...log, id: 'a b' }]))).to.deep.equal(['on_success[0].id']);
    const twice = [
      { ...log, id: 'mine' },
      { ...log, id: 'mine' },
    ];
    expect(await invalidFields(save(twice))).to.deep.equal(['on_success[1].id']);
  });

  it('keep no secret of an action that is named by its id at another place', async () => {
    const { records, company, manager } = await world();
    const save = (on_missed: readonly object[]) => records('Company').save(manager, { id: company.id, on_missed });
    const chat = { action: 'chat', room: 'room', subject: 'a' };
    const [first, second] = (await save([chat, { ...chat, room: 'room b' }])).on_missed;
    const masked = ({ id }: AnyRow) => ({ ...chat, id, room: mask });
    await save([masked(first), masked(second)]);
    expect(await invalidFields(save([masked(second), masked(first)]))).to.deep.equal(['on_missed[0]', 'on_missed[1]']);
    expect(await invalidFields(save([{ action: 'chat', id: second.id }]))).to.deep.equal(['on_missed[0].room']);
    await save([masked(first)]);
  });

  it('keep no secret for another action', async () => {
    const { records, company, manager } = await world();
    const save = (on_missed: readonly object[]) => records('Company').save(manager, { id: company.id, on_missed });
    await save([{ action: 'webhook', url: 'https://example.com', secret: 'a planted secret' }]);
    const other = { action: 'chat', room: 'room', token: mask };
    expect((await rejectionOf(save([{ ...other, secret: mask }]))).message).to.match(/token is masked/);
    await save([{ action: 'chat', room: 'room', token: 'a planted secret' }]);
    const secret = { action: 'siren', token: mask };
    expect(await invalidFields(save([secret]))).to.deep.equal(['on_missed[0].token']);
  });
});
