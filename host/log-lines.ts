import { HorariumError, type SignInNote } from '@horarium/core';
import type { Logger } from 'pino';

/** Every line that the service itself logs; the words for operators to search for are all here. */
export function logLines(log: Logger) {
  return {
    migrated: (migrations: readonly string[]) => log.info({ migrations }, 'the database was migrated'),
    started: (details: { url: string; database: string; workers: number }) =>
      log.info(details, 'the service has started'),
    tickFailed: (tick: string, err: unknown, wait: number) =>
      log.error({ tick, ...cause(err), retry_in_ms: wait }, `the ${tick} failed; it tries again`),
    templateSkipped: (runtemplate_id: number, err: unknown) =>
      log.error({ runtemplate_id, ...cause(err) }, 'a run template cannot be scheduled; it is tried again later'),
    workerLost: (worker: string, jobs: number) =>
      log.warn({ worker, jobs }, 'a worker died; the jobs it ran are marked as lost'),
    leaseLost: (job_ids: readonly number[]) =>
      log.error({ job_ids }, 'this worker could not renew its lease in time; its jobs were given up'),
    signedIn: (note: SignInNote) => log.info({ security: 'signed_in', ...whence(note) }, 'a user signed in'),
    signInRefused: (note: SignInNote, code: string) =>
      log.warn({ security: 'sign_in_refused', code, ...whence(note) }, 'a sign-in was refused'),
    auditHead: (seq: number, hash: string) => log.info({ seq, hash }, 'the audit log is sealed up to here'),
    tlsRenewed: () => log.info('the TLS certificate was read anew'),
    tlsKept: (err: unknown) => log.error(cause(err), 'the TLS certificate cannot be renewed; the old one stays in use'),
    draining: (signal: string, running: number, grace: number) =>
      log.info({ signal, running, grace_ms: grace }, 'stopping: no new jobs; running ones may finish'),
    stopped: () => log.info('the service has stopped'),
  };
}

export type LogLines = ReturnType<typeof logLines>;

function whence({ userId, channel, ip, requestId }: SignInNote) {
  return { user_id: userId, channel, ip, request_id: requestId };
}

/** What is wrong outside the program is said in its sentence; a mistake of the program itself needs the stack. */
function cause(err: unknown): { readonly reason: string } | { readonly err: unknown } {
  return err instanceof HorariumError ? { reason: err.message } : { err };
}
