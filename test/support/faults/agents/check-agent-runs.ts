import { createHash } from 'node:crypto';
import type { JobRow, Store, Tables } from '@horarium/core';
import { Artifact, ArtifactContent } from '#core/job/artifact';
import { readOutputTail } from '#core/job/job-output';
import { type FinalState, type Findings, isoTime } from '../../simulation/invariants/findings.ts';
import type { AcknowledgedReport } from './acknowledged-reports.ts';
import { expectedFile, expectedOutput } from './agent-load.ts';
import type { RestartedProcess } from './restarted-process.ts';

/** Checks that each job that ended by itself has its whole output and its whole file. */
export async function checkLeft({ jobs }: FinalState, store: Store, findings: Findings): Promise<void> {
  for (const job of jobs.filter(hasEndedByItself)) {
    const check = (holds: boolean, what: string) =>
      findings.check(holds, () => `Job ${job.id} (${job.state}, ${job.worker}) ${what}`);
    const { output, files } = await store.transaction((tables) => readLeft(tables, job.id), { readOnly: true });
    const expected = expectedOutput(job.id);
    check(output === expected, `has ${output.length} characters of output in place of ${expected.length}.`);
    const file = expectedFile(job.id);
    check(files.length === 1, `has ${files.length} files.`);
    for (const { size, sha256, stored } of files) {
      check(size === file.size && sha256 === file.sha256, `has a file of ${size} bytes in place of ${file.size}.`);
      check(stored === file.sha256, 'has a file with another content.');
    }
  }
}

/** Whether its program came to its end, which it says by one of these exit codes. */
function hasEndedByItself({ state, exit_code }: JobRow): boolean {
  return state === 'succeeded' || (state === 'failed' && exit_code === 1);
}

async function readLeft(tables: Tables, job: number) {
  const output = await readOutputTail(tables, job, { stream: 'stdout', size: 1024 * 1024 });
  const files: { readonly size: number; readonly sha256: string; readonly stored: string }[] = [];
  for (const { id, size, sha256 } of await tables.of(Artifact).find({ where: [['job_id', '=', job]] })) {
    const pieces = await tables
      .of(ArtifactContent)
      .find({ where: [['artifact_id', '=', id]], order: [['seq', 'asc']] });
    const hash = createHash('sha256');
    for (const { content } of pieces) hash.update(content);
    files.push({ size, sha256, stored: hash.digest('hex') });
  }
  return { output, files };
}

/**
 * Checks that jobs were lost only with their agents: their process was killed while the job ran, or has said that it killed the
 * job because its lease ran out.
 */
export function checkLostOnAgents({ jobs }: FinalState, agents: readonly RestartedProcess[], findings: Findings): void {
  const byWorker = new Map(agents.map((agent) => [agent.name.replace(' ', ':'), agent]));
  for (const job of jobs.filter(({ state, started_at }) => state === 'lost' && started_at !== null)) {
    const [from, until] = [job.started_at as number, job.finished_at as number];
    const lifetimes = byWorker.get(job.worker ?? '')?.lifetimes ?? [];
    const wasKilled = lifetimes.some(({ to }) => to >= from && to <= until);
    const said = lifetimes.some(({ program }) =>
      program.log.some((line) => (line['job_ids'] as number[] | undefined)?.includes(job.id)),
    );
    // The process that watches the jobs of an agent has the same lease, and may be the first to see its end.
    const wasWatched = job.reason === "The worker's lease ran out.";
    findings.check(
      wasKilled || said || wasWatched || job.reason === 'its agent never started it',
      () => `Job ${job.id} was lost at ${isoTime(until)}, but ${job.worker} lived and had its lease: ${job.reason}`,
    );
  }
}

/** How long hosts may take in milliseconds between their look at what was reported and the loss of the job. */
const maxDecision = 3000;

/** Checks that what JetStream has acknowledged of the end of jobs is in the ledger. */
export function checkAcknowledgedEnds(
  { jobs }: FinalState,
  reports: readonly AcknowledgedReport[],
  findings: Findings,
): void {
  const byId = new Map(jobs.map((job) => [job.id, job]));
  for (const { agent, report, at } of reports) {
    const { event } = report;
    if (event.kind !== 'ended') continue;
    const job = byId.get(report.job);
    const check = (holds: boolean, what: string) =>
      findings.check(holds, () => `The end of job ${report.job} on ${agent}, acknowledged at ${isoTime(at)}, ${what}`);
    check(job?.finished_at != null, `is not in the ledger: it is ${job?.state}.`);
    if (job?.finished_at == null || event.lost || event.stopReason !== null) continue;
    if (job.state === 'lost')
      check(job.finished_at < at + maxDecision, `was dropped at ${isoTime(job.finished_at)}: ${job.reason}`);
    else
      check(job.exit_code === event.exitCode, `has the exit code ${event.exitCode}, but the ledger ${job.exit_code}.`);
  }
}
