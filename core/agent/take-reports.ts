import { App } from '../app/app.ts';
import { HorariumError } from '../errors.ts';
import type { AgentExecutor } from '../executor/agent-executor.ts';
import { maxMessage } from '../executor/attempt-progress.ts';
import { outputStreams } from '../executor/executor.ts';
import { appendReportedOutput, outputLimits, type ReportedOutput } from '../external/reported-output.ts';
import { redactOrMask, redactorOf } from '../job/given-secrets.ts';
import { Job, type JobRow } from '../job/job.ts';
import type { Instant } from '../loop/clock.ts';
import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';
import { type DailyLimits, DailyUsage, lockUsage } from '../quota/daily-usage.ts';
import type { Redactor } from '../redaction/redactor.ts';
import type { LruCache } from '../registry/lru-cache.ts';
import { mayEncrypt } from '../secret/key-registry.ts';
import type { Vault } from '../secret/vault.ts';
import { readByIds, required } from '../store/rows.ts';
import type { Tables } from '../store/store.ts';
import { attemptOutcome } from '../worker/finish/attempt-outcome.ts';
import { type FinishedAttempt, finishJobs, lockToFinish } from '../worker/finish/finish-jobs.ts';
import { AgentLease, type AgentLeaseRow, deleteAgentLeases, lockAgentLeases } from './agent-lease.ts';
import type { AgentEvent, AttemptLeaseTimes, ReportedEvent, ReportOutcome } from './agent-report.ts';
import { MaskedStreams } from './masked-streams.ts';
import { type ArtifactProgress, addPiece, beginArtifact, endArtifact, unstoredText } from './reported-artifact.ts';

export interface ReportContext {
  readonly vault: Vault;
  readonly executors: ReadonlyMap<string, AgentExecutor>;
  readonly dailyLimits: DailyLimits;
  /** Null = reports change no lease. */
  readonly leases: AttemptLeaseTimes | null;
  /** By the hash of the attempt's key, because building one takes longer than redacting a report. */
  readonly redactors: LruCache<Redactor>;
}

/**
 * Stores reports of attempts on agents, each once and in the order of its attempt, however often and in whatever order they
 * come. The end of an attempt whose template another transaction has locked is `busy`, so that nothing waits for it.
 * @returns what became of each report, in their order.
 * @throws HorariumError `unavailable` where the vault may not encrypt what is kept back of the output.
 */
export async function takeReports(
  tables: Tables,
  reports: readonly ReportedEvent[],
  context: ReportContext,
): Promise<ReportOutcome[]> {
  const byJob = Map.groupBy(reports, ({ jobId }) => jobId);
  const read = await readByIds(tables, Job, [...byJob.keys()]);
  const ends = [...read.values()].filter(({ id }) => byJob.get(id)?.some(({ event }) => event.kind === 'ended'));
  const { ids: finishable, schedules } = await lockToFinish(tables, ends);
  const leases = await lockAgentLeases(tables, [...byJob.keys()]);
  // Read again under the locks.
  const jobs = await readByIds(tables, Job, [...leases.keys()]);
  const outcomes = new Map<ReportedEvent, ReportOutcome>();
  const finished: FinishedAttempt[] = [];
  for (const [id, own] of byJob) {
    await yieldToEventLoop();
    const lease = leases.get(id);
    const isCurrent = ({ agent, claim }: ReportedEvent) => lease?.agent === agent && lease.claim === claim;
    for (const report of own) if (!isCurrent(report)) outcomes.set(report, 'refused');
    if (!lease) continue;
    const current = own.filter(isCurrent).sort((one, other) => one.seq - other.seq);
    const attempt = new ReportedAttempt(tables, required(jobs.get(id), `Job ${id}`), lease, context);
    for (const report of current) {
      await yieldToEventLoop();
      const isReady = report.event.kind !== 'ended' || finishable.has(id);
      outcomes.set(report, isReady ? await attempt.take(report) : 'busy');
    }
    await attempt.write();
    if (attempt.end) finished.push(await attempt.finished(attempt.end));
  }
  await finishJobs(tables, finished, schedules);
  await deleteAgentLeases(
    tables,
    finished.map(({ jobId }) => jobId),
  );
  return reports.map((report) => required(outcomes.get(report), 'outcome of a report'));
}

/** An attempt whose reports are taken in by one transaction. */
class ReportedAttempt {
  /** The report of its end, if that was taken. */
  end: (ReportedEvent & { readonly event: Extract<AgentEvent, { kind: 'ended' }> }) | null = null;
  readonly #tables: Tables;
  readonly #job: JobRow;
  readonly #lease: AgentLeaseRow;
  readonly #context: ReportContext;
  readonly #executor: AgentExecutor;
  #reported: number;
  #endsAt: Instant;
  #streams: MaskedStreams | undefined;
  readonly #output: ReportedOutput[] = [];
  #artifact: ArtifactProgress;
  #columns: Partial<JobRow> = {};

  constructor(tables: Tables, job: JobRow, lease: AgentLeaseRow, context: ReportContext) {
    this.#tables = tables;
    this.#job = job;
    this.#lease = lease;
    this.#context = context;
    this.#executor = required(context.executors.get(job.executor), `executor ${job.executor}`);
    this.#reported = lease.reported;
    this.#endsAt = lease.ends_at;
    const { artifact_id, artifact_left, artifact_pieces, unstored, unstored_reason } = lease;
    this.#artifact = { artifact_id, artifact_left, artifact_pieces, unstored, unstored_reason };
  }

  async take(report: ReportedEvent): Promise<ReportOutcome> {
    if (report.seq <= this.#reported) return 'stored';
    // Nothing follows the end, also where one transaction takes both.
    if (this.end) return 'refused';
    if (report.seq > this.#reported + 1) return 'early';
    await this.#apply(report, report.event);
    this.#reported = report.seq;
    return 'stored';
  }

  async #apply(report: ReportedEvent, event: AgentEvent): Promise<void> {
    switch (event.kind) {
      case 'starting':
        this.#endsAt = this.#endAfterStart(report.at);
        break;
      case 'started':
        this.#columns = { ...this.#columns, pid: event.pid };
        break;
      case 'output':
        await this.#add(event);
        break;
      case 'progress': {
        const { progress, message } = event;
        const shown = message === null ? null : (await redactOrMask(this.#redactor, message)).slice(0, maxMessage);
        this.#columns = { ...this.#columns, heartbeat_at: await this.#tables.now(), progress, message: shown };
        break;
      }
      case 'file':
        this.#artifact = await beginArtifact(this.#tables, this.#artifact, event, {
          job: this.#job,
          redactor: this.#redactor,
          executor: this.#executor,
          dailyLimits: this.#context.dailyLimits,
        });
        break;
      case 'piece':
        this.#artifact = await addPiece(this.#tables, this.#artifact, event.bytes);
        break;
      case 'ended': {
        this.#artifact = await endArtifact(this.#tables, this.#artifact);
        const streams = await this.#masked();
        for (const stream of outputStreams) this.#output.push({ stream, data: streams.end(stream) });
        this.end = { ...report, event };
        break;
      }
    }
  }

  /** Returns when the lease ends. That of a claim, which no heartbeat has renewed, is longer than an attempt needs that its agent has. */
  #endAfterStart(at: Instant): Instant {
    const { leases } = this.#context;
    const { ends_at } = this.#lease;
    if (!leases || ends_at !== (this.#job.started_at ?? 0) + leases.claimed) return ends_at;
    return Math.min(ends_at, at + leases.shown);
  }

  async #add({ stream, bytes, cut }: Extract<AgentEvent, { kind: 'output' }>): Promise<void> {
    const streams = await this.#masked();
    if (cut) for (const each of outputStreams) this.#output.push({ stream: each, data: streams.cut(each) });
    this.#output.push({ stream, data: await streams.push(stream, bytes) });
  }

  async #masked(): Promise<MaskedStreams> {
    const kept = { vault: this.#context.vault, jobId: this.#job.id };
    this.#streams ??= await MaskedStreams.resume(this.#redactor, this.#lease.kept, kept);
    return this.#streams;
  }

  /** Null where the secrets of the attempt are not known. */
  get #redactor(): Redactor | null {
    const { redactors, vault } = this.#context;
    const attempt = this.#job.ping_key_hash ?? '';
    const redactor = redactors.get(attempt) ?? redactorOf(vault, this.#job);
    if (redactor) redactors.set(attempt, redactor);
    return redactor;
  }

  /** Writes what was taken, but for the end. */
  async write(): Promise<void> {
    if (this.#reported === this.#lease.reported) return;
    const output = await this.#writeOutput();
    const id = this.#job.id;
    if (Object.keys(this.#columns).length > 0) await this.#tables.of(Job).updateWhere([['id', '=', id]], this.#columns);
    if (this.end) return;
    const kept = this.#streams ? { kept: await this.#kept(this.#streams) } : {};
    const set = { reported: this.#reported, ends_at: this.#endsAt, ...output, ...this.#artifact, ...kept };
    await this.#tables.of(AgentLease).update([{ row: this.#lease, set }]);
  }

  /** Stores the output as far as the limits of the job and the daily ones of its company let it. */
  async #writeOutput(): Promise<Pick<AgentLeaseRow, 'output_size'>> {
    const { output_size } = this.#lease;
    if (this.#output.every(({ data }) => data.length === 0)) return { output_size };
    const { dailyLimits } = this.#context;
    const usage = await lockUsage(this.#tables, `company ${this.#job.company_id}`);
    const limits = outputLimits(this.#lease, this.#executor.limits.maxOutput, usage, dailyLimits);
    const { written, ...stored } = await appendReportedOutput(this.#tables, this.#lease, limits, this.#output);
    await this.#tables.of(DailyUsage).update([{ row: usage, set: { output: usage.output + written } }]);
    return stored;
  }

  async #kept(streams: MaskedStreams): Promise<string | null> {
    const { vault } = this.#context;
    if (!streams.keeps) return null;
    if (!(await mayEncrypt(this.#tables, vault)))
      throw new HorariumError('unavailable', 'The vault was rotated to a key that this host does not have.');
    return streams.kept({ vault, jobId: this.#job.id });
  }

  /** Returns its outcome, to be decided as that of an attempt that a worker of the service ran. */
  async finished({ event, at }: NonNullable<ReportedAttempt['end']>): Promise<FinishedAttempt> {
    const { exitCode, signal, timedOut, lost, peakMemory } = event;
    const reason = event.reason === null ? null : await redactOrMask(this.#redactor, event.reason);
    const [app] = await this.#tables.of(App).find({ where: [['id', '=', this.#job.app_id]], columns: ['exit_codes'] });
    const finishedAt = Math.min(at, await this.#tables.now());
    const result = { exitCode, signal, timedOut, lost, reason, finishedAt, files: [] };
    const outcome = attemptOutcome(result, app?.exit_codes ?? {}, null);
    const { id: jobId, runtemplate_id: templateId, worker, pid } = this.#job;
    const reasons = [outcome.reason, unstoredText(this.#artifact)].filter((each) => each !== null);
    return {
      ...outcome,
      reason: reasons.join('; ') || null,
      jobId,
      templateId,
      worker: worker ?? '',
      pid: this.#columns.pid ?? pid,
      exitCode,
      signal,
      peakMemory,
      finishedAt,
    };
  }
}
