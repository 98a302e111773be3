import { readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { canonicalZone } from '@horarium/core/plugin';

/**
 * Returns the time zone by which cron runs crontabs in a file system: that of the machine, or what /etc/localtime or /etc/timezone
 * of another root folder say, if they do.
 */
export function cronTimezone(root: string, machineTimezone: string): string {
  if (root === '/') return machineTimezone;
  const ofLink = /\/zoneinfo\/(.+)$/.exec(textOf(() => readlinkSync(join(root, 'etc/localtime'))))?.[1];
  const name = ofLink ?? textOf(() => readFileSync(join(root, 'etc/timezone'), 'utf8')).trim();
  return canonicalZone(name) ?? machineTimezone;
}

/** Returns what is read; nothing where there is nothing to read. */
function textOf(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}
