import { Artifact } from '../job/artifact.ts';
import { JobOutput } from '../job/job-output.ts';
import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';
import type { ServiceRetentionRules } from '../quota/keep-rules.ts';
import { batches } from '../store/rows.ts';
import {
  type DeletedCounts,
  type ExpiredRows,
  maxBatch,
  nothingDeleted,
  unusedEvents,
  unusedTasks,
} from './delete-expired.ts';
import { expiredFiles } from './expired-files.ts';
import { expiredJournals } from './expired-journals.ts';
import { expiredRuns } from './expired-runs.ts';
import { type Read, readKeepPolicy } from './keep-policy.ts';

/**
 * Finds what is kept no longer, in the order in which it is deleted: output and artifacts first, then Tasks and jobs, then
 * events and deliveries. Each list is read when the one before was taken.
 */
export async function* expiredRows(read: Read, rules: ServiceRetentionRules): AsyncGenerator<ExpiredRows> {
  const now = await read((tables) => tables.now());
  const policy = await readKeepPolicy(read, rules);
  yield* expiredFiles(read, policy, now);
  yield* expiredRuns(read, policy, now);
  yield* expiredJournals(read, policy, now);
}

/** Counts what a pass would delete. */
export async function countExpired(read: Read, rules: ServiceRetentionRules): Promise<DeletedCounts> {
  const counts = { ...nothingDeleted };
  const jobsWithFiles = new Set<number>();
  const countTasks = async (taskIds: readonly number[]) => {
    const unused = await read((tables) => unusedTasks(tables, taskIds));
    const jobIds = [...unused.values()].flat();
    counts.tasks += unused.size;
    counts.jobs += jobIds.length;
    return jobIds;
  };
  const countFiles = async (jobIds: readonly number[]) => {
    const ids = jobIds.filter((id) => !jobsWithFiles.has(id));
    for (const id of ids) jobsWithFiles.add(id);
    for (const batch of batches(ids, maxBatch)) {
      await yieldToEventLoop();
      counts.artifacts += await read((tables) => tables.of(Artifact).count([['job_id', 'in', batch]]));
      const outputs = await read((tables) => tables.of(JobOutput).countBy(['job_id'], [['job_id', 'in', batch]]));
      counts.outputs += outputs.length;
    }
  };
  for await (const { kind, ids } of expiredRows(read, rules))
    for (const batch of batches(ids, maxBatch)) {
      await yieldToEventLoop();
      const jobIds = kind === 'tasks' ? await countTasks(batch) : batch;
      if (kind === 'events') counts.events += (await read((tables) => unusedEvents(tables, batch))).length;
      else if (kind === 'jobs' || kind === 'deliveries') counts[kind] += batch.length;
      if (kind === 'tasks' || kind === 'jobs' || kind === 'files') await countFiles(jobIds);
    }
  return counts;
}
