import type { Logger } from 'pino';
import type { AgentEvents } from '../../plugins/fleet-nats/agent/agent-events.ts';
import { logLines } from '../log-lines.ts';

/** Defines every line that an agent itself logs. */
export function agentLogLines(log: Logger) {
  const { ofPlugin, systemdNotNotified, tickFailed, draining } = logLines(log);
  const events: AgentEvents = {
    joined: () => log.info('a host has accepted the agent: it has joined'),
    hostsAway: (running) =>
      log.warn({ running }, 'no host gives a sign of life: nothing is claimed, and running jobs go on'),
    hostsBack: () => log.info('the hosts are back'),
    leaseLost: (job_ids) => log.error({ job_ids }, 'no heartbeat was stored in time; the jobs were killed'),
    offlineTooLong: (duration, job_ids) =>
      log.error({ job_ids, offline_grace_ms: duration }, 'no host gave a sign of life in time; the jobs were stopped'),
    heartbeatFailed: (reason) => log.warn({ reason }, 'a heartbeat was not stored; the next one follows'),
    reportFailed: (reason) => log.warn({ reason }, 'a report of a job was not stored; it is tried again'),
    claimRefused: (reason) => log.warn({ reason }, 'a host refuses to assign jobs'),
    credentialExpires: (remaining) =>
      log.warn(
        { expires_in_s: Math.floor(remaining / 1000) },
        'the credential of this agent expires: an admin renews it (agent:enroll --renew)',
      ),
    messageDropped: (reason) => log.warn({ reason }, 'a message was dropped'),
    replaced: (job_ids) =>
      log.error(
        { job_ids },
        'another process with the credential of this agent has taken over: this one has killed its jobs, and runs nothing until it is started again; each machine needs a credential of its own',
      ),
    drained: () => log.info('a host drains this agent: it claims no further jobs'),
    undrained: () => log.info('a host has ended the drain of this agent: it claims jobs again'),
    jobStarted: ({ job, executor, template, company }) =>
      log.info(
        { job_id: job, executor, company, ...(template !== undefined && { runtemplate_id: Number(template) }) },
        'a job starts',
      ),
    jobEnded: ({ job, exitCode, signal, timedOut, lost, stopReason }) =>
      log.info(
        { job_id: job, exit_code: exitCode, signal, timed_out: timedOut, lost, stop_reason: stopReason },
        'a job has ended',
      ),
    tickFailed,
  };
  return {
    ...events,
    ofPlugin,
    systemdNotNotified,
    draining,
    started: (details: { agent: string; pools: readonly string[]; slots: number; executors: readonly string[] }) =>
      log.info(details, 'the agent has started, and waits for a host to accept it'),
    unreported: (jobs: number) =>
      log.error({ jobs }, 'jobs were stopped whose ends could not be reported; the hosts call them lost'),
    stopped: () => log.info('the agent has stopped'),
  };
}
