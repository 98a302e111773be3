import type { AuditedStore } from '../audit/audited-store.ts';
import { notFound } from '../errors.ts';
import { Job, type JobRow } from '../job/job.ts';
import type { Instant } from '../loop/clock.ts';
import type { Actor } from '../resource/actor.ts';
import { trustedActor } from '../resource/actor.ts';
import type { Where } from '../store/query.ts';
import { readByIds } from '../store/rows.ts';
import type { Tables } from '../store/store.ts';
import { Task } from '../task/task.ts';
import type { RunTemplateRow } from '../template/run-template.ts';
import type { LoginThrottle } from '../user/login-throttle.ts';
import type { ExternalJobs } from './external-jobs.ts';
import { ExternalLease } from './external-lease.ts';
import type { PingAddresses } from './ping-addresses.ts';
import { type Report, readReport } from './report.ts';

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
export type PingEffect = 'recorded' | 'nothing_due';

interface PingsOptions {
  readonly store: AuditedStore;
  readonly externalJobs: ExternalJobs;
  readonly addresses: PingAddresses;
  readonly throttle: LoginThrottle;
}

/** How many waiting jobs of a template are looked at: with retries and overlap there are rarely two. */
const maxWaiting = 50;

/**
 * Records pings: each reports the attempt of its template that runs, or else claims the newest job that waits. A job that
 * waits for its delay or for a retry is not made to wait when the work was done already in its window.
 */
export class Pings {
  readonly addresses: PingAddresses;
  readonly #options: PingsOptions;

  constructor(options: PingsOptions) {
    this.addresses = options.addresses;
    this.#options = options;
  }

  /**
   * Records a ping for the template whose address has this secret.
   * @param origin is who asks; unknown secrets are counted like wrong passwords.
   * @param read reads the ping; it is called only for a known secret.
   * @throws HorariumError `not_found` for an unknown or revoked secret, `conflict` when the job cannot start or be reported,
   * TooManyRequests after too many unknown ones.
   */
  async record(origin: Actor, uuid: string, read: () => Promise<Ping>): Promise<PingEffect> {
    const template = await this.#admit(origin, uuid);
    const ping = await read();
    const actor = { ...trustedActor('ping', origin.channel), ip: origin.ip, requestId: origin.requestId };
    const report = await reportOf(ping);
    const running = await this.#runningJob(template, ping.runId ?? null);
    if (running !== null && ping.event !== 'start') return this.#report(actor, running, report);
    if (ping.event === 'log') return 'nothing_due';
    const waiting = await this.#waitingJob(template);
    return waiting === null ? 'nothing_due' : this.#claim(actor, waiting, ping, report);
  }

  /**
   * Only unknown secrets are slowed down: a UUID cannot be guessed, and a neighbour at the same address who tries must not keep
   * a report from the ledger.
   * @returns the template of the secret.
   */
  async #admit({ network }: Actor, uuid: string): Promise<RunTemplateRow> {
    const template = await this.addresses.find(uuid);
    if (template) return template;
    await this.#options.throttle.begin(`ping ${uuid}`, network ?? '');
    throw notFound('ping address', 'of this UUID');
  }

  async #report(actor: Actor, id: number, report: Report): Promise<PingEffect> {
    await this.#options.store.transaction(
      actor,
      (tables) => this.#options.externalJobs.reportIn(tables, actor, id, report),
      { beyondQuota: true },
    );
    return 'recorded';
  }

  /** Claims a job, and reports it in the same transaction where it has ended already. */
  async #claim(actor: Actor, id: number, ping: Ping, report: Report): Promise<PingEffect> {
    const { store, externalJobs } = this.#options;
    const run = (claim: (tables: Tables) => Promise<unknown>) =>
      store.transaction(
        actor,
        async (tables) => {
          await bringForward(tables, id);
          await claim(tables);
          await tables.of(ExternalLease).updateWhere([['job_id', '=', id]], { run_id: ping.runId ?? null });
          await externalJobs.reportIn(tables, actor, id, report);
        },
        { beyondQuota: true },
      );
    await externalJobs.claimWith(run, actor, id);
    return 'recorded';
  }

  /** Finds the attempt that a ping is about: that of its run, or else the newest whose run has no name. */
  #runningJob({ id }: RunTemplateRow, runId: string | null): Promise<number | null> {
    return this.#options.store.read(async (tables) => {
      const jobs = await tables.of(Job).find({
        where: [
          ['runtemplate_id', '=', id],
          ['state', '=', 'running'],
        ],
        columns: ['id'],
      });
      const leases = await tables
        .of(ExternalLease)
        .find({ where: [['job_id', 'in', jobs.map((job) => job.id)]], order: [['job_id', 'desc']] });
      const named = leases.find(({ run_id }) => runId !== null && run_id === runId);
      return (named ?? leases.find(({ run_id }) => runId === null || run_id === null))?.job_id ?? null;
    });
  }

  /** Finds the newest job that waits to be claimed and is due, or whose window has begun. */
  #waitingJob({ id, executor }: RunTemplateRow): Promise<number | null> {
    return this.#options.store.read(async (tables) => {
      const where: Where<JobRow> = [
        ['runtemplate_id', '=', id],
        ['state', '=', 'scheduled'],
        ['executor', '=', executor],
      ];
      const jobs = await tables.of(Job).find({
        where,
        order: [['scheduled_at', 'desc']],
        limit: maxWaiting,
        columns: ['id', 'scheduled_at', 'task_id'],
      });
      const tasks = await readByIds(
        tables,
        Task,
        jobs.flatMap(({ task_id }) => task_id ?? []),
      );
      const now: Instant = await tables.now();
      const job = jobs.find(({ scheduled_at, task_id }) => {
        const task = task_id === null ? undefined : tasks.get(task_id);
        return scheduled_at <= now || (task !== undefined && task.window_start <= now);
      });
      return job?.id ?? null;
    });
  }
}

/** Makes a job due that waits for its delay or for a retry. */
async function bringForward(tables: Tables, id: number): Promise<void> {
  const now = await tables.now();
  const [row] = await tables.of(Job).find({
    where: [
      ['id', '=', id],
      ['state', '=', 'scheduled'],
      ['scheduled_at', '>', now],
    ],
  });
  if (row) await tables.of(Job).update([{ row, set: { scheduled_at: now, queue_at: now } }]);
}

function reportOf({ event, exitCode = 0, output = '' }: Ping): Promise<Report> {
  return readReport({
    ...(output !== '' && { stdout: output.endsWith('\n') ? output : `${output}\n` }),
    ...(event === 'end' && { exit_code: exitCode }),
  });
}
