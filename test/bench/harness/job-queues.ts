import { makeWorkerUtils } from 'graphile-worker';
import { type Kysely, sql } from 'kysely';
import { fromKysely, PgBoss } from 'pg-boss';
import type { ScheduleWithin } from './shop.ts';

/** A queue of another project, in the database of an application. */
export interface JobQueue extends AsyncDisposable {
  /** Adds a job as the project documents it for a transaction of the application. */
  readonly schedule: ScheduleWithin;
}

/** The name of the task, and of the queue, that the jobs are for. */
const task = 'confirm';

/** Opens graphile-worker, whose way is to call its SQL function by the client of the application. */
export async function openGraphileWorker(connectionString: string): Promise<JobQueue> {
  const utils = await makeWorkerUtils({ connectionString });
  await utils.migrate();
  return {
    schedule: (em, order) => {
      const payload = JSON.stringify({ order });
      return sql`select graphile_worker.add_job(${task}, ${payload}::json)`.execute(transactionOf(em));
    },
    [Symbol.asyncDispose]: async () => utils.release(),
  };
}

/** Opens pg-boss, whose way is `send` with an adapter of the application's transaction. Nothing works on the queue. */
export async function openPgBoss(connectionString: string): Promise<JobQueue> {
  const boss = new PgBoss({ connectionString, supervise: false, schedule: false });
  boss.on('error', (error) => console.error('pg-boss failed', error));
  await boss.start();
  await boss.createQueue(task);
  return {
    schedule: (em, order) => boss.send(task, { order }, { db: fromKysely(transactionOf(em)) }),
    [Symbol.asyncDispose]: () => boss.stop({ graceful: false }),
  };
}

/** MikroORM's transactions are those of Kysely. */
function transactionOf(em: Parameters<ScheduleWithin>[0]): Kysely<unknown> {
  return em.getTransactionContext<Kysely<unknown>>() as Kysely<unknown>;
}
