import {
  type Actor,
  HorariumError,
  Job,
  type PluginCore,
  type Report,
  RunTemplate,
  readReport,
  type Tables,
  Task,
  trustedActor,
} from '@horarium/core/plugin';
import { findTemplate } from './ping-addresses.ts';
import { PingRun } from './ping-fields.ts';

/** What a program elsewhere reports by a ping. */
export interface Ping {
  /** `end` ends an attempt with the exit code; `log` only adds to its output. */
  readonly event: 'start' | 'end' | 'log';
  /** 0 to 255. @default 0 */
  readonly exitCode?: number;
  /** Which of several runs at once it is about, a UUID. @default not said */
  readonly runId?: string | null;
  /** Added to the output of the job. @default none */
  readonly output?: string;
}

/** The effect of a ping; `nothing_due` = it was understood, but no job waits for it. */
type PingEffect = 'recorded' | 'nothing_due';

interface WaitingJob {
  readonly id: number;
  /** Whether it waits for its delay or for a retry. */
  readonly isEarly: boolean;
}

/** How many waiting jobs of a template are looked at: with retries and overlap there are rarely two. */
const maxWaiting = 50;

const beyondQuota = { beyondQuota: true };

/**
 * Records a ping for the template whose address has this secret: it reports the attempt that runs, or else claims the newest
 * job that waits. A job that waits for its delay or for a retry is not made to wait when the work was done already in its
 * window.
 * @param origin is who asks; unknown secrets are counted like wrong passwords.
 * @param read reads the ping; it is called only for a known secret.
 * @throws HorariumError `not_found` for an unknown or revoked secret, `conflict` when the job cannot start or be reported,
 * TooManyRequests after too many unknown ones.
 */
export async function recordPing(
  core: PluginCore,
  origin: Actor,
  uuid: string,
  read: () => Promise<Ping>,
): Promise<PingEffect> {
  const template = await admit(core, origin, uuid);
  const ping = await read();
  const actor = { ...trustedActor('ping', origin.channel), ip: origin.ip, requestId: origin.requestId };
  const report = await reportOf(ping);
  const running = await findRunning(core, template, ping.runId ?? null);
  if (running !== null && ping.event !== 'start') {
    const record = (tables: Tables) => core.externalJobs.reportIn(tables, actor, running, report);
    await core.store.transaction(actor, record, beyondQuota);
    return 'recorded';
  }
  const waiting = ping.event === 'log' ? null : await findWaiting(core, template);
  if (waiting === null) return 'nothing_due';
  await claim(core, actor, waiting, ping, report);
  return 'recorded';
}

/**
 * Only unknown secrets are slowed down: a UUID cannot be guessed, and a neighbour at the same address who tries must not keep
 * a report from the ledger.
 * @returns the id of the template of the secret.
 */
async function admit(core: PluginCore, origin: Actor, uuid: string): Promise<number> {
  const template = await findTemplate(core, uuid);
  if (template !== undefined) return template;
  await core.forChannels.countUnknownSecret(origin, `ping ${uuid}`);
  throw new HorariumError('not_found', 'There is no ping address of this UUID.');
}

/** Claims a job, and reports it in the same transaction where it has ended already. */
async function claim(core: PluginCore, actor: Actor, { id, isEarly }: WaitingJob, { runId }: Ping, report: Report) {
  const { store, jobs, externalJobs } = core;
  const run = (claimIn: (tables: Tables) => Promise<unknown>) =>
    store.transaction(
      actor,
      async (tables) => {
        if (isEarly) await jobs.changeIn(tables, actor, id, { scheduled_at: 'now' });
        await claimIn(tables);
        if (typeof runId === 'string') await tables.of(PingRun).insert([{ record_id: id, run_id: runId }]);
        await externalJobs.reportIn(tables, actor, id, report);
      },
      beyondQuota,
    );
  await externalJobs.claimWith(run, actor, id);
}

/** Finds the attempt that a ping is about: that of its run, or else the newest whose run has no name. */
function findRunning({ store, externalJobs }: PluginCore, template: number, runId: string | null) {
  return store.read(async (tables): Promise<number | null> => {
    const jobs = await tables.of(Job).find({
      where: [
        ['runtemplate_id', '=', template],
        ['state', '=', 'running'],
      ],
      order: [['id', 'desc']],
      columns: ['id', 'executor'],
    });
    const ids = jobs.filter(({ executor }) => externalJobs.isExternal(executor)).map(({ id }) => id);
    const runs = await tables.of(PingRun).find({ where: [['record_id', 'in', ids]] });
    const named = runs.find(({ run_id }) => run_id === runId)?.record_id;
    const others = runId === null ? ids : ids.filter((id) => !runs.some(({ record_id }) => record_id === id));
    return named ?? others[0] ?? null;
  });
}

/** Finds the newest job that waits to be claimed and is due, or whose window has begun. */
function findWaiting({ store }: PluginCore, template: number) {
  return store.read(async (tables): Promise<WaitingJob | null> => {
    const [{ executor } = { executor: '' }] = await tables
      .of(RunTemplate)
      .find({ where: [['id', '=', template]], columns: ['executor'] });
    const jobs = await tables.of(Job).find({
      where: [
        ['runtemplate_id', '=', template],
        ['state', '=', 'scheduled'],
        ['executor', '=', executor],
      ],
      order: [['scheduled_at', 'desc']],
      limit: maxWaiting,
      columns: ['id', 'scheduled_at', 'task_id'],
    });
    const tasks = await tables.of(Task).find({ where: [['id', 'in', jobs.flatMap(({ task_id }) => task_id ?? [])]] });
    const now = await tables.now();
    const begun = new Set(tasks.filter(({ window_start }) => window_start <= now).map(({ id }) => id));
    const job = jobs.find(({ scheduled_at, task_id }) => scheduled_at <= now || begun.has(task_id ?? 0));
    return job ? { id: job.id, isEarly: job.scheduled_at > now } : null;
  });
}

function reportOf({ event, exitCode = 0, output = '' }: Ping): Promise<Report> {
  return readReport({
    ...(output !== '' && { stdout: output.endsWith('\n') ? output : `${output}\n` }),
    ...(event === 'end' && { exit_code: exitCode }),
  });
}
