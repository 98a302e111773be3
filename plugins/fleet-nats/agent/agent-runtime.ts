import { randomUUID } from 'node:crypto';
import { type Clock, type Executor, Loop, type Milliseconds } from '@horarium/core/plugin';
import type { AgentHeartbeat, AgentOrder, AssignedAttempt, AttemptsAnswer } from '../wire/messages/messages.ts';
import { protocol } from '../wire/messages/protocol.ts';
import { AgentAttempt } from './agent-attempt.ts';
import { type AgentEvents, onceAMinute } from './agent-events.ts';
import { AgentLease } from './agent-lease.ts';
import { answerLimit, Claims } from './claims.ts';
import type { HostLink } from './host-link.ts';
import { HostsWatch } from './hosts-watch.ts';
import { within } from './within.ts';

export interface AgentRuntimeOptions {
  readonly link: HostLink;
  /** The executors that start attempts on this machine, by name. */
  readonly executors: ReadonlyMap<string, Executor>;
  /** Its uptime goes on while the machine is suspended. */
  readonly clock: Clock;
  /** How many attempts run at once. */
  readonly slots: number;
  readonly labels: Readonly<Record<string, string>>;
  /** The version of the software. */
  readonly version: string;
  readonly events: AgentEvents;
  /** Returns a number from 0 up to, but not including, 1. @default Math.random */
  readonly random?: () => number;
}

/** How often an agent with a free slot asks for attempts, because what tells of work may be lost; each time a fifth more or less. */
const claimInterval: Milliseconds = 5000;
/** How soon the next heartbeat follows one that was not stored. */
const beatRepetition: Milliseconds = 500;
/** The shortest time between two heartbeats, because claims may follow each other fast. */
const minHeartbeatWait: Milliseconds = 250;
/** The longest time between two looks at the lease, because a timer fires late on a machine that was suspended. */
const watchInterval: Milliseconds = 1000;
const minWatchWait: Milliseconds = 10;
/** How long attempts that were stopped may take to end and to be reported before the agent shuts down without. */
const stopLimit: Milliseconds = 30_000;
/** How long the last heartbeat of an agent that shuts down may take. */
const farewellLimit: Milliseconds = 2000;

/**
 * Runs the attempts that hosts assign to an agent. What a message cannot promise, the lease does: an agent whose heartbeats are not
 * stored kills what it runs, because another machine may have it.
 */
export class AgentRuntime {
  /** Resolves with a sentence when the agent can do nothing any more: it was revoked, or refused for good. */
  readonly over: Promise<string>;
  readonly #options: AgentRuntimeOptions;
  readonly #events: AgentEvents;
  readonly #instance = randomUUID();
  readonly #closing = new AbortController();
  readonly #over = Promise.withResolvers<string>();
  /** What runs or is not reported yet, by claim and job. */
  readonly #attempts = new Map<string, AgentAttempt>();
  readonly #lease: AgentLease;
  readonly #hosts: HostsWatch;
  readonly #claims: Claims;
  readonly #loop: Loop;
  readonly #claimTicker = { name: 'claims', tick: () => this.#claim() };
  readonly #heartbeatTicker = { name: 'heartbeats', tick: async () => this.#beat(), debounce: minHeartbeatWait };
  readonly #watchTicker = { name: 'lease guard', tick: async () => this.#watch() };
  /** Whether hosts asked it to claim no further jobs. */
  #isDrained = false;
  /** Whether it claims none until it ends. */
  #isEnding = false;
  /** Whether nothing follows its heartbeat. */
  #isStopped = false;
  #isRevoked = false;
  /** Whether another process is the agent. */
  #isReplaced = false;
  /** Why hosts refuse its claims for good; null = they do not. */
  #refusal: string | null = null;
  #hostsWereAway = false;
  #wantsWork = false;
  /** Whether a heartbeat follows soon, because one was not stored. */
  #repeatsBeat = false;
  /** Resolve the promises of those who wait until no attempt is left. */
  readonly #idleWaits: (() => void)[] = [];

  constructor(options: AgentRuntimeOptions) {
    const { link, clock, events } = options;
    const closing = this.#closing.signal;
    this.#options = options;
    this.#events = onceAMinute(clock, events);
    this.over = this.#over.promise;
    this.#lease = new AgentLease(clock);
    this.#hosts = new HostsWatch(clock);
    const onWrongAnswer = this.#events.messageDropped;
    this.#claims = new Claims({ link, clock, closing, onWrongAnswer, accept: (answer) => this.#accept(answer) });
    const tickers = [this.#claimTicker, this.#heartbeatTicker, this.#watchTicker];
    this.#loop = new Loop({ clock, tickers, onError: this.#events.tickFailed });
  }

  /** Begins to send heartbeats and to claim attempts. */
  start(): void {
    this.#options.link.listen({
      work: () => this.#loop.wake(this.#claimTicker),
      order: (order) => this.#obey(order),
      hostsAlive: () => this.#hostsSeen(),
      dropped: this.#events.messageDropped,
    });
    this.#loop.start();
  }

  /** How many attempts run or are not reported yet. */
  get running(): number {
    return this.#attempts.size;
  }

  /**
   * Claims no further attempts and waits for those that it has for the grace period, then stops them, and says that it ends.
   * @returns how many were not reported in time; the hosts call them lost.
   */
  async drain(grace: Milliseconds): Promise<number> {
    this.#stopClaiming();
    await this.#untilIdle(grace);
    this.#stopAll('the agent was shut down');
    await this.#untilIdle(stopLimit);
    await this.#sayFarewell();
    return this.running;
  }

  /** Kills what still runs and publishes nothing any more. */
  async close(): Promise<void> {
    this.#closing.abort('closed');
    this.#kill('the agent was shut down');
    await this.#loop.stop();
  }

  /** Whether attempts may start at this moment. Those that were abandoned must have ended, because a longer lease would keep them alive too. */
  get #mayStart(): boolean {
    const isDying = [...this.#attempts.values()].some((attempt) => attempt.isDying);
    return this.#lease.holds && !isDying && !(this.#isRevoked || this.#isReplaced || this.#closing.signal.aborted);
  }

  get #isDraining(): boolean {
    return this.#isDrained || this.#isEnding;
  }

  get #freeSlots(): number {
    return this.#isDraining ? 0 : this.#options.slots - this.#attempts.size;
  }

  get #mayClaim(): boolean {
    return this.#mayStart && !this.#hosts.areAway && this.#freeSlots > 0;
  }

  async #claim(): Promise<Milliseconds> {
    const mayName = this.#claims.hasAbandoned && !this.#hosts.areAway && this.#refusal === null;
    if (this.#mayClaim || mayName) {
      const answer = await this.#claims.claim(this.#mayClaim ? this.#freeSlots : 0);
      if (answer !== null) this.#hostsSeen();
      if (answer?.kind === 'refused') this.#refused(answer.reason, answer.final);
      this.#changed();
      if (answer?.kind === 'attempts' && answer.attempts.length > 0 && answer.more && this.#mayClaim) return 0;
    }
    return claimInterval * (0.8 + 0.4 * (this.#options.random ?? Math.random)());
  }

  /** Takes the times that the hosts set, and starts attempts unless they may not: a shorter lease may be over already. */
  #accept({ attempts, lease, offlineGrace, expiresIn }: AttemptsAnswer): boolean {
    this.#events.joined();
    if (expiresIn !== null) this.#events.credentialExpires(expiresIn);
    // An attempt that a heartbeat names has a shorter lease than one whose answer may be lost.
    if (lease !== this.#lease.duration || attempts.length > 0) this.#loop.wake(this.#heartbeatTicker);
    this.#lease.duration = lease;
    this.#hosts.offlineGrace = offlineGrace;
    if (!this.#mayStart) return false;
    if (attempts.length > 0) this.#keepAlive(this.#lease.remaining);
    for (const assigned of attempts) this.#start(assigned);
    return true;
  }

  #start(assigned: AssignedAttempt): void {
    const { link, clock, executors } = this.#options;
    const { job, claim } = assigned;
    const key = keyOf(assigned);
    if (this.#attempts.has(key)) {
      this.#events.messageDropped(`it has job ${job} twice`);
      return;
    }
    const closing = this.#closing.signal;
    const attempt = new AgentAttempt(assigned, {
      link,
      clock,
      closing,
      events: this.#events,
      mayStart: () => this.#lease.holds,
      publish: (event, seq, age) =>
        within(clock, answerLimit, closing, (signal) => link.report({ job, claim, seq, age, event }, signal)),
      onFailure: this.#events.reportFailed,
    });
    this.#attempts.set(key, attempt);
    void attempt
      .start(executors.get(assigned.executor))
      .then(() => this.#changed())
      .then(() => attempt.reported)
      .then(() => this.#forget(key));
  }

  #forget(key: string): void {
    this.#attempts.delete(key);
    this.#changed();
    this.#loop.wake(this.#claimTicker);
  }

  #obey(order: AgentOrder): void {
    if (order.kind === 'stop') this.#attempts.get(keyOf(order))?.stop(order.reason);
    else if (order.kind === 'revoked') this.#revoke(order.reason);
    else if (order.kind === 'replaced') this.#replace(order.instance);
    else this.#setDrained(order.kind === 'drain');
  }

  #setDrained(isDrained: boolean): void {
    if (isDrained === this.#isDrained) return;
    this.#isDrained = isDrained;
    this.#tellDraining();
    if (isDrained) this.#events.drained();
    else this.#events.undrained();
  }

  #stopClaiming(): void {
    this.#isEnding = true;
    this.#tellDraining();
  }

  #tellDraining(): void {
    this.#changed();
    this.#loop.wake(this.#heartbeatTicker);
  }

  #revoke(reason: string): void {
    if (this.#isRevoked) return;
    this.#isRevoked = true;
    this.#claims.abandon();
    this.#kill(reason);
    this.#over.resolve(reason);
  }

  /**
   * Runs nothing any more, and does not end: what supervises it would start it again, and it would take over in turn.
   * @param instance the process that this is about.
   */
  #replace(instance: string): void {
    if (instance !== this.#instance || this.#isReplaced) return;
    this.#isReplaced = true;
    this.#claims.abandon();
    this.#events.replaced(this.#kill('another process with the credential of its agent has taken over'));
    this.#changed();
  }

  /** Claims nothing any more where hosts refuse it for good, and is over when it runs nothing. */
  #refused(reason: string, isFinal: boolean): void {
    this.#events.claimRefused(reason);
    if (!isFinal) return;
    this.#refusal = reason;
    this.#stopClaiming();
  }

  #hostsSeen(): void {
    this.#hosts.seen();
    if (!this.#hostsWereAway) return;
    this.#hostsWereAway = false;
    this.#events.hostsBack();
    this.#changed();
  }

  /** Sends a heartbeat, and waits for none: a lost one must not delay the next. */
  #beat(): Milliseconds {
    const { link, clock } = this.#options;
    if (this.#isReplaced) return this.#lease.duration;
    const sentAt = clock.uptime();
    const send = (signal: AbortSignal) => link.beat(this.#heartbeat(), signal);
    within(clock, this.#lease.duration, this.#closing.signal, send).then(
      () => this.#renewed(sentAt),
      (error: Error) => this.#beatFailed(error.message),
    );
    return this.#lease.duration / 4;
  }

  /** Sends the next one soon: when one of its servers dies, NATS takes none until the others have elected a leader. */
  #beatFailed(reason: string): void {
    const closing = this.#closing.signal;
    if (closing.aborted) return;
    this.#events.heartbeatFailed(reason);
    if (this.#repeatsBeat) return;
    this.#repeatsBeat = true;
    void this.#options.clock.sleep(beatRepetition, closing).then(() => {
      this.#repeatsBeat = false;
      if (!closing.aborted) this.#loop.wake(this.#heartbeatTicker);
    });
  }

  /** Sends the last heartbeat, so that hosts take the silence after it for no fault. */
  async #sayFarewell(): Promise<void> {
    if (this.#isReplaced) return;
    const { link, clock } = this.#options;
    this.#isStopped = true;
    const send = (signal: AbortSignal) => link.beat(this.#heartbeat(), signal);
    await within(clock, farewellLimit, this.#closing.signal, send).catch((error: Error) =>
      this.#events.heartbeatFailed(error.message),
    );
  }

  #heartbeat(): AgentHeartbeat {
    const { slots, labels, version, executors } = this.#options;
    return {
      version,
      protocol,
      instance: this.#instance,
      slots,
      labels,
      executors: [...executors.keys()],
      draining: this.#isDraining,
      stopped: this.#isStopped,
      running: [...this.#attempts.values()].map(({ assigned: { job, claim } }) => ({ job, claim })),
    };
  }

  /** Takes the acknowledgement of a heartbeat. A lease that has run out meanwhile ended what ran under it, also if nothing has noticed it yet. */
  #renewed(sentAt: Milliseconds): void {
    if (!this.#lease.holds) this.#loseLease();
    this.#lease.renew(sentAt);
    if (this.#mayStart) this.#keepAlive(this.#lease.remaining);
    this.#changed();
  }

  #watch(): Milliseconds {
    if (!this.#lease.holds) this.#loseLease();
    const { areAway, areAwayTooLong, offlineGrace } = this.#hosts;
    if (areAway && !this.#hostsWereAway) this.#events.hostsAway(this.running);
    this.#hostsWereAway = areAway;
    if (areAwayTooLong) {
      const jobs = this.#stopAll(`no host has shown a sign of life for ${offlineGrace / 1000} s`);
      if (jobs.length > 0) this.#events.offlineTooLong(offlineGrace, jobs);
    }
    this.#changed();
    const { remaining } = this.#lease;
    return remaining > 0 ? Math.min(Math.max(Math.ceil(remaining), minWatchWait), watchInterval) : watchInterval;
  }

  /** Kills what runs, because another machine may have it. */
  #loseLease(): void {
    this.#claims.abandon();
    const { duration } = this.#lease;
    const jobs = this.#kill(`the agent’s lease ran out: no heartbeat was stored for ${duration / 1000} s`);
    if (jobs.length > 0) this.#events.leaseLost(jobs);
  }

  /** Kills what runs and is not being killed. @returns its jobs. */
  #kill(reason: string): number[] {
    const killed = [...this.#attempts.values()].filter((attempt) => !attempt.hasEnded && !attempt.isDying);
    // Executors that start programs kill them at once when their lease ends, which a stop would do after a grace.
    if (killed.length > 0) this.#keepAlive(0);
    for (const attempt of killed) attempt.abandon(reason);
    return killed.map(({ assigned }) => assigned.job);
  }

  /** Stops what runs and was not stopped before. @returns its jobs. */
  #stopAll(reason: string): number[] {
    const stopped = [...this.#attempts.values()].filter((attempt) => !attempt.hasEnded && !attempt.isStopping);
    for (const attempt of stopped) attempt.stop(reason, { byAgent: true });
    return stopped.map(({ assigned }) => assigned.job);
  }

  #keepAlive(duration: Milliseconds): void {
    for (const executor of this.#options.executors.values()) executor.keepAlive?.(duration);
  }

  /** Does what follows from a change of what runs, of the lease or of the hosts. */
  #changed(): void {
    const wantsWork = this.#mayClaim;
    if (wantsWork !== this.#wantsWork) {
      this.#wantsWork = wantsWork;
      this.#options.link.wantWork(wantsWork);
      if (wantsWork) this.#loop.wake(this.#claimTicker);
    }
    if (this.#attempts.size > 0 || this.#claims.isPending) return;
    for (const resolve of this.#idleWaits.splice(0)) resolve();
    if (this.#refusal !== null) this.#over.resolve(`The hosts refuse this agent: ${this.#refusal}`);
  }

  /** Waits until no attempt is left and no claim is pending, but no longer than the limit. */
  async #untilIdle(limit: Milliseconds): Promise<void> {
    if (this.#attempts.size === 0 && !this.#claims.isPending) return;
    const idle = new Promise<void>((resolve) => this.#idleWaits.push(resolve));
    const waiting = new AbortController();
    await Promise.race([idle, this.#options.clock.sleep(limit, waiting.signal)]);
    waiting.abort();
  }
}

/** Names an attempt of an agent. */
function keyOf({ claim, job }: Pick<AssignedAttempt, 'claim' | 'job'>): string {
  return `${claim}/${job}`;
}
