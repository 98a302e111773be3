import { Job } from '../../job/job.ts';
import { runningUnder } from '../../job/stop-requests.ts';
import { yieldToEventLoop } from '../../loop/yield-to-event-loop.ts';
import type { Tables } from '../../store/store.ts';
import { finishJobs, lostAttempt } from '../finish/finish-jobs.ts';
import { WorkerLease } from './worker-lease.ts';

/** How many jobs are read and written at once. */
const batchSize = 500;

/**
 * Drops the leases of all workers, in a store that none of them has ever opened: they came from another one. Jobs that ran
 * under them end lost.
 */
export async function dropWorkerLeases(tables: Tables): Promise<void> {
  for (const { name } of await tables.of(WorkerLease).find({ columns: ['name'] })) {
    const where = runningUnder(name);
    for (;;) {
      await yieldToEventLoop();
      const jobs = await tables.of(Job).find({ where, limit: batchSize });
      if (jobs.length === 0) break;
      const now = await tables.now();
      const reason = `it ran when the backup was made, in the worker ${name} of the original`;
      await finishJobs(
        tables,
        jobs.map((job) => lostAttempt(job, now, reason)),
      );
    }
  }
  await tables.of(WorkerLease).purge([]);
}
