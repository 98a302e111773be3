import { Artifact } from '../job/artifact.ts';
import { Job } from '../job/job.ts';
import { JobOutput } from '../job/job-output.ts';
import type { Instant } from '../loop/clock.ts';
import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';
import { readByIds } from '../store/rows.ts';
import type { Expired } from './expired-runs.ts';
import { cutoffOf, type KeepPolicy, type Read } from './keep-policy.ts';

/** How many pieces of output, or artifacts, are looked at in one statement. */
const pageSize = 1000;

/**
 * Finds the jobs whose output or artifacts are kept no longer. It goes through what there is from the oldest on, up to what
 * is younger than anything that is to be deleted.
 */
export async function* expiredFiles(read: Read, policy: KeepPolicy, now: Instant): AsyncGenerator<Expired<'files'>> {
  let shortest = policy.service.filesDays;
  for (const { rules } of policy.templates.values()) shortest = Math.min(shortest, rules.filesDays);
  if (shortest === Infinity) return;
  const youngest = cutoffOf(shortest, now);
  for (const jobsOf of [jobsWithArtifacts, jobsWithOutput]) {
    for await (const { ids, at } of jobsOf(read)) {
      const expired = await expiredAmong(read, ids, policy, now);
      // Also where there are none, so that the search stops after each page.
      yield { kind: 'files', ids: expired };
      if (at >= youngest) break;
    }
  }
}

/** Returns those of these jobs that ended before their template's files are deleted. */
async function expiredAmong(read: Read, ids: readonly number[], policy: KeepPolicy, now: Instant): Promise<number[]> {
  const jobs = await read((tables) => readByIds(tables, Job, ids, ['id', 'runtemplate_id', 'finished_at']));
  return [...jobs.values()]
    .filter(({ runtemplate_id, finished_at }) => {
      const { filesDays } = policy.templates.get(runtemplate_id)?.rules ?? policy.service;
      return finished_at !== null && finished_at < cutoffOf(filesDays, now);
    })
    .map(({ id }) => id);
}

/** A page of jobs that have something, and when the last of it was stored. */
interface JobsWithFiles {
  readonly ids: readonly number[];
  readonly at: Instant;
}

async function* jobsWithArtifacts(read: Read): AsyncGenerator<JobsWithFiles> {
  for (let after = 0; ; ) {
    await yieldToEventLoop();
    const page = await read((tables) =>
      tables
        .of(Artifact)
        .find({ where: [['id', '>', after]], limit: pageSize, columns: ['id', 'job_id', 'created_at'] }),
    );
    const last = page.at(-1);
    if (!last) return;
    yield { ids: [...new Set(page.map(({ job_id }) => job_id))], at: last.created_at };
    after = last.id;
  }
}

async function* jobsWithOutput(read: Read): AsyncGenerator<JobsWithFiles> {
  for (let after = 0; ; ) {
    await yieldToEventLoop();
    const page = await read((tables) =>
      tables.of(JobOutput).find({ where: [['id', '>', after]], limit: pageSize, columns: ['id', 'job_id', 'at'] }),
    );
    const last = page.at(-1);
    if (!last) return;
    yield { ids: [...new Set(page.map(({ job_id }) => job_id))], at: last.at };
    after = last.id;
  }
}
