import {
  type ClockChange,
  type DeletedCounts,
  describeClockChange,
  describeFailedJob,
  describeUnmetTask,
  type EventLoopBlock,
  type FailedDelivery,
  type FailedJob,
  formatInstant,
  HorariumError,
  type SignInNote,
  type UnmetTask,
} from '@horarium/core';
import type { Logger } from 'pino';

/** Defines every line that the service itself logs, so that operators find here all that they can search for. */
export function logLines(log: Logger) {
  return {
    migrating: (migrations: number, advice: string | null) =>
      advice === null
        ? log.info({ migrations }, 'creating the tables of the database')
        : log.warn({ migrations }, advice),
    migrationProgress: (progress: string) => log.info(progress),
    migrated: (migrations: readonly string[]) => log.info({ migrations }, 'the database was migrated'),
    started: (details: { url: string; database: string; workers: number }) =>
      log.info(details, 'the service has started'),
    systemdNotNotified: (err: unknown) =>
      log.error({ err }, 'systemd cannot be notified that the service is ready, and goes on waiting for it'),
    jobsAsRoot: (warning: string) => log.warn(warning),
    ofPlugin: (plugin: string, sentence: string) => log.info({ plugin }, sentence),
    tickFailed: (tick: string, err: unknown, wait: number) =>
      log.error({ tick, ...failure(err), retry_in_ms: wait }, `the ${tick} failed; it tries again`),
    templateFailed: (runtemplate_id: number, err: unknown) =>
      log.error({ runtemplate_id, ...failure(err) }, 'a run template cannot be scheduled; it is tried again later'),
    maintenanceFailed: (maintenance_window_id: number, problem: string) =>
      log.error({ maintenance_window_id, problem }, 'a maintenance window cannot be planned; it is tried again later'),
    workerLost: (worker: string, jobs: number) =>
      jobs === 0
        ? log.info({ worker, jobs }, 'a worker is gone; it ran no jobs')
        : log.warn({ worker, jobs }, 'a worker died; the jobs it ran are marked as lost'),
    /**
     * Logs a lease that lapsed while no job ran for debugging only: a busy machine is enough, and the next lease begins
     * at once.
     */
    leaseLost: (job_ids: readonly number[]) =>
      job_ids.length === 0
        ? log.debug('the lease of this worker ran out while it ran no jobs; it takes a new one')
        : log.error({ job_ids }, 'this worker could not renew its lease in time; its jobs were abandoned'),
    /** Logs a clock that is ahead as an error, because an admin must decide whether it is right. */
    clockChanged: (change: ClockChange) => {
      const { kind, by, actor } = change;
      const level = kind === 'held' ? 'error' : kind === 'set_back' ? 'warn' : 'info';
      log[level]({ clock: kind, seconds: by / 1000, ...(actor !== null && { actor }) }, describeClockChange(change));
    },
    /** Names what blocked the event loop, or all that may have. */
    eventLoopBlocked: ({ duration, by, underWay }: EventLoopBlock) => {
      const culprit = by === null ? { under_way: underWay } : { by };
      log.warn({ event_loop_blocked_ms: Math.round(duration), ...culprit }, 'the event loop was blocked');
    },
    /** Its record says what was told to whom. */
    deliveryFailed: ({ id, action, endpoint, runtemplate_id, state }: FailedDelivery, reason: string) => {
      const details = { delivery_id: id, action, endpoint, runtemplate_id, reason };
      if (state === 'failed') log.error(details, 'a delivery failed for a day; it is tried no more');
      else log.warn(details, 'a delivery did not arrive; it is tried again for a day');
    },
    rowsExpired: (deleted: DeletedCounts) => log.info({ deleted }, 'retention deleted what is kept no longer'),
    auditArchived: (entries: number) => log.info({ entries }, 'old entries of the audit log were moved to the archive'),
    auditNotArchived: (err: unknown) =>
      log.error(
        { security: 'audit_not_archived', ...failure(err) },
        'the audit log is not archived; it is tried again in an hour',
      ),
    auditForged: (entry_ids: readonly number[]) =>
      log.error({ security: 'audit_forged', entry_ids }, 'entries of the audit log are forged; they are not sealed'),
    /** Logs each Task that is not fulfilled in time: a late one as a warning, because its work is done. */
    taskUnmet: (task: UnmetTask) => {
      const { id: task_id, runtemplate_id, company_id, state, reason, window_start } = task;
      const details = { task_id, runtemplate_id, company_id, state, reason, window_start: formatInstant(window_start) };
      log[state === 'fulfilled_late' ? 'warn' : 'error'](details, describeUnmetTask(task));
    },
    /** Logs each attempt that fails, also where a further one follows. */
    jobFailed: (job: FailedJob) => {
      const { id: job_id, task_id, runtemplate_id, company_id, attempt, state, exit_code, reason } = job;
      const details = { job_id, task_id, runtemplate_id, company_id, attempt, state, exit_code, reason };
      log.warn(details, describeFailedJob(job));
    },
    signedIn: (note: SignInNote) => log.info({ security: 'signed_in', ...originOf(note) }, 'a user signed in'),
    signInRefused: (note: SignInNote, code: string) =>
      log.warn({ security: 'sign_in_refused', code, ...originOf(note) }, 'a sign-in was refused'),
    auditHead: (seq: number, hash: string) => log.info({ seq, hash }, 'the audit log is sealed up to here'),
    /** @param sentence what is wrong with the certificate or its key. */
    tlsWarning: (sentence: string) => log.warn(sentence),
    tlsReloaded: () => log.info('the TLS certificate was reloaded'),
    tlsReloadFailed: (err: unknown) =>
      log.error(failure(err), 'the TLS certificate cannot be reloaded; the old one stays in use'),
    /** @param reason the signal, or why the service cannot go on. */
    draining: (reason: string, running: number, grace: number) =>
      log.info({ signal: reason, running, grace_ms: grace }, 'stopping: no new jobs; running ones may finish'),
    stopped: () => log.info('the service has stopped'),
  };
}

export type LogLines = ReturnType<typeof logLines>;

function originOf({ userId, channel, ip, requestId }: SignInNote) {
  return { user_id: userId, channel, ip, request_id: requestId };
}

/** Logs only the message of an expected error; a bug needs the stack. */
function failure(err: unknown): { readonly reason: string } | { readonly err: unknown } {
  return err instanceof HorariumError ? { reason: err.message } : { err };
}
