import { type Core, readAuditHead, trustedActor } from '@horarium/core';
import type { LogLines } from '../log-lines.ts';

const hourLength = 3_600_000;
const actor = trustedActor('audit head');

/** Logs the head of the audit chain every hour, so that a stored log proves later that nothing was cut off. */
export async function logAuditHeads(
  core: Pick<Core, 'clock' | 'store'>,
  lines: Pick<LogLines, 'auditHead' | 'tickFailed'>,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    await core.clock.sleep(hourLength, signal);
    if (signal.aborted) return;
    try {
      // Unlike a read, a transaction waits for the disk: a power failure must not cut off what the log has.
      const { seq, hash } = await core.store.transaction(actor, readAuditHead);
      lines.auditHead(seq, hash);
    } catch (error) {
      lines.tickFailed('note of the audit head', error, hourLength);
    }
  }
}
