import { readFileSync } from 'node:fs';
import { uptime } from 'node:os';
import type { Clock } from '../loop/clock.ts';
import { systemClock } from '../loop/system-clock.ts';

/**
 * Tells the time of this machine and when it was booted, so that a suspended machine is told from a clock that jumped.
 * The uptime is that of Linux, which counts the time in which the machine was suspended.
 */
export const nodeClock: Clock = {
  ...systemClock,
  uptime: () => uptime() * 1000,
  boot: readBoot(),
};

/** Returns the id that the kernel draws when it boots; null where there is no such file. */
function readBoot(): string | null {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return null;
  }
}
