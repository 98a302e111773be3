import type { Instant, Milliseconds } from '@horarium/core';
import type { ClaimedAttempt } from '@horarium/core/plugin';
import { HostClock, type VirtualTime } from '../../clocks/virtual-time.ts';
import type { Random } from '../world/random.ts';
import { type Script, SimulatedExecutor } from '../world/simulated-executor.ts';
import { AgentAttempt } from './agent-attempt.ts';
import { AgentClaims } from './agent-claims.ts';
import type { Broker } from './broker.ts';
import type { AttemptRecord, FleetRecord } from './fleet-record.ts';
import { askInterval, beatInterval, hostsWait, lease, offlineGrace } from './fleet-times.ts';
import { AgentHeartbeats } from './heartbeats.ts';
import type { ToAgent } from './messages.ts';
import { Link, type Network } from './network.ts';
import type { AgentBug } from './planted-agent-bugs.ts';
import { ReportQueue } from './report-queue.ts';

const hour = 3_600_000;
/** The lines of what attempts leave. */
const lines = ['first\n', 'second\n', 'third\n'];

/** An agent as it was enrolled. */
export interface AgentSpec {
  readonly name: string;
  /** Its pools, each with the companies whose jobs it may run there; null = all of them. */
  readonly pools: ReadonlyMap<string, ReadonlySet<number> | null>;
  readonly labels: Readonly<Record<string, string>>;
  readonly slots: number;
}

export interface AgentOptions {
  readonly time: VirtualTime;
  readonly random: Random;
  readonly network: Network;
  readonly broker: Broker;
  readonly record: FleetRecord;
  readonly bug: AgentBug | null;
  /** Counts the processes of this agent. */
  readonly instance: number;
  /** The time of day that it shows minus the real time, which nothing goes by. */
  readonly clockAhead: Milliseconds;
  script(): Script;
  /** Called between two steps, where it may die, stand still, or lose the broker. */
  disturb(agent: SimulatedAgent): void;
}

/** A process that runs jobs without the database, and knows hosts by the messages of the broker alone. */
export class SimulatedAgent {
  readonly spec: AgentSpec;
  readonly link: Link;
  readonly clock: HostClock;
  readonly #options: AgentOptions;
  readonly #executor: SimulatedExecutor;
  readonly #claims: AgentClaims;
  readonly #heartbeats: AgentHeartbeats;
  /** By claim and job. */
  readonly #attempts = new Map<string, AgentAttempt>();
  /** What it has, in the order in which it got it. */
  readonly #records = new Set<AttemptRecord>();
  #hostsSeenAt: Milliseconds;
  /** When it last stopped its jobs because no host was there. */
  #leftAloneAt: Milliseconds = Number.NEGATIVE_INFINITY;
  #isAlive = true;
  #pausedUntil: Instant = 0;

  constructor(spec: AgentSpec, options: AgentOptions) {
    const { time, random, network, broker, record, bug, instance, clockAhead } = options;
    const { name, slots } = spec;
    this.spec = spec;
    this.#options = options;
    this.clock = new HostClock(time, clockAhead);
    const uptime = () => this.clock.uptime();
    this.#hostsSeenAt = uptime();
    this.link = new Link(network, { isAlive: () => this.#isAlive, pausedUntil: () => this.#pausedUntil });
    const { link } = this;
    const isShared = [...spec.pools.values()].some((companies) => companies === null);
    this.#executor = new SimulatedExecutor({
      time,
      random,
      host: `agent:${name}`,
      // An agent of one company leaves no slots to others.
      capacity: isShared ? slots : Infinity,
      runs: record.runs,
      script: () => options.script(),
    });
    this.#executor.keepAlive(0);
    this.#claims = new AgentClaims({
      agent: name,
      instance,
      bug,
      uptime,
      in: (duration, action) => link.in(duration, action),
      send: (ask) => link.send(() => broker.ask(ask)),
    });
    const running = () => [...this.#records].map(({ jobId, claim }) => ({ jobId, claim }));
    const content = () => ({ instance, slots, running: running() });
    const onRenewed = (left: Milliseconds) => this.#executor.keepAlive(bug === 'outlives its lease' ? hour : left);
    this.#heartbeats = new AgentHeartbeats({ agent: name, link, broker, uptime, content, onRenewed });
    broker.connectAgent({ name, pools: [...spec.pools.keys()], link, receive: (message) => this.#receive(message) });
    this.#beat();
    this.#poll();
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  /** How many attempts it has whose ends are not reported. */
  get attempts(): number {
    return this.#attempts.size;
  }

  /** Kills the process. What watches its jobs kills them at once, or when their lease has run out. */
  die(): void {
    if (!this.#isAlive) return;
    const { random, bug } = this.#options;
    this.#isAlive = false;
    this.#executor.resume();
    if (bug === 'outlives its lease' || random.chance(0.5)) this.#executor.kill('killed with the agent');
    for (const attempt of this.#records) attempt.hasDied = true;
  }

  pause(duration: Milliseconds): void {
    const { time } = this.#options;
    this.#pausedUntil = Math.max(this.#pausedUntil, time.now + duration);
    this.#executor.pause();
    time.at(this.#pausedUntil, () => {
      if (this.#isAlive && time.now >= this.#pausedUntil) this.#executor.resume();
    });
  }

  /** Lets it go on and reach the broker again. */
  recover(): void {
    this.#pausedUntil = 0;
    this.#executor.resume();
    this.link.cutOff(0);
  }

  #beat(): void {
    const { link } = this;
    void this.#heartbeats.beat();
    link.in(beatInterval, () => this.#beat());
    if (this.clock.uptime() <= this.#hostsSeenAt + offlineGrace) return;
    this.#leftAloneAt = this.clock.uptime();
    this.#executor.kill('killed: no host was there');
  }

  #poll(): void {
    const { random } = this.#options;
    this.#ask();
    this.link.in(askInterval * (0.8 + 0.4 * random.next()), () => this.#poll());
  }

  #ask(): void {
    const free = this.spec.slots - this.#attempts.size;
    const areHostsThere = this.clock.uptime() < this.#hostsSeenAt + hostsWait;
    if (free > 0 && areHostsThere && this.#heartbeats.left > lease / 2) this.#claims.ask(free);
  }

  #receive(message: ToAgent): void {
    switch (message.kind) {
      case 'hosts':
        this.#hostsSeenAt = this.clock.uptime();
        break;
      case 'work':
        this.#ask();
        break;
      case 'stop':
        this.#attempts.get(`${message.claim}/${message.jobId}`)?.stop(message.reason);
        break;
      case 'attempts':
        this.#options.disturb(this);
        this.link.whenAwake(() => this.#answered(message.id, message.attempts));
        break;
    }
  }

  #answered(id: string, attempts: readonly ClaimedAttempt[]): void {
    if (!this.#claims.answered(id)) return;
    for (const attempt of attempts) void this.#run(id, attempt);
    if (attempts.length > 0) void this.#heartbeats.beat();
  }

  async #run(claim: string, assigned: ClaimedAttempt): Promise<void> {
    const { time, random, broker, record: all, bug, disturb } = this.#options;
    const { link } = this;
    const begunAt = this.clock.uptime();
    const { jobId } = assigned;
    const { name: agent } = this.spec;
    const printed = { stdout: '', stderr: '' };
    const record: AttemptRecord = {
      agent,
      jobId,
      claim,
      printed,
      file: null,
      end: null,
      hasDied: false,
      isEndKept: false,
    };
    all.attempts.push(record);
    const reports = new ReportQueue({
      link,
      broker,
      attempt: { agent, jobId, claim },
      uptime: () => this.clock.uptime(),
    });
    const nextStep = () =>
      new Promise<void>((resolve) => {
        disturb(this);
        link.whenAwake(resolve);
      });
    const mayStart = () => this.#heartbeats.hasLastedSince(begunAt) && begunAt > this.#leftAloneAt;
    const refusal = () => (mayStart() ? null : 'the lease of its agent ran out before it was started');
    const attempt = new AgentAttempt({
      assigned,
      executor: this.#executor,
      reports,
      record,
      bug,
      file: lines.slice(0, random.integer(0, lines.length)).join(''),
      now: () => time.now,
      nextStep,
      refusal,
    });
    const key = `${claim}/${jobId}`;
    this.#attempts.set(key, attempt);
    this.#records.add(record);
    await attempt.run();
    record.isEndKept = this.#heartbeats.hasLastedSince(begunAt);
    await nextStep();
    this.#attempts.delete(key);
    this.#records.delete(record);
    this.#ask();
  }
}
