import { openSync, readFileSync, readSync } from 'node:fs';
import { uptime } from 'node:os';
import type { Clock, Milliseconds } from '../loop/clock.ts';
import { systemClock } from '../loop/system-clock.ts';

/**
 * Tells the time of this machine and when it was booted, so that a suspended machine is told from a clock that jumped.
 * The uptime is that of Linux, which counts the time in which the machine was suspended.
 */
export const nodeClock: Clock = {
  ...systemClock,
  uptime: () => uptime() * 1000,
  cpuDelay,
  boot: readBoot(),
};

/** The scheduling statistics of Linux of the thread that opens them; null where there is no such file. */
const statistics = openStatistics();
const buffer = Buffer.alloc(64);

function openStatistics(): number | null {
  try {
    return openSync('/proc/thread-self/schedstat', 'r');
  } catch {
    return null;
  }
}

/** Reads the second number of the statistics, the nanoseconds that the thread was ready to run but did not. */
function cpuDelay(): Milliseconds {
  if (statistics === null) return 0;
  const text = buffer.toString('latin1', 0, readSync(statistics, buffer, 0, buffer.length, 0));
  return Number(text.split(' ')[1]) / 1e6;
}

/** Returns the id that the kernel draws when it boots; null where there is no such file. */
function readBoot(): string | null {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return null;
  }
}
