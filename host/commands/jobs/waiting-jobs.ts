import { Job, yieldToEventLoop } from '@horarium/core';
import type { CommandSession } from '../../cli/command-session.ts';
import type { Io } from '../../cli/io.ts';
import { escapeControls } from '../../cli/shown/terminal-text.ts';

/** At most so many jobs of a list are looked at, because each reason is derived when it is read. */
const maxExplained = 10;

/** Writes why due jobs of a list have not started, beside its table: a list has not the field `waiting_reason`. */
export async function noteWaitingJobs(
  { core, actor }: CommandSession,
  io: Pick<Io, 'err'>,
  listed: readonly Readonly<Record<string, unknown>>[],
): Promise<void> {
  const waiting = listed
    .filter(({ state }) => state === 'scheduled')
    .toSorted((one, other) => dueAt(one) - dueAt(other));
  for (const { id } of waiting.slice(0, maxExplained)) {
    await yieldToEventLoop();
    const row = await core.records(Job).get(actor, id as number);
    const [job] = await core.forChannels.serialize(Job, [row], 'item');
    const reason = job?.['waiting_reason'];
    if (typeof reason === 'string') await io.err(`job ${id} waits: ${escapeControls(reason)}\n`);
  }
}

function dueAt({ scheduled_at }: Readonly<Record<string, unknown>>): number {
  return Date.parse(String(scheduled_at));
}
