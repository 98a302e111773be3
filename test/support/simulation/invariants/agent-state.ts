import { Artifact, type Store } from '@horarium/core';
import { AgentLease, type AgentLeaseRow } from '#core/agent/agent-lease';
import type { OutputStream } from '#core/executor/executor';
import { ArtifactContent } from '#core/job/artifact';
import { JobOutput } from '#core/job/job-output';
import { readLiveAgents } from '#core/worker/lease/agent-presence';

/** What the store has of agents when a run has ended. */
export interface AgentState {
  readonly leases: readonly AgentLeaseRow[];
  /** The names of the agents that are alive. */
  readonly live: readonly string[];
  /** The output of jobs, by job. */
  readonly outputs: ReadonlyMap<number, Readonly<Record<OutputStream, string>>>;
  /** The content of the files of jobs, by job; each leaves at most one. */
  readonly files: ReadonlyMap<number, readonly string[]>;
}

export function readAgentState(store: Store): Promise<AgentState> {
  return store.transaction(
    async (tables) => {
      const outputs = new Map<number, Record<OutputStream, string>>();
      const order = [
        ['job_id', 'asc'],
        ['seq', 'asc'],
      ] as const;
      for (const { job_id, stream, data } of await tables.of(JobOutput).find({ order })) {
        const output = outputs.get(job_id) ?? { stdout: '', stderr: '' };
        output[stream as OutputStream] += new TextDecoder().decode(data);
        outputs.set(job_id, output);
      }
      const files = new Map<number, string[]>();
      for (const { id, job_id } of await tables.of(Artifact).find({ order: [['id', 'asc']] })) {
        const where = [['artifact_id', '=', id]] as const;
        const pieces = await tables.of(ArtifactContent).find({ where, order: [['seq', 'asc']] });
        const content = pieces.map((piece) => new TextDecoder().decode(piece.content)).join('');
        files.set(job_id, [...(files.get(job_id) ?? []), content]);
      }
      const live = await readLiveAgents(tables, await tables.now());
      return { leases: await tables.of(AgentLease).find(), live: live.map(({ agent }) => agent), outputs, files };
    },
    { readOnly: true },
  );
}
