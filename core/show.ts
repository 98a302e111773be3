import { CompanyUser, type CompanyUserRow } from './company/company-user.ts';
import type { OutputStream } from './executor/executor.ts';
import { Artifact } from './job/artifact.ts';
import { Job, type JobRow } from './job/job.ts';
import { JobOutput } from './job/job-output.ts';
import type { AnyResource } from './resource/define-resource.ts';
import { serializeRow } from './resource/serialize-row.ts';
import { readByIds } from './store/read-by-ids.ts';
import type { Tables } from './store/store.ts';
import { Task } from './task/task.ts';
import { RunTemplate } from './template/run-template.ts';
import { Schedule } from './template/schedule.ts';
import { User } from './user/user.ts';

type Shown = Record<string, unknown>;
type Row = { readonly id: number };

/** How much of each stream a single job shows, in bytes. */
const shownOutput = 64 * 1024;

/** What is shown of records beside their own fields: where a template's schedule stands, who a member is. */
const beside: Readonly<
  Record<string, (tables: Tables, rows: readonly Row[], shown: readonly Shown[]) => Promise<void>>
> = {
  [RunTemplate.name]: addSchedules,
  [CompanyUser.name]: (tables, rows, shown) => addUsers(tables, rows as readonly CompanyUserRow[], shown),
};
/** The same for single items: the end of a job's output and the files it left, the attempts at a Task. */
const besideItem: typeof beside = { ...beside, [Job.name]: addJobDetails, [Task.name]: addAttempts };

/**
 * Rows as channels show them; what is there in which case is told by `fieldsBeside` and `embeddedIn`.
 * @param read gives the tables to read more from; it is not called where there is no need.
 */
export async function show(
  read: (work: (tables: Tables) => Promise<void>) => Promise<void>,
  resource: AnyResource,
  rows: readonly Row[],
  detail: 'item' | 'list',
): Promise<Shown[]> {
  const shown = rows.map((row) => serializeRow(resource, row));
  const add = (detail === 'item' ? besideItem : beside)[resource.name];
  if (add && rows.length > 0) await read((tables) => add(tables, rows, shown));
  return shown;
}

/** Of a member so much as is needed to know who it is. */
async function addUsers(tables: Tables, rows: readonly CompanyUserRow[], shown: readonly Shown[]): Promise<void> {
  const users = await readByIds(
    tables,
    User,
    rows.map((row) => row.user_id as number),
  );
  for (const [index, { user_id }] of rows.entries()) {
    const user = users.get(user_id as number);
    if (!user) continue;
    const { id, login, email, first_name, last_name } = user;
    Object.assign(shown[index] as Shown, { user: { id, login, email, first_name, last_name } });
  }
}

async function addSchedules(tables: Tables, rows: readonly Row[], shown: readonly Shown[]): Promise<void> {
  const ids = rows.map((row) => row.id);
  const schedules = await tables.of(Schedule).find({ where: [['runtemplate_id', 'in', ids]] });
  const byId = new Map(schedules.map((schedule) => [schedule.runtemplate_id, serializeRow(Schedule, schedule)]));
  for (const [index, row] of rows.entries()) {
    const schedule = byId.get(row.id);
    Object.assign(shown[index] as Shown, {
      last_scheduled_at: schedule?.['last_scheduled_at'] ?? null,
      next_scheduled_at: schedule?.['next_window'] ?? null,
      successful_jobs_count: schedule?.['successful_jobs_count'] ?? 0,
      failed_jobs_count: schedule?.['failed_jobs_count'] ?? 0,
    });
  }
}

/** All attempts at each Task, oldest first, as lists of jobs show them. */
async function addAttempts(tables: Tables, rows: readonly Row[], shown: readonly Shown[]): Promise<void> {
  const ids = rows.map((row) => row.id);
  const jobs = await tables.of(Job).find({ where: [['task_id', 'in', ids]], order: [['id', 'asc']] });
  const presented = jobs.map((job) => serializeRow(Job, job));
  for (const [index, { id }] of rows.entries())
    Object.assign(shown[index] as Shown, { jobs: presented.filter((_job, at) => jobs[at]?.task_id === id) });
}

async function addJobDetails(tables: Tables, rows: readonly Row[], shown: readonly Shown[]): Promise<void> {
  for (const [index, row] of rows.entries())
    Object.assign(shown[index] as Shown, await jobDetails(tables, row as JobRow));
}

async function jobDetails(tables: Tables, { id: jobId, started_at }: JobRow): Promise<Shown> {
  if (started_at === null) return { stdout: '', stderr: '', artifacts: [] };
  const artifacts = await tables.of(Artifact).find({ where: [['job_id', '=', jobId]], order: [['id', 'asc']] });
  return {
    stdout: await endOf(tables, jobId, 'stdout'),
    stderr: await endOf(tables, jobId, 'stderr'),
    artifacts: artifacts.map(({ id, filename, content_type, size, sha256 }) => ({
      id,
      filename,
      content_type,
      size,
      sha256,
    })),
  };
}

/** The end of what a job wrote, as text; bytes that are no UTF-8 become replacement characters. */
async function endOf(tables: Tables, jobId: number, stream: OutputStream): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for (let before = Number.MAX_SAFE_INTEGER; size < shownOutput; ) {
    const where = [
      ['job_id', '=', jobId],
      ['stream', '=', stream],
      ['seq', '<', before],
    ] as const;
    const [piece] = await tables.of(JobOutput).find({ where, order: [['seq', 'desc']], limit: 1 });
    if (!piece) break;
    parts.unshift(piece.data as Uint8Array);
    size += (piece.data as Uint8Array).length;
    before = piece.seq;
  }
  const decoder = new TextDecoder();
  const skipped = Math.max(0, size - shownOutput);
  const text = parts.map((part, index) =>
    decoder.decode(index === 0 ? afterCut(part, skipped) : part, { stream: true }),
  );
  return text.join('') + decoder.decode();
}

/** What follows those bytes, without the rest of a character that was cut through: three bytes at most. */
function afterCut(bytes: Uint8Array, skipped: number): Uint8Array {
  let from = skipped;
  while (skipped > 0 && from < skipped + 3 && ((bytes[from] ?? 0) & 0xc0) === 0x80) from += 1;
  return bytes.subarray(from);
}
