import {
  AckPolicy,
  DiscardPolicy,
  JetStreamApiCodes,
  JetStreamApiError,
  type JetStreamManager,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
  type StreamUpdateConfig,
} from '@nats-io/jetstream';
import { type NatsConnection, nanos } from '@nats-io/transport-node';
import { envelopeLength } from '../keys/envelope.ts';
import { maxMessage } from '../messages/message-shapes.ts';
import type { Subjects } from '../subjects.ts';
import { WireError } from '../wire-error.ts';

/** The settings of the streams that an operator chooses. */
export interface StreamSettings {
  /** The maximum size of the reports that wait for a host, in bytes; further ones are refused. */
  readonly maxReportBytes: number;
  /** How many servers of a cluster keep each message. */
  readonly replicas: number;
}

const second = 1000;
const day = 24 * 3600 * second;

/** How long a message with the same id counts as a double. */
const doublesWindow = 300 * second;
/** How long a host may take for a report before another host gets it. */
const ackWait = 5 * second;
/** The reports that hosts have received and not yet committed, all together. */
const maxPending = 1000;
/** How many reports of one agent may wait for a host. */
const maxReportsOfAgent = 20_000;
/** The longest report with its seal, its signature and the headers of NATS. */
const maxMessageSize = maxMessage + envelopeLength + 1024;

/**
 * Creates the streams of reports and of heartbeats and the consumer of the hosts, or brings their limits up to date.
 * @throws WireError where JetStream refuses, or a stream is of another kind.
 */
export async function ensureStreams(
  connection: NatsConnection,
  subjects: Subjects,
  { maxReportBytes, replicas }: StreamSettings,
): Promise<void> {
  const manager = await refusing('JetStream does not answer', jetstreamManager(connection));
  const both = {
    num_replicas: replicas,
    max_msg_size: maxMessageSize,
    // An agent chooses where JetStream acknowledges: it may name a subject of the API that purges or deletes.
    deny_purge: true,
    deny_delete: true,
  };
  await ensureStream(manager, subjects.reportsStream, RetentionPolicy.Workqueue, {
    ...both,
    subjects: [subjects.report('*')],
    // Work that is reported is owed an answer: a full stream refuses what is new instead of forgetting what is old.
    discard: DiscardPolicy.New,
    max_bytes: maxReportBytes,
    // Hosts take the reports of all agents in their order, so that those of one agent must not keep all others waiting for long.
    max_msgs_per_subject: maxReportsOfAgent,
    discard_new_per_subject: true,
    duplicate_window: nanos(doublesWindow),
  });
  await ensureStream(manager, subjects.aliveStream, RetentionPolicy.Limits, {
    ...both,
    subjects: [subjects.alive('*')],
    discard: DiscardPolicy.Old,
    max_msgs_per_subject: 1,
    max_age: nanos(7 * day),
  });
  const consumer = {
    durable_name: subjects.reportsConsumer,
    ack_policy: AckPolicy.Explicit,
    ack_wait: nanos(ackWait),
    max_ack_pending: maxPending,
  };
  const name = `The consumer ${subjects.reportsConsumer} of the stream ${subjects.reportsStream}`;
  await refusing(`${name} cannot be created`, manager.consumers.add(subjects.reportsStream, consumer));
}

/**
 * Counts the reports that wait for a host; null = their stream was not made yet.
 * @throws WireError where JetStream refuses, or a stream is of another kind.
 */
export async function countWaitingReports(connection: NatsConnection, subjects: Subjects): Promise<number | null> {
  const manager = await refusing('JetStream does not answer', jetstreamManager(connection));
  const { reportsStream, aliveStream } = subjects;
  const reports = await findStream(manager, reportsStream, RetentionPolicy.Workqueue);
  await findStream(manager, aliveStream, RetentionPolicy.Limits);
  return reports?.state.messages ?? null;
}

async function ensureStream(
  manager: JetStreamManager,
  name: string,
  retention: RetentionPolicy,
  settings: Partial<StreamUpdateConfig>,
): Promise<void> {
  if (await findStream(manager, name, retention)) {
    await refusing(`The stream ${name} cannot be changed`, manager.streams.update(name, settings));
    return;
  }
  const made = manager.streams.add({ ...settings, ...kindOf(retention), name });
  await refusing(`The stream ${name} cannot be created`, made);
}

/** What never changes of a stream. */
function kindOf(retention: RetentionPolicy) {
  return { retention, storage: StorageType.File };
}

/** Reads what is known of a stream; undefined = there is none. @throws WireError where it is of another kind. */
async function findStream(manager: JetStreamManager, name: string, retention: RetentionPolicy) {
  const found = await refusing(`The stream ${name} cannot be read`, infoOf(manager, name));
  const kind = kindOf(retention);
  for (const [key, value] of Object.entries(kind))
    if (found && found.config[key as keyof typeof kind] !== value)
      throw new WireError(
        `The stream ${name} has the ${key} ${found.config[key as keyof typeof kind]} instead of ${value}: it is not of Horarium, or was changed; delete it, or choose another subject_prefix.`,
      );
  return found;
}

async function infoOf(manager: JetStreamManager, name: string) {
  try {
    return await manager.streams.info(name);
  } catch (error) {
    if (hasCode(error, JetStreamApiCodes.StreamNotFound)) return undefined;
    throw error;
  }
}

async function refusing<T>(what: string, result: Promise<T>): Promise<T> {
  try {
    return await result;
  } catch (error) {
    throw new WireError(`${what}: ${(error as Error).message}.`);
  }
}

/** JetStream refuses what would not fit into a stream by this code. */
const streamIsFull = 10077;

/** Returns why JetStream has not taken a message, as a sentence. It is to be published again in each case. */
export function publicationRefusal(error: unknown): string {
  if (hasCode(error, streamIsFull))
    return 'The stream of reports is full: reports wait until hosts have taken others in, or its maximum size grows.';
  return `NATS has not acknowledged a message: ${(error as Error).message}.`;
}

function hasCode(error: unknown, code: number): boolean {
  return error instanceof JetStreamApiError && error.code === code;
}
