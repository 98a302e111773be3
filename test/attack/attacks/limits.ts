import type { Attack } from '../attack.ts';
import { openTarget, worldOf } from '../own-target.ts';
import type { Tenant } from '../target.ts';

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

export const limitAttacks = [dailyQuota, requestFlood];
