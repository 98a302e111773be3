import { createHash } from 'node:crypto';
import type { Clock } from '@horarium/core';
import { attemptOf } from '@horarium/core/contracts';
import type { AgentAsk, HostLink, HostListener } from '../../../../plugins/fleet-nats/agent/host-link.ts';
import {
  type AgentHeartbeat,
  type AgentOrder,
  type AgentReport,
  type Answer,
  type AssignedAttempt,
  maxPiece,
  type ReportEvent,
} from '../../../../plugins/fleet-nats/wire/messages/messages.ts';
import { protocol } from '../../../../plugins/fleet-nats/wire/messages/protocol.ts';
import { Random } from '../../../support/simulation/world/random.ts';

/** How the network treats messages: probabilities, and the longest delay. */
/** A claim as the link gets it. */
export type ClaimRequest = Extract<AgentAsk, { kind: 'claim' }>;

export interface Faults {
  readonly lost: number;
  readonly doubled: number;
  /** Of answers that come to another request. */
  readonly mixedUp: number;
  readonly maxDelay: number;
}

const noFaults: Faults = { lost: 0, doubled: 0, mixedUp: 0, maxDelay: 0 };

export type QueuedJob = Omit<AssignedAttempt, 'claim'>;

/** The hosts and the network of one agent in memory, with the queue, the claims and the stream of reports. */
export class MemoryHosts {
  faults = noFaults;
  /** Whether no message passes. */
  isCut = false;
  /** Whether no host runs; the streams take messages as ever. */
  areAway = false;
  /** Whether the stream of reports refuses further ones. */
  isFull = false;
  /** Whether the stream of heartbeats has no leader, and refuses them. */
  isElecting = false;
  /** When it refused them. */
  readonly refusedBeats: number[] = [];
  /** Whether acknowledgements of reports are withheld. */
  isSlow = false;
  refusal: { readonly reason: string; readonly final: boolean } | null = null;
  lease = 10_000;
  offlineGrace = 900_000;
  /** How long the credential stays good; null = long. */
  expiresIn: number | null = null;
  /** How many attempts one claim gets at most. */
  maxAttempts = 8;
  wantsWork = false;
  readonly queue: QueuedJob[] = [];
  readonly files = new Map<string, Uint8Array>();
  readonly asks: AgentAsk[] = [];
  readonly heartbeats: { readonly at: number; readonly heartbeat: AgentHeartbeat }[] = [];
  /** The reports in the stream, in the order in which it took them. */
  readonly stored: AgentReport[] = [];
  /** The jobs of claims that the agent said it gave up on, as they were then. */
  readonly givenUp: { readonly claim: string; readonly job: number }[] = [];
  readonly #claims = new Map<string, readonly AssignedAttempt[]>();
  readonly #abandoned = new Set<string>();
  readonly #ids = new Set<string>();
  readonly #random: Random;
  readonly #clock: Clock;
  readonly #closed = new AbortController();
  #listener: HostListener | null = null;
  #earlier: Answer | null = null;
  #lastJob = 0;
  #slow: (() => void)[] = [];

  constructor(clock: Clock, seed = 1) {
    this.#clock = clock;
    this.#random = new Random(seed);
    void this.#live();
  }

  readonly link: HostLink = {
    agent: 'brno-1',
    pools: ['branch'],
    listen: (listener) => {
      this.#listener = listener;
    },
    wantWork: (wanted) => {
      this.wantsWork = wanted;
    },
    ask: (ask) =>
      new Promise((resolve) => this.#send(() => this.#answer(ask, (answer) => this.#send(() => resolve(answer))))),
    report: (report) =>
      new Promise((resolve, reject) =>
        this.#send(() => {
          if (this.isFull) this.#send(() => reject(new Error('the stream of reports is full')));
          else this.#store(report, () => this.#send(resolve));
        }),
      ),
    beat: (heartbeat) =>
      new Promise((resolve, reject) =>
        this.#send(() => {
          if (this.isElecting) {
            this.refusedBeats.push(this.#clock.uptime());
            reject(new Error('no server has the stream'));
            return;
          }
          this.heartbeats.push({ at: this.#clock.uptime(), heartbeat });
          this.#send(resolve);
        }),
      ),
    close: async () => {},
  };

  /** Queues a job. @returns its id. */
  add({ files = [], ...attempt }: Partial<AssignedAttempt['attempt']> = {}, executor = 'native'): number {
    const job = ++this.#lastJob;
    this.queue.push({ job, executor, attempt: { ...attemptOf({ ...attempt, jobId: job }), files } });
    return job;
  }

  /** Tells the agent that there is work. */
  tellOfWork(): void {
    this.#send(() => this.wantsWork && this.#listener?.work());
  }

  order(order: AgentOrder): void {
    this.#send(() => this.#listener?.order(order));
  }

  /** Asks the agent to stop a job of the claim that it has. */
  stop(job: number, reason: string): void {
    const claim = this.claimOf(job);
    if (claim !== undefined) this.order({ kind: 'stop', job, claim, reason });
  }

  claimOf(job: number): string | undefined {
    return [...this.#claims].findLast(([, attempts]) => attempts.some((each) => each.job === job))?.[0];
  }

  eventsOf(job: number): readonly ReportEvent[] {
    return this.stored.filter((report) => report.job === job).map(({ event }) => event);
  }

  outputOf(job: number, stream: 'stdout' | 'stderr' = 'stdout'): string {
    const pieces = this.eventsOf(job).flatMap((event) =>
      event.kind === 'output' && event.stream === stream ? [event.bytes] : [],
    );
    return Buffer.concat(pieces).toString();
  }

  progressOf(job: number): (number | null)[] {
    return this.eventsOf(job).flatMap((event) => (event.kind === 'progress' ? [event.progress] : []));
  }

  /** The ends of all jobs. */
  get ends(): readonly Extract<ReportEvent, { kind: 'ended' }>[] {
    return this.stored.flatMap(({ event }) => (event.kind === 'ended' ? [event] : []));
  }

  /** The jobs that have ended without that anything asked them to stop. */
  unstopped(): number[] {
    return this.stored.flatMap(({ job, event }) => (event.kind === 'ended' && event.stopReason === null ? [job] : []));
  }

  endOf(job: number): Extract<ReportEvent, { kind: 'ended' }> | undefined {
    return this.eventsOf(job).find((event) => event.kind === 'ended');
  }

  /** The files that a job left, put together from their pieces. @throws Error where a piece is missing. */
  filesOf(job: number): { readonly filename: string; readonly contentType: string; readonly content: Buffer }[] {
    const files: { filename: string; contentType: string; size: number; sha256: string; pieces: Uint8Array[] }[] = [];
    for (const event of this.eventsOf(job)) {
      if (event.kind === 'file') files.push({ ...event, pieces: [] });
      if (event.kind === 'piece') files.at(-1)?.pieces.push(event.bytes);
    }
    return files.map(({ filename, contentType, size, sha256, pieces }) => {
      const content = Buffer.concat(pieces);
      const hash = createHash('sha256').update(content).digest('hex');
      if (content.length !== size || hash !== sha256) throw new Error(`${filename} arrived with another content.`);
      return { filename, contentType, content };
    });
  }

  /** The content of the input file of a job; undefined where it has none. */
  inputOf(job: number): Buffer | undefined {
    const attempts = [...this.#claims.values()].flat();
    const [file] = attempts.find((each) => each.job === job)?.attempt.files ?? [];
    return file && Buffer.from(this.files.get(file.mark) ?? []);
  }

  /** Lets the acknowledgements go that were withheld. */
  release(): void {
    this.isSlow = false;
    for (const acknowledge of this.#slow.splice(0)) acknowledge();
  }

  close(): void {
    this.#closed.abort('closed');
  }

  async #live(): Promise<void> {
    for (; !this.#closed.signal.aborted; await this.#clock.sleep(2000, this.#closed.signal))
      if (!this.areAway) this.#send(() => this.#listener?.hostsAlive({ version: '1.0.0', protocol, host: 'one' }));
  }

  #send(deliver: () => void): void {
    const { lost, doubled, maxDelay } = this.faults;
    if (this.isCut || this.#random.chance(lost)) return;
    const arrive = () => {
      if (!this.isCut && !this.#closed.signal.aborted) deliver();
    };
    for (let copies = this.#random.chance(doubled) ? 2 : 1; copies > 0; copies -= 1)
      void this.#clock.sleep(this.#random.integer(0, maxDelay), this.#closed.signal).then(arrive);
  }

  #answer(ask: AgentAsk, reply: (answer: Answer) => void): void {
    if (this.areAway) return;
    this.asks.push(ask);
    const answer = this.#answerTo(ask);
    const isMixedUp = this.#earlier !== null && this.#random.chance(this.faults.mixedUp);
    reply(isMixedUp ? (this.#earlier as Answer) : answer);
    this.#earlier = answer;
  }

  #answerTo(ask: AgentAsk): Answer {
    if (this.refusal) return { kind: 'refused', id: ask.id, ...this.refusal };
    if (ask.kind === 'claim') return this.#claim(ask);
    const content = this.files.get(ask.mark);
    if (!content) return { kind: 'refused', id: ask.id, reason: `${ask.mark} is not stored any more`, final: true };
    const end = ask.offset + maxPiece;
    return { kind: 'piece', id: ask.id, bytes: content.subarray(ask.offset, end), last: end >= content.length };
  }

  #claim({ id, free, abandoned }: ClaimRequest): Answer {
    for (const claim of abandoned) this.#giveUp(claim);
    const { lease, offlineGrace } = this;
    const max = Math.min(free, this.maxAttempts);
    if (!this.#claims.has(id) && !this.#abandoned.has(id))
      this.#claims.set(
        id,
        this.queue.splice(0, max).map((job) => ({ ...job, claim: id })),
      );
    const attempts = this.#claims.get(id) ?? [];
    return {
      kind: 'attempts',
      id,
      attempts,
      more: attempts.length === max,
      lease,
      offlineGrace,
      expiresIn: this.expiresIn,
    };
  }

  /** Puts the jobs of a claim back into the queue. */
  #giveUp(claim: string): void {
    this.#abandoned.add(claim);
    for (const { job, executor, attempt } of this.#claims.get(claim) ?? []) {
      this.givenUp.push({ claim, job });
      this.queue.push({ job, executor, attempt });
    }
    this.#claims.delete(claim);
  }

  /** Stores a report unless it is a double. */
  #store(report: AgentReport, acknowledge: () => void): void {
    const id = `${report.claim}/${report.job}/${report.seq}`;
    if (!this.#ids.has(id)) this.stored.push(report);
    this.#ids.add(id);
    if (this.isSlow) this.#slow.push(acknowledge);
    else acknowledge();
  }
}
