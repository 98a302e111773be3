import { systemClock } from '@horarium/core';
import type { Attempt, AttemptHandle, AttemptReport, Executor, Milliseconds } from '@horarium/core/plugin';
import { BrokerClock } from '../../../plugins/fleet-nats/host/broker-clock.ts';
import { fleetTimes } from '../../../plugins/fleet-nats/host/fleet-times.ts';
import type { AgentListener, ReceivedReport } from '../../../plugins/fleet-nats/host/host-bus.ts';
import { NatsBus } from '../../../plugins/fleet-nats/host/nats-bus.ts';
import { type Answer, type Ask, type FileAsk, maxPiece } from '../../../plugins/fleet-nats/wire/messages/messages.ts';
import { protocol } from '../../../plugins/fleet-nats/wire/messages/protocol.ts';
import { eventually } from '../mocha/eventually.ts';
import { AgentProcess } from './agent-process.ts';
import { NatsFleet } from './nats-fleet.ts';
import { RemoteAttempt } from './remote-attempt.ts';

const agent = 'remote';
const pool = 'tests';
const clock = systemClock;

/**
 * Runs attempts by a real agent over a real NATS, as a host does, but with nothing in a store, so that agents can be held to the
 * contract of executors.
 */
export class RemoteExecutor implements Executor, AgentListener {
  readonly name = 'native';
  readonly options = {};
  readonly takesFiles = true;
  readonly #fleet = new NatsFleet({ [agent]: [pool] });
  readonly #broker = new BrokerClock(clock);
  readonly #attempts = new Map<number, RemoteAttempt>();
  #times = fleetTimes(10_000, 900_000);
  #bus!: NatsBus;
  #process!: AgentProcess;
  #timer: NodeJS.Timeout | undefined;
  #lastJob = 0;
  #isClosed = false;
  #closing: Promise<void> | null = null;
  #taking: Promise<void> = Promise.resolve();

  private constructor() {}

  /** Starts NATS, connects to it, and starts an agent. */
  static async open(): Promise<RemoteExecutor> {
    const executor = new RemoteExecutor();
    await executor.#open();
    return executor;
  }

  async #open(): Promise<void> {
    const fleet = await this.#fleet.start();
    this.#bus = await NatsBus.open({
      access: fleet.hostAccess,
      subjects: fleet.subjects,
      streams: { maxReportBytes: 100 * 1024 * 1024, replicas: 1 },
      keys: fleet.hosts,
      agentKeys: { of: async () => fleet.keysOf(agent).publicKeys },
      peer: { version: '0.1.0', protocol, host: 'test' },
      clock,
      listener: this,
      log: () => {},
    });
    await this.#broker.compare(this.#bus);
    this.#taking = this.#takeReports();
    this.#timer = setInterval(() => this.#repeat(), 1000);
    this.#process = new AgentProcess(fleet.credentialOf(agent), ['--slots', '64'], { HORARIUM_SHUTDOWN_GRACE: '0s' });
    await this.#process.started();
  }

  start(attempt: Attempt, report: AttemptReport): AttemptHandle {
    this.#lastJob += 1;
    const remote = new RemoteAttempt(this.#lastJob, attempt, report);
    if (this.#isClosed) remote.end({ exitCode: 126, reason: 'the executor was closed' });
    else {
      this.#attempts.set(remote.job, remote);
      this.#bus.announceWork(pool);
    }
    const stop = (reason: string) => {
      remote.stopReason ??= reason;
      this.#tellToStop(remote);
    };
    return { done: remote.done, stop };
  }

  keepAlive(duration: Milliseconds): void {
    this.#times = fleetTimes(duration, this.#times.offlineGrace);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async ask(_agent: string, ask: Ask): Promise<Answer> {
    if (ask.kind === 'file') return this.#piece(ask);
    const { id, free, abandoned } = ask;
    for (const remote of this.#attempts.values()) remote.release(abandoned);
    const max = this.#isClosed ? 0 : Math.min(free, this.#times.maxAttempts);
    const claimed = [...this.#attempts.values()].filter(({ claim }) => claim === null).slice(0, max);
    for (const remote of claimed) remote.claim = id;
    const attempts = await Promise.all(claimed.map((remote) => remote.assigned(id, this.name)));
    const { lease, offlineGrace } = this.#times;
    return { kind: 'attempts', id, attempts, more: attempts.length === max, lease, offlineGrace, expiresIn: null };
  }

  heartbeat(): void {
    // The end of a lease is that of the agent alone, since nothing else runs its attempts.
  }

  earlierProcess(): void {}

  heartbeatRefused(): void {}

  heartbeatsMissed(): void {
    // As with those that it takes.
  }

  async #piece({ id, job, mark, offset }: FileAsk): Promise<Answer> {
    try {
      const content = await this.#attempts.get(job)?.contentOf(mark);
      if (!content) throw new Error(`There is no job ${job}.`);
      const end = offset + maxPiece;
      return { kind: 'piece', id, bytes: content.subarray(offset, end), last: end >= content.length };
    } catch (error) {
      return { kind: 'refused', id, reason: (error as Error).message, final: true };
    }
  }

  async #takeReports(): Promise<void> {
    while (this.#bus.isConnected) {
      const reports = await this.#bus.fetchReports(100, 5000).catch(() => []);
      for (const report of reports) await this.#take(report);
    }
  }

  async #take({ at, report, done, again }: ReceivedReport): Promise<void> {
    const remote = this.#attempts.get(report.job);
    const happenedAt = this.#broker.toService(at, clock.now()) - report.age;
    const isStored = remote?.claim !== report.claim || (await remote.take(report, happenedAt));
    if (isStored) done();
    else again(250);
    if (remote?.hasEnded) this.#attempts.delete(report.job);
  }

  /** Tells the agent again what may have been lost. */
  #repeat(): void {
    this.#bus.announceHost();
    if ([...this.#attempts.values()].some(({ claim }) => claim === null)) this.#bus.announceWork(pool);
    for (const remote of this.#attempts.values()) this.#tellToStop(remote);
  }

  #tellToStop({ job, claim, stopReason: reason, hasEnded }: RemoteAttempt): void {
    if (claim === null || reason === null || hasEnded) return;
    void this.#bus.tell(agent, { kind: 'stop', job, claim, reason });
  }

  async #close(): Promise<void> {
    this.#isClosed = true;
    await this.#process.stop();
    const last = await this.#bus.lastReport();
    await eventually('what the agent has reported is taken', async () => (await this.#bus.settledReports()) >= last);
    for (const remote of this.#attempts.values()) remote.end({ lost: true, reason: 'the agent was shut down' });
    clearInterval(this.#timer);
    await this.#bus.close();
    await this.#taking;
    await this.#process[Symbol.asyncDispose]();
    await this.#fleet.close();
  }
}
