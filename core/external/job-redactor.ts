import type { Claim } from '../attempt/overlap.ts';
import { type PreparationContext, type PreparedAttempt, prepareAttempts } from '../attempt/prepare-attempts.ts';
import type { JobRow } from '../job/job.ts';
import { mask } from '../secret/ciphertext.ts';
import { readById } from '../store/rows.ts';
import type { Tables } from '../store/store.ts';
import { Task } from '../task/task.ts';
import { RunTemplate } from '../template/run-template.ts';
import type { Digests } from '../user/digests.ts';

/** A running job as it would be prepared now, and the redaction of texts about it. */
export interface JobRedactor {
  readonly prepared: PreparedAttempt;
  /** Masks the job's secrets and the key of its heartbeats. */
  redact(text: string): string;
}

/** Rebuilds the redactor of a running job, which masks the job's secrets in its reports and heartbeats. */
export async function redactorFor(tables: Tables, job: JobRow, context: PreparationContext): Promise<JobRedactor> {
  const claim = await claimOf(tables, job);
  const [prepared] = (await prepareAttempts(tables, [claim], context)) as [PreparedAttempt];
  return { prepared, redact: (text) => prepared.redact(maskPingKey(text, job.ping_key_hash, context.digests)) };
}

/** The claim of a running job, with the job's own app: its template may have another one since the job started. */
async function claimOf(tables: Tables, job: JobRow): Promise<Claim> {
  const template = await readById(tables, RunTemplate, job.runtemplate_id);
  const task = job.task_id === null ? null : await readById(tables, Task, job.task_id);
  return { job, task, template: { ...template, app_id: job.app_id } };
}

/** Masks the heartbeat key in a text. Only its hash is stored, so every word long enough to be one is hashed. */
function maskPingKey(text: string, hash: string | null, digests: Pick<Digests, 'sha256'>): string {
  if (hash === null) return text;
  return text.replace(/[\w-]{32,}/g, (word) => (digests.sha256(word) === hash ? mask : word));
}
