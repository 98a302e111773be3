import { type AppRow, allResources, type JobRow, type NamedRecords, type TaskRow } from '@horarium/core';
import { expect } from 'chai';
import { WithFunctions } from '#core/function-records';
import { Records } from '#core/records/records';
import { EmbeddingWorld } from './embedding-world.ts';

describe('The named records of a core', () => {
  const core = new EmbeddingWorld().core();
  const me = core.actor('the shop');

  it('are those of every kind of record but tokens, by the plural of its name', () => {
    const members = Object.keys(
      Object.getOwnPropertyDescriptors(Object.getPrototypeOf(WithFunctions.prototype)),
    ).filter((member) => !['constructor', 'records'].includes(member)) as (keyof NamedRecords)[];
    const names = members.map((member) => {
      const records: unknown = core[member];
      return records instanceof Records ? records.resource.name : member;
    });
    expect([...names, 'Token']).to.have.members(allResources.map(({ name }) => name));
    expect(members).to.include.members(['apps', 'companies', 'runTemplates', 'tasks', 'jobs', 'credentials']);
  });

  it('have the types of their rows', async () => {
    const [app]: AppRow[] = (await core.apps.list(me)).rows;
    const [task]: TaskRow[] = (await core.tasks.list(me)).rows;
    const [job]: JobRow[] = (await core.jobs.list(me)).rows;
    // @ts-expect-error An App has no such field.
    const cron = app?.cron;
    expect([app?.executable, task?.state, job?.state, cron]).to.deep.equal(Array(4).fill(undefined));
  });

  it('return the row that they save, with whether it was created beside its columns', async () => {
    const created = await core.companies.save(me, { code: 'shop', name: 'The shop' });
    expect(created).to.include({ code: 'shop', created: true });
    const updated = await core.companies.save(me, { code: 'shop', name: 'A shop' });
    expect(updated).to.include({ id: created.id, name: 'A shop', created: false });
    expect(updated).to.deep.equal(await core.companies.get(me, created.id));
    expect(Object.keys(updated)).to.not.include('created');
  });

  it('are audited under the name of the actor of the program', async () => {
    const { rows } = await core.auditLog.list(me, { order: 'id' });
    expect(rows.map(({ actor, channel, entity_type }) => [actor, channel, entity_type])).to.deep.equal([
      ['the shop', 'embedded', 'Company'],
      ['the shop', 'embedded', 'Company'],
    ]);
  });
});
