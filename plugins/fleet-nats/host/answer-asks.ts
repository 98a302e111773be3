import {
  type AgentClaim,
  type AgentClaims,
  HorariumError,
  type PluginCore,
  type Tables,
  trustedActor,
  yieldToEventLoop,
} from '@horarium/core/plugin';
import { credentialRefusal, expiresIn, findAgent, poolsOf } from '../records/agent.ts';
import type { Answer, Ask, AssignedAttempt, AttemptsAnswer } from '../wire/messages/messages.ts';
import type { FleetTimes } from './fleet-times.ts';
import type { SeenAgents } from './seen-agents.ts';

/** The answer to a claim, and what is to be claimed in a transaction of its own. */
interface Claimed extends Pick<AgentClaims, 'reserved'> {
  readonly answer: Answer;
}

type ClaimAsk = Extract<Ask, { kind: 'claim' }>;
type FileAsk = Extract<Ask, { kind: 'file' }>;

/** Answers the requests of agents. The record of an agent is read in the transaction that claims for it. */
export class AnswerAsks {
  readonly #core: PluginCore;
  readonly #seen: SeenAgents;
  readonly #times: FleetTimes;

  constructor(core: PluginCore, seen: SeenAgents, times: FleetTimes) {
    this.#core = core;
    this.#seen = seen;
    this.#times = times;
  }

  async answer(agent: string, ask: Ask): Promise<Answer> {
    const { id } = ask;
    try {
      return await (ask.kind === 'claim' ? this.#claim(agent, ask) : this.#piece(agent, ask));
    } catch (error) {
      if (!(error instanceof HorariumError) || error.code === 'unavailable') throw error;
      // A file that is not there will not come.
      return { kind: 'refused', id, reason: error.message, final: ask.kind === 'file' && error.code === 'not_found' };
    }
  }

  async #claim(agent: string, ask: ClaimAsk): Promise<Answer> {
    const attempts: AssignedAttempt[] = [];
    const max = Math.min(ask.free, this.#times.maxAttempts);
    const claim = (reserved: AgentClaims['reserved']) =>
      this.#within(agent, (tables) => this.#claimIn(tables, agent, { ...ask, free: max - attempts.length }, reserved));
    for (let claimed = await claim(null); ; claimed = await claim(claimed.reserved)) {
      await yieldToEventLoop();
      if (claimed.answer.kind !== 'attempts') return claimed.answer;
      attempts.push(...claimed.answer.attempts);
      if (!claimed.reserved)
        return { ...claimed.answer, attempts, more: attempts.length > 0 && attempts.length === max };
    }
  }

  #within<T>(agent: string, work: (tables: Tables) => Promise<T>): Promise<T> {
    return this.#core.store.transaction(trustedActor(`agent:${agent}`), work, { beyondQuota: true });
  }

  /** @param reserved what the transaction before has reserved for the same claim. */
  async #claimIn(
    tables: Tables,
    name: string,
    { id, free, abandoned }: ClaimAsk,
    reserved: AgentClaims['reserved'],
  ): Promise<Claimed> {
    const { agents } = this.#core;
    const { lease, offlineGrace, claimLease } = this.#times;
    const now = await tables.now();
    const record = await findAgent(tables, name);
    const refusal = record ? credentialRefusal(record, now) : `There is no agent ${name}: enroll the machine again.`;
    if (!record || refusal !== null)
      return { answer: { kind: 'refused', id, reason: refusal ?? '', final: true }, reserved: null };
    await agents.releaseIn(tables, name, abandoned);
    const heartbeat = this.#seen.of(name);
    const times = { lease, offlineGrace, expiresIn: expiresIn(record, now) };
    const nothing: AttemptsAnswer = { kind: 'attempts', id, attempts: [], more: false, ...times };
    if (!heartbeat || !this.#seen.isAlive(name, now) || record.state !== 'active' || free === 0)
      return { answer: nothing, reserved: null };
    const { labels, executors, slots } = heartbeat;
    const request: AgentClaim = {
      agent: name,
      claim: id,
      pools: await poolsOf(tables, record),
      labels,
      executors: new Set(executors),
      slots,
      max: free,
      lease: claimLease,
    };
    const claimed = await agents.claimIn(tables, request, reserved);
    const attempts = claimed.attempts.map(({ jobId, executor, attempt: { jobId: _id, ...attempt }, files }) => ({
      job: jobId,
      claim: id,
      executor,
      attempt: { ...attempt, files: files.map(({ mark, size }) => ({ mark, size })) },
    }));
    return { answer: { ...nothing, attempts }, reserved: claimed.reserved };
  }

  async #piece(agent: string, { id, job: jobId, claim, mark, offset }: FileAsk): Promise<Answer> {
    const request = { agent, jobId, claim, mark, offset };
    const piece = await this.#within(agent, (tables) => this.#core.agents.filePieceIn(tables, request));
    return { kind: 'piece', id, bytes: piece.bytes, last: piece.isLast };
  }
}
