import { RunTemplate } from '@horarium/core';
import { expect } from 'chai';
import { rejectionOf } from '../../support/mocha/rejection-of.ts';
import { DeliveryWorld } from '../../support/worlds/delivery-world.ts';
import { user } from '../../support/worlds/record-world.ts';

describe('Test notices', () => {
  const list = [
    { action: 'tell', to: 'ops', password: 'swordfish-42' },
    { action: 'tell', to: 'jane' },
  ];

  it('are sent by each action of a list, with its stored options, and say that they are tests', async () => {
    const world = await new DeliveryWorld().seed();
    const { id } = await world.addTemplate({ on_failure: list });
    const results = await world.core.testNotices.sendList(world.actor, {
      owner: 'runtemplate',
      id,
      event: 'on_failure',
    });
    expect(results).to.deep.equal(
      ['ops', 'jane'].map((endpoint) => ({ action: 'tell', endpoint, error: null, status: 200, response: 'thanks' })),
    );
    expect(world.told.map(({ options }) => options)).to.deep.equal([
      { to: 'ops', password: 'swordfish-42' },
      { to: 'jane', password: null },
    ]);
    const { notice, hasEnded } = world.told[0] ?? expect.fail();
    expect([notice.runtemplate.name, notice.company.name, hasEnded]).to.deep.equal([
      '(TEST) Nightly backup',
      'Acme',
      true,
    ]);
    expect(notice.reason).to.contain('this is a test');
    expect(await world.rows()).to.deep.equal([]);
  });

  it('say why one did not arrive, with the secrets of its options masked', async () => {
    const world = await new DeliveryWorld({ serviceActions: { on_missed: list } }).seed();
    world.receive = async ({ options }) => {
      if (options['to'] === 'ops') throw new Error(`the password ${options['password']} is wrong`);
      return {};
    };
    const place = { owner: 'service', id: null, event: 'on_missed' } as const;
    const results = await world.core.testNotices.sendList(world.actor, place);
    expect(results.map(({ error }) => error)).to.deep.equal(['the password •••••••• is wrong', null]);
  });

  it('switch no template off', async () => {
    const world = await new DeliveryWorld().seed();
    const { id } = await world.addTemplate({ on_failure: list });
    world.receive = async ({ deactivateTemplate }) => ({ response: await deactivateTemplate() });
    const [result] = await world.core.testNotices.sendList(world.actor, {
      owner: 'runtemplate',
      id,
      event: 'on_failure',
    });
    expect(result?.response).to.equal('Nothing is done: this is a test.');
    expect((await world.core.records(RunTemplate).get(world.actor, id)).active).to.equal(true);
  });

  it('are for those who may change the list, and for admins alone with options of their own', async () => {
    const world = await new DeliveryWorld().seed({ on_failure: list });
    const { id } = await world.addTemplate({ on_failure: list });
    const { company_id: company } = world.owner;
    const { testNotices } = world.core;
    const manager = user(8, [], { [company]: 'manager' });
    const refusals = [
      testNotices.send(manager, 'tell', 'on_failure', { to: 'me' }),
      testNotices.sendList(manager, { owner: 'service', id: null, event: 'on_failure' }),
      testNotices.sendList(manager, { owner: 'company', id: company, event: 'on_failure' }),
      testNotices.sendList(user(9, [], { [company]: 'viewer' }), { owner: 'runtemplate', id, event: 'on_failure' }),
      testNotices.sendList(user(9, [], {}), { owner: 'runtemplate', id, event: 'on_failure' }),
    ];
    const codes = await Promise.all(
      refusals.map(async (refusal) => ((await rejectionOf(refusal)) as { code?: string }).code),
    );
    expect(codes).to.deep.equal(['denied', 'denied', 'denied', 'denied', 'not_found']);
    await testNotices.sendList(manager, { owner: 'runtemplate', id, event: 'on_failure' });
    expect(world.told).to.have.length(2);
  });

  it('refuse unknown actions, options and empty lists in a sentence', async () => {
    const world = await new DeliveryWorld().seed();
    const { testNotices } = world.core;
    const messages = await Promise.all(
      [
        testNotices.send(world.actor, 'shout', 'on_failure', {}),
        testNotices.send(world.actor, 'tell', 'on_failure', { two: 'me' }),
        testNotices.sendList(world.actor, { owner: 'service', id: null, event: 'on_late' }),
      ].map(async (sent) => ((await rejectionOf(sent)) as Error).message),
    );
    expect(messages).to.deep.equal([
      'It cannot be tested: no loaded plugin provides the action shout; there are tell, collect',
      'The action tell is invalid: two is not an option of the action tell. Did you mean to?',
      'The list on_late has no actions to test.',
    ]);
  });
});
