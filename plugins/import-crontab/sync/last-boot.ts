import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';

/** A boot of a machine. */
export interface Boot {
  /** The name of the machine. */
  readonly machine: string;
  /** The id that its kernel gives to the boot: random(4). */
  readonly id: string;
}

/** The last boot of this machine. */
export function lastBoot(): Boot {
  return { machine: hostname(), id: readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim() };
}
