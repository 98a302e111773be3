import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { Attack } from '../attack.ts';
import { findLongBlock, readMetrics } from '../service-metrics.ts';
import type { Client } from '../target.ts';

const oversizedExpansion: Attack = {
  claim: 'A template cannot make the service build more than its bounds',
  attempt: async (target) => {
    const tenant = await target.addTenant();
    const app = await target.addShellApp('true', { environment: { PIECE: {}, WHOLE: {} } });
    const environment = { PIECE: 'x'.repeat(30_000), WHOLE: '{PIECE}'.repeat(4000) };
    const template = await target.addTemplate(tenant, app, { environment });
    const { result: job, block } = await findLongBlock(target, () => target.run(tenant, template));
    if (job.state !== 'failed' || !/WHOLE/.test(job.reason)) return `the job ${job.state}: ${job.reason}`;
    return block;
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

const slowReaders: Attack = {
  claim: 'Slow readers of large files do not make the service hold them',
  attempt: async (target) => {
    const [count, size] = [40, 8_000_000];
    const tenant = await target.addTenant();
    const fields = { artifacts: [{ name: 'file', path: '^file$' }] };
    const app = await target.addShellApp(`head -c ${size} /dev/zero > file`, fields);
    const { artifacts } = await target.run(tenant, await target.addTemplate(tenant, app));
    const url = `${target.url}/artifact/${artifacts[0].id}`;
    const { memory: before } = await readMetrics(target);
    const readers = await Promise.all(Array.from({ length: count }, () => openUnread(url, tenant.operator)));
    try {
      const grown = (await readMetrics(target)).memory - before;
      const [reader] = readers as [IncomingMessage];
      let received = 0;
      for await (const piece of reader) received += (piece as Buffer).length;
      if (received !== size) return `a reader received ${received} bytes of ${size}`;
      return grown > (count * size) / 2 ? `${count} readers of ${size} bytes took ${grown} bytes of memory` : null;
    } finally {
      for (const reader of readers) reader.destroy();
    }
  },
};

/** Requests a file, and reads nothing of it yet. */
function openUnread(url: string, { headers }: Client): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const { get } = url.startsWith('https:') ? https : http;
    get(url, { headers, agent: false }, resolve).on('error', reject);
  });
}

export const largeValueAttacks = [oversizedExpansion, listsWithoutEnvironment, slowReaders];
