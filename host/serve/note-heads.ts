import { type Core, headOf } from '@horarium/core';
import type { LogLines } from '../log-lines.ts';

const hour = 3_600_000;

/** Logs the end of the audit chain every hour: whoever keeps the log can prove later that nothing was cut off. */
export async function noteHeads(core: Core, lines: LogLines, signal: AbortSignal): Promise<void> {
  for (;;) {
    await core.clock.sleep(hour, signal);
    if (signal.aborted) return;
    try {
      const { seq, hash } = await core.store.read(headOf);
      lines.auditHead(seq, hash);
    } catch (error) {
      lines.tickFailed('note of the audit head', error, hour);
    }
  }
}
