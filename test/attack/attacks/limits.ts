import { checkedFetch } from '../../support/http/checked-fetch.ts';
import type { Attack } from '../attack.ts';
import { openTarget, worldOf } from '../own-target.ts';
import type { Client, Target, Tenant } from '../target.ts';

const quota = 64 * 1024;
const changesQuota = 256 * 1024;

const dailyQuota: Attack = {
  claim: 'What is stored of a company in a day is bounded, and takes nothing from what another company may store',
  attempt: async (target) => {
    const limits = {
      HORARIUM_MAX_OUTPUT_PER_DAY: '64KiB',
      HORARIUM_MAX_ARTIFACTS_PER_DAY: '64KiB',
      HORARIUM_MAX_CHANGES_PER_DAY: '256KiB',
    };
    await using opened = await openTarget(worldOf(target).kind, limits);
    const own = opened.target;
    const [greedy, frugal] = [await own.addTenant(), await own.addTenant()];
    const fields = { artifacts: [{ name: 'file', path: '^file$' }] };
    const flood = await own.addShellApp('head -c 50000 /dev/zero | tr "\\0" x | tee file', fields);
    const greedyJobs = await runJobs(greedy, await own.addTemplate(greedy, flood), 4);
    const output = greedyJobs.reduce((sum, { stdout }) => sum + stdout.replace(/\n?\[horarium: .*\]\n/, '').length, 0);
    if (output > quota) return `${output} bytes of output were stored of one company`;
    const files = greedyJobs.flatMap(({ artifacts }) => artifacts as { readonly size: number }[]);
    const bytes = files.reduce((sum, { size }) => sum + size, 0);
    if (bytes > quota) return `${bytes} bytes of artifacts were stored of one company`;
    const failed = greedyJobs.find(({ state }) => state !== 'succeeded');
    if (failed) return `a job ended ${failed.state} because of the limits: ${failed.reason}`;
    const changed = await changeUntilRefused(greedy, await own.addTemplate(greedy, flood));
    if (changed !== null) return changed;
    const [job] = await runJobs(frugal, await own.addTemplate(frugal, flood), 1);
    if (job.stdout.length === 50_000 && job.artifacts.length === 1) return null;
    return `of another company ${job.stdout.length} bytes of output and ${job.artifacts.length} files were stored`;
  },
};

/** Renames a template until a change is refused. @returns null when one is, before more is written than may be. */
async function changeUntilRefused({ manager }: Tenant, runtemplate_id: number): Promise<string | null> {
  const note = 'x'.repeat(4000);
  for (let written = 0; written <= changesQuota; written += note.length) {
    const { status } = await manager.post(`/runtemplate/${runtemplate_id}.json`, { note: `${written}${note}` });
    if (status === 429) return null;
    if (status !== 200) return `a change was answered with ${status}`;
  }
  return `changes of one company wrote more than ${changesQuota} bytes`;
}

// biome-ignore lint/suspicious/noExplicitAny: the JSON of jobs.
async function runJobs({ operator }: Tenant, runtemplate_id: number, count: number): Promise<any[]> {
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  const jobs: any[] = [];
  for (let job = 0; job < count; job += 1) {
    const { id } = await operator.save('job', { runtemplate_id });
    jobs.push(await operator.endOfJob(id));
  }
  return jobs;
}

/** How many requests are sent until one is refused, and how many of them at once. */
const flood = { requests: 5000, atOnce: 50 };

const requestFlood: Attack = {
  claim: 'A flood of requests by one user is refused, and those of others of the company are not',
  attempt: async (target) => {
    // A service with a low limit, where it can be had: a busy machine may send fewer requests than the usual one allows.
    await using opened =
      target.world && (await openTarget(target.world.kind, { HORARIUM_MAX_REQUESTS_PER_SECOND: '5' }));
    const { id, manager, operator } = await (opened?.target ?? target).addTenant();
    const path = `/company/${id}.json`;
    for (let sent = 0; sent < flood.requests; sent += flood.atOnce) {
      const replies = await Promise.all(Array.from({ length: flood.atOnce }, () => manager.get(path)));
      if (!replies.some(({ status }) => status === 429)) continue;
      const { status } = await operator.get(path);
      return status === 200 ? null : `another user of the company got ${status}`;
    }
    return `${flood.requests} requests were answered, ${flood.atOnce} at once`;
  },
};

/** For how many seconds expensive requests are sent unless one is refused, how many of them at once, and how large. */
const expensive = { seconds: 20, atOnce: 20, keys: 9000 };

const expensiveFlood: Attack = {
  claim:
    'Requests of one user take a part of the processor at most, and requests of others of the company are not refused',
  attempt: async (target) => {
    const { id, manager, operator } = await target.addTenant();
    const keys = Array.from({ length: expensive.keys }, (_, n) => [`KEY_${n}`, 'x'.repeat(80)] as const);
    const body = JSON.stringify({ company_id: id, environment: Object.fromEntries(keys) });
    const headers = { ...manager.headers, 'content-type': 'application/json' };
    const send = async () =>
      (await checkedFetch(`${target.url}/runtemplate/`, { method: 'POST', headers, body })).status;
    const before = await processorTime(target);
    const start = performance.now();
    for (let elapsed = 0; elapsed < expensive.seconds; elapsed = (performance.now() - start) / 1000) {
      if (!(await Promise.all(Array.from({ length: expensive.atOnce }, send))).includes(429)) continue;
      const { status } = await operator.get(`/company/${id}.json`);
      return status === 200 ? null : `another user of the company got ${status}`;
    }
    // On a machine that does other work they cannot take more than they may.
    const used = (await processorTime(target)) - before;
    const elapsed = (performance.now() - start) / 1000;
    return used < 2.5 + elapsed / 2
      ? null
      : `they took ${used} s of the processor in ${elapsed} s, and none was refused`;
  },
};

/** How many records there are to list, and how many users list all changes at once, each how often. */
const lists = { records: 100, atOnce: 20, users: 6, each: 5 };

const wholeLists: Attack = {
  claim: 'A user gets two whole lists at once, and the lists of several users do not block the event loop',
  attempt: async (target) => {
    const { id: company_id, manager } = await target.addTenant();
    const add = () => manager.post('/credential/', { company_id, name: 'x'.repeat(255), values: {} });
    for (let count = 0; count < lists.records; count += lists.atOnce)
      await Promise.all(Array.from({ length: lists.atOnce }, add));
    const before = await blocksByLists(target);
    const readers: Client[] = [];
    for (let user = 0; user < lists.users; user++) {
      const { id, client } = await target.addUser('viewer');
      await target.admin.save(`company/${company_id}/user`, { user_id: id, role: 'viewer' });
      readers.push(client);
    }
    const requests = readers.flatMap((client) => Array.from({ length: lists.each }, () => client));
    const replies = await Promise.all(requests.map((client) => client.get('/auditlog.json?limit=all')));
    const other = replies.find(({ status }) => status !== 200 && status !== 429);
    if (other) return `a list was answered with ${other.status}`;
    if (!replies.some(({ status }) => status === 429)) return `all of ${replies.length} lists were sent at once`;
    const blocks = (await blocksByLists(target)) - before;
    return blocks === 0 ? null : `the event loop was blocked ${blocks} times`;
  },
};

/** How many pages in a format that takes long to write are asked for at once. */
const slowPages = 30;

const slowFormats: Attack = {
  claim: 'Large pages in a slow format that one user asks for at once do not block the event loop',
  attempt: async (target) => {
    const { id: company_id, manager } = await target.addTenant();
    const add = () => manager.post('/credential/', { company_id, name: 'x'.repeat(255), values: {} });
    for (let count = 0; count < lists.records; count += lists.atOnce)
      await Promise.all(Array.from({ length: lists.atOnce }, add));
    const { client } = await target.addUser('admin');
    const before = await blocksByLists(target);
    const replies = await Promise.all(Array.from({ length: slowPages }, () => client.get('/auditlog.yaml?limit=1000')));
    const other = replies.find(({ status }) => status !== 200 && status !== 429);
    if (other) return `a page was answered with ${other.status}`;
    const blocks = (await blocksByLists(target)) - before;
    return blocks === 0 ? null : `the event loop was blocked ${blocks} times`;
  },
};

/** The processor time of the service so far, in seconds. */
async function processorTime(target: Target): Promise<number> {
  return Number(/^process_cpu_seconds_total ([\d.]+)/m.exec(await metricsOf(target))?.[1]);
}

/** How often lists have blocked the event loop, as the service itself knows, whatever else the machine does. */
async function blocksByLists(target: Target): Promise<number> {
  const text = await metricsOf(target);
  const counts = text.matchAll(
    /^horarium_event_loop_blocked_seconds_count\{by="(?:GET \/auditlog[^"]*|one of several)"\} (\d+)$/gm,
  );
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}

async function metricsOf({ url, admin }: Target): Promise<string> {
  return (await checkedFetch(`${new URL(url).origin}/metrics`, { headers: admin.headers })).text();
}

export const limitAttacks = [dailyQuota, requestFlood, expensiveFlood, wholeLists, slowFormats];
