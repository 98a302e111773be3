import { HorariumError, type PluginCore } from '@horarium/core/plugin';
import { refusedUsers } from '../lines/differences.ts';
import { mailRefusalOf } from '../lines/mail-of-lines.ts';
import type { ReadCrontab, ReadCrontabs, ReadOptions } from '../lines/read-crontabs.ts';
import { lastBoot } from './last-boot.ts';
import type { SyncRequest } from './plan-sync.ts';

/** What to sync, without the company. */
interface Requested {
  readonly request: Omit<SyncRequest, 'companyId'>;
  /** What people should know of the crontabs, a sentence each. */
  readonly notes: readonly string[];
}

/**
 * Reads crontabs that are to be synced to this service.
 * @param timezone that of lines without `CRON_TZ`; null = the one that they had, or that of their machine.
 * @throws HorariumError as `read`; `bad_request` for crontabs that have one name, `invalid` for too many lines.
 */
export function requestOf(
  core: PluginCore,
  read: (options: ReadOptions) => ReadCrontabs,
  timezone: string | null,
): Requested {
  const mailRefusal = mailRefusalOf(core);
  const isForbidden = (name: string) => core.refusals.variable(name) !== null;
  const { crontabs, notes } = read({ mailRefusal, isForbidden });
  assertSyncable(crontabs);
  return {
    request: {
      crontabs,
      sendsMail: mailRefusal === null,
      boot: lastBoot(),
      timezone,
      serviceTimezone: core.timezone,
    },
    notes,
  };
}

/** Says why jobs of some lines cannot start, a sentence each. @param runAs the user of the jobs of the company; null = the one that all share. */
export function refusalsOf({ refusals }: PluginCore, crontabs: readonly ReadCrontab[], runAs: string | null): string[] {
  return refusedUsers(crontabs, (user) => refusals.start('native', { user }, runAs));
}

/** How many lines crontabs that are synced together may run. */
const maxLines = 10_000;

/** @throws HorariumError `bad_request` for crontabs that have one name, `invalid` for too many lines. */
function assertSyncable(crontabs: readonly ReadCrontab[]): void {
  const twice = crontabs.find(({ source }, index) => crontabs.findIndex((other) => other.source === source) !== index);
  if (twice) throw new HorariumError('bad_request', `${twice.file} is named twice.`);
  const count = crontabs.reduce((sum, { lines }) => sum + lines.length, 0);
  if (count > maxLines)
    throw new HorariumError('invalid', `There are ${count} lines to run, and ${maxLines} at most are synced at once.`);
}
