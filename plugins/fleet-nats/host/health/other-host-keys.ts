import { type Instant, type Milliseconds, yieldToEventLoop } from '@horarium/core/plugin';
import type { JetStreamManager } from '@nats-io/jetstream';
import type { Subjects } from '../../wire/subjects.ts';

/** How long a host counts as running after it stored that it is there, which each does twice a minute. */
const presence: Milliseconds = 75_000;

/** What keys that differ mean, as a sentence. */
export const keysDiffer =
  'Another host of this service signs with another key: all hosts need the same host_key_file, because agents know one key, and a host cannot read what is sealed to another.';

/**
 * Whether hosts that run sign with another key.
 * @param own the public key that verifies what this host signs.
 * @param now the time of the broker.
 */
export async function areOtherKeysUsed(
  manager: JetStreamManager,
  subjects: Subjects,
  own: string,
  now: Instant,
): Promise<boolean> {
  const { aliveStream } = subjects;
  const { state } = await manager.streams.info(aliveStream, { subjects_filter: subjects.alive('*') });
  for (const subject of Object.keys(state.subjects ?? {})) {
    await yieldToEventLoop();
    const key = subjects.hostKeyOf(subject);
    if (key === undefined || key === own) continue;
    const last = await manager.streams.getMessage(aliveStream, { last_by_subj: subject });
    if (last && now - last.time.getTime() < presence) return true;
  }
  return false;
}
