import type { Attack } from '../attack.ts';
import { slowestPing } from '../slowest-ping.ts';

const oversizedExpansion: Attack = {
  claim: 'A template cannot make the service build more than its bounds',
  attempt: async (target) => {
    const tenant = await target.addTenant();
    const app = await target.addShellApp('true', { environment: { PIECE: {}, WHOLE: {} } });
    const environment = { PIECE: 'x'.repeat(30_000), WHOLE: '{PIECE}'.repeat(4000) };
    const template = await target.addTemplate(tenant, app, { environment });
    const { result: job, milliseconds } = await slowestPing(target, () => target.run(tenant, template));
    if (job.state !== 'failed' || !/WHOLE/.test(job.reason)) return `the job ${job.state}: ${job.reason}`;
    return milliseconds > 2000 ? `a ping took ${milliseconds} ms` : null;
  },
};

const listsWithoutEnvironment: Attack = {
  claim: 'Lists carry no environment',
  attempt: async (target) => {
    const tenant = await target.addTenant();
    const app = await target.addShellApp('true', { environment: { LARGE: {} } });
    const template = await target.addTemplate(tenant, app, { environment: { LARGE: 'x'.repeat(30_000) } });
    await target.run(tenant, template);
    for (const path of ['/jobs.json', '/runtemplates.json']) {
      const { text } = await tenant.operator.get(path);
      if (text.includes('xxxxxxxxxx')) return `${path} holds ${text.length} characters`;
    }
    return null;
  },
};

export const largeValueAttacks = [oversizedExpansion, listsWithoutEnvironment];
