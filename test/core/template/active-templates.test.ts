import type { RunTemplateRow } from '@horarium/core';
import { StandingClock } from '@horarium/core/contracts';
import { expect } from 'chai';
import { AuditedStore } from '#core/audit/audited-store';
import { Records } from '#core/records/records';
import { findResource } from '#core/resources';
import { rejectionOf } from '../../support/mocha/rejection-of.ts';
import { testSigner } from '../../support/secrets/test-hmac.ts';
import { openTestStore } from '../../support/store/test-store.ts';
import { recordServices, recordsContext, root, user } from '../../support/worlds/record-world.ts';

const refused = /^Company 1 has 3 active templates, which is the limit: deactivate or delete others first/;

describe('A company with as many active templates as it may have', () => {
  const manager = user(7, ['user'], { 1: 'manager', 2: 'manager' });
  let save: (input: object, actor?: typeof root) => Promise<RunTemplateRow>;

  beforeEach(async () => {
    const store = new AuditedStore(openTestStore(new StandingClock()), testSigner);
    const context = { ...recordsContext(store), service: { ...recordServices, maxTemplates: 3 } };
    const records = (name: string) => new Records(findResource(name), context);
    for (const code of ['busy', 'other']) await records('Company').save(root, { code, name: code });
    await records('App').save(root, { name: 'work', executable: 'work' });
    save = async (input, actor = manager) =>
      (await records('RunTemplate').save(actor, input)) as unknown as RunTemplateRow;
    for (const code of ['a', 'b', 'c']) await save(template({ code }));
  });

  const template = (more: object) => ({ name: 't', app_id: 1, company_id: 1, interval: 'hourly', ...more });

  for (const [who, actor] of [
    ['a manager', manager],
    ['an admin', root],
  ] as const) {
    it(`cannot have a further one created by ${who}`, async () => {
      const error = await rejectionOf(save(template({ code: 'd' }), actor));
      expect(error).to.include({ code: 'conflict' }).and.to.have.property('message').that.matches(refused);
    });

    it(`cannot have a further one activated by ${who}`, async () => {
      const { id } = await save(template({ code: 'd', active: false }), actor);
      expect(await rejectionOf(save({ id, active: true }, actor)))
        .to.have.property('message')
        .that.matches(refused);
    });
  }

  it('can have the active ones changed', async () => {
    expect(await save(template({ code: 'a', name: 'changed' }))).to.include({ name: 'changed', active: true });
  });

  it('can have another one activated once one was deactivated', async () => {
    await save(template({ code: 'a', active: false }));
    expect(await save(template({ code: 'd' }))).to.include({ active: true });
  });

  it('leaves other companies theirs', async () => {
    expect(await save(template({ code: 'a', company_id: 2 }))).to.include({ active: true });
  });
});
