import type { JobRow } from '../job/job.ts';
import type { Tables } from '../store/store.ts';
import { Task } from '../task/task.ts';
import { RunTemplate, type RunTemplateRow } from '../template/run-template.ts';
import type { Digests } from '../user/digests.ts';
import type { Prepared } from '../worker/runner-options.ts';
import type { Claim } from './claim-jobs.ts';
import { hidePingKey } from './ping-key.ts';

export interface JobRedactorOptions {
  readonly digests: Pick<Digests, 'sha256'>;
  /** Resolves environment, arguments and secrets of jobs. */
  prepare(tables: Tables, claims: readonly Claim[]): Promise<readonly Prepared[]>;
}

/** What a job was started with, as far as it is still the same, and how to write down what is said of it. */
export interface JobRedactor {
  readonly prepared: Prepared;
  /** The same text without the secrets that the job was given, and without the key of its heartbeats. */
  hide(text: string): string;
}

/** Looks anew at what a job that runs was given, for what somebody says of it. */
export async function redactorFor(
  tables: Tables,
  job: JobRow,
  { digests, prepare }: JobRedactorOptions,
): Promise<JobRedactor> {
  const [prepared] = (await prepare(tables, [await claimOf(tables, job)])) as [Prepared];
  return { prepared, hide: (text) => prepared.hideIn(hidePingKey(text, job.ping_key_hash, digests)) };
}

/** The job's own app: its template may have been given another one since it started. */
async function claimOf(tables: Tables, job: JobRow): Promise<Claim> {
  const [template] = await tables.of(RunTemplate).find({ where: [['id', '=', job.runtemplate_id]] });
  const [task] = job.task_id === null ? [] : await tables.of(Task).find({ where: [['id', '=', job.task_id]] });
  return { job, task: task ?? null, template: { ...(template as RunTemplateRow), app_id: job.app_id as number } };
}
