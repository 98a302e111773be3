import { expect } from 'chai';
import { MemoryCore } from '../../support/worlds/memory-core.ts';
import { root } from '../../support/worlds/record-world.ts';
import { recordReads } from '../../support/worlds/recorded-reads.ts';

describe('Scheduling a job', () => {
  it('reads each table once, where the template has no credentials, because every query is a round trip in the transaction of an application', async () => {
    const core = new MemoryCore();
    const environment = { ORDER: { type: 'integer' } } as const;
    const app = await core.apps.save(root, { name: 'a', executable: '/bin/true', environment });
    const company = await core.companies.save(root, { code: 'a', name: 'a' });
    const fields = { name: 't', app_id: app.id, company_id: company.id, interval: 'none' } as const;
    const template = await core.runTemplates.save(root, fields);
    const reads = recordReads(core);
    await core.jobs.schedule(root, { runtemplate_id: template.id, environment: { ORDER: '1' } });
    expect(reads.map(({ table }) => table)).to.have.members([
      'Schedule',
      'RunTemplate',
      'App',
      'Company',
      'Job',
      'CredentialType',
    ]);
  });
});
