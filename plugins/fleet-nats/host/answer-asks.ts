import { HorariumError, type PluginCore, type Tables, trustedActor } from '@horarium/core/plugin';
import { credentialRefusal, findAgent, poolsOf } from '../records/agent.ts';
import type { Answer, Ask } from '../wire/messages/messages.ts';
import type { FleetTimes } from './fleet-times.ts';
import type { SeenAgents } from './seen-agents.ts';

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
      const work = (tables: Tables) =>
        ask.kind === 'claim' ? this.#claim(tables, agent, ask) : this.#piece(tables, agent, ask);
      return await this.#core.store.transaction(trustedActor(`agent:${agent}`), work, { beyondQuota: true });
    } catch (error) {
      if (!(error instanceof HorariumError) || error.code === 'unavailable') throw error;
      // A file that is not there will not come.
      return { kind: 'refused', id, reason: error.message, final: ask.kind === 'file' && error.code === 'not_found' };
    }
  }

  async #claim(tables: Tables, name: string, { id, free, abandoned }: ClaimAsk): Promise<Answer> {
    const { agents } = this.#core;
    const { lease, offlineGrace, claimLease, maxAttempts } = this.#times;
    const now = await tables.now();
    const record = await findAgent(tables, name);
    const refusal = record ? credentialRefusal(record, now) : `There is no agent ${name}: enroll the machine again.`;
    if (!record || refusal !== null) return { kind: 'refused', id, reason: refusal ?? '', final: true };
    await agents.releaseIn(tables, name, abandoned);
    const heartbeat = this.#seen.of(name);
    const nothing: Answer = { kind: 'attempts', id, attempts: [], more: false, lease, offlineGrace };
    if (!heartbeat || !this.#seen.isAlive(name, now) || record.state !== 'active' || free === 0) return nothing;
    const { labels, executors, slots } = heartbeat;
    const max = Math.min(free, maxAttempts);
    const attempts = await agents.claimIn(tables, {
      agent: name,
      claim: id,
      pools: await poolsOf(tables, record),
      labels,
      executors: new Set(executors),
      slots,
      max,
      lease: claimLease,
    });
    return {
      ...nothing,
      more: attempts.length === max,
      attempts: attempts.map(({ jobId, executor, attempt: { jobId: _id, ...attempt }, files }) => ({
        job: jobId,
        claim: id,
        executor,
        attempt: { ...attempt, files: files.map(({ mark, size }) => ({ mark, size })) },
      })),
    };
  }

  async #piece(tables: Tables, agent: string, { id, job: jobId, claim, mark, offset }: FileAsk): Promise<Answer> {
    const piece = await this.#core.agents.filePieceIn(tables, { agent, jobId, claim, mark, offset });
    return { kind: 'piece', id, bytes: piece.bytes, last: piece.isLast };
  }
}
