import { AuditLog } from '@horarium/core';
import { actionContract } from '@horarium/core/contracts';
import { nodeClock } from '@horarium/core/node';
import { expect } from 'chai';
import plugin from '../../../plugins/action-disable/plugin.ts';
import { actionOf } from '../../support/actions/deliver.ts';
import { defineContractTests } from '../../support/mocha/define-contract-tests.ts';
import { DeliveryWorld, hour } from '../../support/worlds/delivery-world.ts';

describe('The action disable', () => {
  const action = actionOf(plugin);

  describe('keeps the contract', () => {
    let arrived = 0;
    const make = () => ({
      action: {
        ...action,
        deliver: (delivery: Parameters<typeof action.deliver>[0], signal: AbortSignal) => {
          const deactivateTemplate = () => {
            arrived += 1;
            return delivery.deactivateTemplate();
          };
          return action.deliver({ ...delivery, deactivateTemplate }, signal);
        },
      },
      reachable: { after: 1 },
      unreachable: [],
      unresponsive: [],
      secrets: [],
      arrived: () => arrived,
      connections: () => 0,
    });
    defineContractTests(actionContract(make, nodeClock));
  });

  async function world() {
    const made = await new DeliveryWorld().seed();
    made.actions.set('disable', action);
    const template = await made.addTemplate({ on_failure: [{ action: 'disable', after: 2 }] });
    await made.advance(hour);
    await made.runJob(1);
    await made.deliver();
    const isActive = async () => (await made.core.runTemplates.get(made.actor, template.id)).active;
    return { made, template, isActive };
  }

  it('switches a template off when it fails that often in a row, audited in its name', async () => {
    const { made, template, isActive } = await world();
    expect(await isActive()).to.equal(true);
    expect((await made.rows())[0]).to.deep.include({ response: 'Nothing is done: 1 of 2 failures in a row.' });
    await made.advance(hour);
    await made.runJob(1);
    await made.deliver();
    expect(await isActive()).to.equal(false);
    expect((await made.rows())[1]).to.deep.include({ response: `RunTemplate ${template.id} is inactive now.` });
    const log = await made.core.store.read((tables) => tables.of(AuditLog).find({ order: [['id', 'desc']] }));
    const entry = log.find(({ entity_type }) => entity_type === 'RunTemplate');
    expect(entry).to.deep.include({ actor: 'action disable', changes: { active: [true, false] } });
  });

  it('counts from zero again after the template was switched on', async () => {
    const { made, template, isActive } = await world();
    const fail = async () => {
      await made.advance(hour);
      await made.runJob(1);
      await made.deliver();
    };
    await fail();
    expect(await isActive()).to.equal(false);
    await made.core.runTemplates.save(made.actor, { id: template.id, active: true });
    await fail();
    expect(await isActive()).to.equal(true);
    await fail();
    expect(await isActive()).to.equal(false);
  });

  it('leaves a template alone that was changed since it failed', async () => {
    const { made, template, isActive } = await world();
    await made.advance(hour);
    await made.runJob(1);
    made.core.clock.advance(1000);
    await made.core.runTemplates.save(made.actor, { id: template.id, note: 'The cause is corrected.' });
    await made.deliver();
    expect(await isActive()).to.equal(true);
    expect((await made.rows())[1]?.response).to.contain('was changed since, so it stays active');
  });
});
