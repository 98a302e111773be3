import type { Clock, Tables } from '@horarium/core';
import { trustedActor } from '@horarium/core';
import type { AuditedStore } from '#core/audit/audited-store';
import type { Broker } from './broker.ts';
import type { FleetRecord } from './fleet-record.ts';
import type { Link } from './network.ts';
import type { AgentBug, AgentLedger } from './planted-agent-bugs.ts';
import type { AgentSpec } from './simulated-agent.ts';

/** What the parts of a host that serve agents have in common. */
export interface AgentHostContext {
  readonly store: AuditedStore;
  readonly clock: Clock;
  readonly link: Link;
  readonly broker: Broker;
  readonly ledger: AgentLedger;
  readonly agents: ReadonlyMap<string, AgentSpec>;
  readonly record: FleetRecord;
  readonly bug: AgentBug | null;
}

const actor = trustedActor('agents');

/** Does work of agents in one transaction. */
export function inTransaction<T>({ store }: AgentHostContext, work: (tables: Tables) => Promise<T>): Promise<T> {
  return store.transaction(actor, work);
}
