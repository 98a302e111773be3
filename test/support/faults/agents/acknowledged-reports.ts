import type { NatsConnection } from '@nats-io/transport-node';
import { openMessage } from '../../../../plugins/fleet-nats/wire/keys/envelope.ts';
import type { PrivateKeys, PublicKeys } from '../../../../plugins/fleet-nats/wire/keys/keys.ts';
import { reportCodec } from '../../../../plugins/fleet-nats/wire/messages/message-shapes.ts';
import type { AgentReport } from '../../../../plugins/fleet-nats/wire/messages/messages.ts';
import { Subjects } from '../../../../plugins/fleet-nats/wire/subjects.ts';

/** A report that JetStream has acknowledged to its agent. */
export interface AcknowledgedReport {
  readonly agent: string;
  readonly report: AgentReport;
  /** When the acknowledgement was seen. */
  readonly at: number;
}

/**
 * Follows what agents publish and what JetStream answers them, past the service: what was acknowledged must be in the ledger
 * later. It sees what crosses the server that it is connected to, but nothing while that one is dead.
 */
export class AcknowledgedReports {
  readonly seen: AcknowledgedReport[] = [];
  readonly #connection: NatsConnection;
  /** By the subject on which its acknowledgement comes. */
  readonly #published = new Map<string, Omit<AcknowledgedReport, 'at'>>();

  /** @param agents their public keys, by their names. */
  constructor(connection: NatsConnection, agents: ReadonlyMap<string, PublicKeys>, hosts: PrivateKeys) {
    this.#connection = connection;
    const subjects = new Subjects('horarium');
    connection.subscribe(subjects.report('*'), {
      callback: (_error, { subject, reply, data }) => {
        const agent = subjects.agentOf(subject) ?? '';
        const keys = agents.get(agent);
        if (reply && keys)
          this.#published.set(reply, { agent, report: reportCodec.decode(openMessage(subject, data, keys, hosts)) });
      },
    });
    connection.subscribe(`${subjects.inbox('*')}.>`, {
      callback: (_error, { subject, data }) => {
        const published = this.#published.get(subject);
        if (!published) return;
        this.#published.delete(subject);
        const { seq } = JSON.parse(Buffer.from(data).toString() || '{}') as { seq?: number };
        if (seq !== undefined && seq > 0) this.seen.push({ ...published, at: Date.now() });
      },
    });
  }

  close(): Promise<void> {
    return this.#connection.close();
  }
}
