import { errorMessage, type Instant } from '@horarium/core/plugin';
import type { JetStreamClient, JetStreamManager } from '@nats-io/jetstream';
import { type NatsConnection, nanos } from '@nats-io/transport-node';
import type { Subjects } from '../subjects.ts';
import { WireError } from '../wire-error.ts';

/** Stores a message, and returns its number and when it was stored by the clock of the broker. */
export async function storeTime(
  client: JetStreamClient,
  manager: JetStreamManager,
  stream: string,
  subject: string,
): Promise<{ readonly seq: number; readonly time: Instant }> {
  const { seq } = await client.publish(subject, '');
  const message = await manager.streams.getMessage(stream, { seq });
  // Another host that stores there meanwhile takes its place.
  const stored = message ?? (await manager.streams.getMessage(stream, { last_by_subj: subject }));
  if (!stored) throw new WireError('JetStream does not return what was just stored.');
  return { seq, time: stored.time.getTime() };
}

/** Reads the first message of a subject at or behind a number; null = there is none. */
export function nextStored(manager: JetStreamManager, stream: string, subject: string, number: number) {
  // The types of the client know this request for direct reads alone.
  const next = { seq: number, next_by_subj: subject } as { readonly seq: number };
  return manager.streams.getMessage(stream, next);
}

/**
 * Takes a report out of the stream that was read from it, and not delivered, by an acknowledgement as NATS documents it (ADR-15).
 * Its streams allow no other way to delete.
 */
export function settleStored(connection: NatsConnection, subjects: Subjects, number: number, at: Instant): void {
  const subject = `$JS.ACK.${subjects.reportsStream}.${subjects.reportsConsumer}.1.${number}.${number}.${nanos(at)}.0`;
  if (!connection.isClosed()) connection.publish(subject, '+ACK');
}

/** @throws WireError where NATS does not answer a request. */
export async function answering<T>(response: Promise<T>): Promise<T> {
  try {
    return await response;
  } catch (error) {
    if (error instanceof WireError) throw error;
    throw new WireError(`NATS does not answer: ${errorMessage(error)}.`);
  }
}
