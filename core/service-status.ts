import { type BusyAgent, listUnservedPools, readBusyAgents, serializeAgent } from './agent/agent-status.ts';
import { readAuditHead } from './audit/chain.ts';
import { Company } from './company/company.ts';
import { Job, type JobRow } from './job/job.ts';
import { type JobState, jobStates } from './job/job-states.ts';
import type { Clock, Instant, Milliseconds } from './loop/clock.ts';
import type { Loop } from './loop/loop.ts';
import { yieldToEventLoop } from './loop/yield-to-event-loop.ts';
import { visibleTo } from './resource/access.ts';
import { type Actor, trustedActor } from './resource/actor.ts';
import type { AnyResource } from './resource/define-resource.ts';
import { isAdmin } from './resource/permissions.ts';
import { serializeRow } from './resource/serialize-row.ts';
import { mostOverdueWindow } from './scheduler/overdue-window.ts';
import { describeClockChange, readClockState, repeatedTime, shownClock } from './service-time/clock-state.ts';
import type { Where } from './store/query.ts';
import { readByIds } from './store/rows.ts';
import type { Store, Tables } from './store/store.ts';
import { type SummaryContext, summarize } from './summary/summarize.ts';
import type { Summary } from './summary/summary.ts';
import { Task, type TaskRow, type TaskState, taskEndStates } from './task/task.ts';
import { day } from './time/duration.ts';
import { formatInstant } from './time/instant.ts';
import { WorkerLease } from './worker/lease/worker-lease.ts';
import { countRunning } from './worker/running-counts.ts';

export interface ServiceStatusOptions {
  readonly version: string;
  readonly store: Store;
  readonly clock: Clock;
  readonly resources: readonly AnyResource[];
  readonly summary: SummaryContext;
  /** Whether a loaded plugin lets agents run jobs. */
  readonly hasAgents: boolean;
}

/** Figures of the whole service, for monitoring. */
export interface ServiceFigures {
  /** The summary of today in all companies, counted every so often. */
  readonly summary: SummaryFigures;
  /** The number of Tasks in each state, for each company and, where it was asked for, each template. */
  readonly tasks: readonly TaskCount[];
  /** The number of all jobs in each state. */
  readonly jobs: Readonly<Record<JobState, number>>;
  /** For how many seconds the most overdue window has been waiting for its Task. */
  readonly lagSeconds: number;
  /** The number of jobs that a worker could start now. */
  readonly due: number;
  readonly workers: number;
  /** How many jobs all workers together can run at once. */
  readonly capacity: number;
  /** The agents that are alive, by their names; null = no plugin lets agents run jobs, and none ever has. */
  readonly agents: readonly AgentFigures[] | null;
  /** For how many seconds the store's clock is ahead of the time of the service, until it is confirmed. */
  readonly clockHeldSeconds: number;
  /** For how many seconds a clock that was set back shows time that it has shown before. */
  readonly clockRepeatsSeconds: number;
  /** How often the store's clock was stepped, ahead or back. */
  readonly clockSteps: number;
}

/** How busy an agent is. */
export interface AgentFigures {
  readonly agent: string;
  /** How many jobs it runs at once; 0 = it takes no further ones. */
  readonly slots: number;
  readonly running: number;
}

/** The numbers of a summary. */
export type SummaryFigures = Pick<
  Summary,
  'ok' | 'on_time' | 'late' | 'failed' | 'missed' | 'cancelled' | 'overdue' | 'will_be_late' | 'will_not_run' | 'paused'
>;

/** How many Tasks are in a state: those that have not ended, and those that ended in the last 24 hours. */
export interface TaskCount {
  /** The code of the company. */
  readonly company: string;
  /** The id of the template; null = those of all templates of the company. */
  readonly template: number | null;
  readonly state: TaskState;
  readonly count: number;
}

export interface FigureOptions {
  /** Whether Tasks are counted for each template. @default false */
  readonly byTemplate?: boolean;
}

/** Whether the service should be given work. */
export interface Readiness {
  readonly ready: boolean;
  /** A sentence that names what is wrong; null = nothing is. */
  readonly reason: string | null;
}

const everyone = trustedActor('metrics');

/** What a service that was told to stop answers. */
export const stopping: Readiness = { ready: false, reason: 'The service is stopping.' };

/** The number at which counting for people stops: beyond it the exact number is not worth its cost. */
const maxCounted = 10_000;
/** How many workers, and how many agents, are listed. */
const maxWorkers = 1000;
/** The time for which a count of all jobs by state is reused, because counting takes longer the more jobs there are. */
const countLifetime: Milliseconds = 30_000;
/** A store that does not answer within this time counts as unavailable. */
const answerTimeout: Milliseconds = 2000;

/** Reports the state of the service to people, to monitoring and to load balancers. */
export class ServiceStatus {
  readonly #options: ServiceStatusOptions;
  readonly #startedAt: Milliseconds;
  /** By whether they were counted for each template. */
  readonly #countedTasks = new Map<boolean, { readonly counts: readonly TaskCount[]; readonly at: Milliseconds }>();
  #summary: { readonly read: Summary; readonly at: Milliseconds } | null = null;
  #countedJobs: { readonly byState: ServiceFigures['jobs']; readonly at: Milliseconds } | null = null;

  constructor(options: ServiceStatusOptions) {
    this.#options = options;
    this.#startedAt = options.clock.elapsed();
  }

  /**
   * Returns the status for an actor: the lag of the scheduler, the queue, and counts of the records that the actor may see.
   * Admins also see the workers, the agents with the pools that none of them serves, and the head of the audit chain.
   */
  of(actor: Actor): Promise<Readonly<Record<string, unknown>>> {
    const { version, store, clock } = this.#options;
    const uptime = Math.floor((clock.elapsed() - this.#startedAt) / 1000);
    return this.#read(async (tables) => {
      const countJobs = (where: Where<JobRow>) =>
        tables.of(Job).count([...where, ...visibleTo(actor, Job)], maxCounted);
      const now = await tables.now();
      return {
        version,
        uptime,
        time: formatInstant(now),
        database: store.kind,
        ...(isAdmin(actor) && { workers: await listWorkers(tables), ...(await this.#agentStatus(tables, now)) }),
        scheduler: { lag_seconds: await lagSeconds(tables), ...shownClock(await readClockState(tables), now) },
        queue: { due: await countJobs(await dueJobs(tables)), running: await countJobs([['state', '=', 'running']]) },
        counts: await this.#countRecords(tables, actor),
        ...(isAdmin(actor) && { audit_head: await readAuditHead(tables) }),
      };
    });
  }

  /** Returns the figures of the whole service. They name no record, so they need no actor. */
  figures({ byTemplate = false }: FigureOptions = {}): Promise<ServiceFigures> {
    return this.#read(async (tables) => {
      const workers = await tables.of(WorkerLease).find({ columns: ['capacity'] });
      const clock = await readClockState(tables);
      return {
        jobs: await this.#countJobsByState(tables),
        tasks: await this.#countTasks(tables, byTemplate),
        summary: await this.#summarize(tables),
        lagSeconds: await lagSeconds(tables),
        due: await tables.of(Job).count(await dueJobs(tables)),
        workers: workers.length,
        capacity: workers.reduce((sum, { capacity }) => sum + capacity, 0),
        agents: (await this.#agents(tables, await tables.now()))?.map(agentFigures) ?? null,
        clockHeldSeconds: clock.held / 1000,
        clockRepeatsSeconds: repeatedTime(clock, await tables.now()) / 1000,
        clockSteps: clock.steps,
      };
    });
  }

  /**
   * Whether the store answers within the timeout, no jump of its clock is held, and no background work fails or hangs. Why
   * it fails is in the log alone, because the error may name what is internal.
   * @param failing names the background work that fails, as it does while the disk of the store is full.
   * @param hanging names that which does not end, as while another program holds a lock in the store.
   */
  async readiness({ failing, hanging }: Pick<Loop, 'failing' | 'hanging'>): Promise<Readiness> {
    const { store, clock } = this.#options;
    const timeout = new AbortController();
    const read = async (tables: Tables) => ({ state: await readClockState(tables), now: await tables.now() });
    const answer = store.transaction(read, { readOnly: true }).catch(() => null);
    const expiry = clock.sleep(answerTimeout, timeout.signal).then(() => null);
    const found = await Promise.race([answer, expiry]);
    timeout.abort();
    if (!found) return { ready: false, reason: 'The database does not answer.' };
    if (failing.length > 0)
      return { ready: false, reason: `Background work fails: ${failing.join(', ')}. The log tells why.` };
    if (hanging.length > 0)
      return { ready: false, reason: `Background work does not end: ${hanging.join(', ')}. The store may be locked.` };
    const { state, now } = found;
    const isSteady = state.held === 0 && repeatedTime(state, now) === 0;
    return { ready: state.held === 0, reason: isSteady || !state.last ? null : describeClockChange(state.last) };
  }

  /** Reads the agents that are alive; null where nothing of agents is to be shown. */
  async #agents(tables: Tables, now: Instant): Promise<BusyAgent[] | null> {
    return (await readBusyAgents(tables, now)) ?? (this.#options.hasAgents ? [] : null);
  }

  async #agentStatus(tables: Tables, now: Instant) {
    const agents = await this.#agents(tables, now);
    if (agents === null) return null;
    const unserved_pools = await listUnservedPools(tables, agents, now);
    return { agents: agents.slice(0, maxWorkers).map(serializeAgent), unserved_pools };
  }

  #read<T>(work: (tables: Tables) => Promise<T>): Promise<T> {
    return this.#options.store.transaction(work, { readOnly: true });
  }

  /** Counts the records that the actor may see, of each resource with a list of its own. */
  async #countRecords(tables: Tables, actor: Actor): Promise<Record<string, number>> {
    const counts: Record<string, number> = {};
    for (const resource of this.#options.resources) {
      await yieldToEventLoop();
      if (resource.audited && resource.operations.includes('list') && !resource.nested)
        counts[resource.names.plural] = await tables.of(resource).count(visibleTo(actor, resource), maxCounted);
    }
    return counts;
  }

  async #summarize(tables: Tables): Promise<Summary> {
    const now = this.#options.clock.elapsed();
    if (!this.#summary || this.#summary.at < now - countLifetime)
      this.#summary = { read: await summarize(tables, everyone, {}, this.#options.summary), at: now };
    return this.#summary.read;
  }

  async #countTasks(tables: Tables, byTemplate: boolean): Promise<readonly TaskCount[]> {
    const now = this.#options.clock.elapsed();
    const known = this.#countedTasks.get(byTemplate);
    if (known && known.at >= now - countLifetime) return known.counts;
    const counts = await countTasks(tables, byTemplate);
    this.#countedTasks.set(byTemplate, { counts, at: now });
    return counts;
  }

  async #countJobsByState(tables: Tables): Promise<ServiceFigures['jobs']> {
    const now = this.#options.clock.elapsed();
    if (!this.#countedJobs || this.#countedJobs.at < now - countLifetime) {
      const counts = new Map((await tables.of(Job).countBy(['state'])).map(({ values, count }) => [values[0], count]));
      const byState = Object.fromEntries(jobStates.map((state) => [state, counts.get(state) ?? 0]));
      this.#countedJobs = { byState: byState as ServiceFigures['jobs'], at: now };
    }
    return this.#countedJobs.byState;
  }
}

async function countTasks(tables: Tables, byTemplate: boolean): Promise<TaskCount[]> {
  const ended: Where<TaskRow> = [
    ['state', 'in', taskEndStates],
    ['ended_at', '>', (await tables.now()) - day],
  ];
  const unended: Where<TaskRow> = [['state', 'in', ['open', 'running']]];
  const table = tables.of(Task);
  const count = async (where: Where<TaskRow>) =>
    byTemplate
      ? table.countBy(['company_id', 'state', 'runtemplate_id'], where)
      : (await table.countBy(['company_id', 'state'], where)).map(({ values, count }) => ({
          values: [...values, null] as const,
          count,
        }));
  const counted = [...(await count(unended)), ...(await count(ended))];
  const ids = counted.map(({ values: [company] }) => company);
  const companies = await readByIds(tables, Company, ids, ['id', 'code']);
  return counted.map(({ values: [company, state, template], count }) => ({
    company: companies.get(company)?.code ?? String(company),
    template,
    state,
    count,
  }));
}

function agentFigures({ presence: { agent, slots }, running }: BusyAgent): AgentFigures {
  return { agent, slots, running };
}

async function listWorkers(tables: Tables): Promise<Readonly<Record<string, unknown>>[]> {
  const workers = await tables.of(WorkerLease).find({ order: [['name', 'asc']], limit: maxWorkers });
  const running = await countRunning(
    tables,
    workers.map(({ name }) => name),
  );
  return workers.map((worker) => ({
    ...serializeRow(WorkerLease, worker),
    used_slots: running.get(worker.name) ?? 0,
  }));
}

/** Returns the condition for the jobs that are due and not blocked: blocked ones have no `queue_at`. */
async function dueJobs(tables: Tables): Promise<Where<JobRow>> {
  return [
    ['state', '=', 'scheduled'],
    ['queue_at', '<=', await tables.now()],
  ];
}

/** Returns for how many seconds the most overdue window has been waiting for its Task. */
async function lagSeconds(tables: Tables): Promise<number> {
  const since = await mostOverdueWindow(tables);
  return since === null ? 0 : ((await tables.now()) - since) / 1000;
}
