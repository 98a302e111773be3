import { readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { canonicalZone } from '@horarium/core/plugin';

/**
 * Returns the time zone of the machine whose file system is in a folder, by which its cron runs crontabs: what /etc/localtime says, or
 * /etc/timezone; null where neither does. The variable TZ of a shell does not matter.
 */
export function zoneIn(root: string): string | null {
  const link = textOf(() => readlinkSync(join(root, 'etc/localtime')));
  const [, ofLink = ''] = /\/zoneinfo\/(?:posix\/|right\/)?(.+)$/.exec(link) ?? [];
  const ofFile = () => textOf(() => readFileSync(join(root, 'etc/timezone'), 'utf8')).trim();
  return canonicalZone(ofLink) ?? canonicalZone(ofFile()) ?? null;
}

/** Returns what is read; nothing where there is nothing to read. */
function textOf(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}
