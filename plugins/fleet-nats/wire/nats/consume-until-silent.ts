import type { Consumer, ConsumerMessages } from '@nats-io/jetstream';

/** NATS says that often that it is there, so that a consumer which it has lost is made again soon. */
const options = { expires: 5000, idle_heartbeat: 1000 };

/**
 * Consumes messages until NATS does not even say that it is there: its server may be dead, and the client would wait until that one
 * is back.
 */
export async function consumeUntilSilent(consumer: Consumer): Promise<ConsumerMessages> {
  const messages = await consumer.consume(options);
  void stopWhenSilent(messages);
  return messages;
}

async function stopWhenSilent(messages: ConsumerMessages): Promise<void> {
  for await (const { type } of messages.status()) if (type === 'heartbeats_missed') messages.stop();
}
