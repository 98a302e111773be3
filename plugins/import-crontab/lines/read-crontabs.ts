import { HorariumError } from '@horarium/core/plugin';
import { readCrontab } from './crontab.ts';
import { type CrontabLine, crontabLine } from './crontab-records.ts';
import { differencesOf } from './differences.ts';

/** A crontab. */
export interface CrontabFile {
  /** Its name, for people. */
  readonly file: string;
  readonly text: string;
  /** Whether it has the format of /etc/crontab, in which each line names a user before its command. */
  readonly system: boolean;
  /** The user whom it belongs to, where it names none itself; null = the one that native jobs run as. */
  readonly owner: string | null;
  /** The name under which run templates know it: `web1:/etc/cron.d/php`. */
  readonly source: string;
  /** The time zone of the machine that runs it, or has run it until it was adopted; left out = none does. */
  readonly machineTimezone?: string;
  /** Whether cron reads it, or has read it until it was adopted. */
  readonly isOfCron?: boolean;
  /** Whether the machine runs it until this sync, which is to go on at the same hours. */
  readonly isTakenOver?: boolean;
}

/** A crontab that was read. */
export interface ReadCrontab extends Omit<CrontabFile, 'text' | 'system' | 'owner'> {
  readonly lines: readonly CrontabLine[];
}

/** Crontabs that were read. */
export interface ReadCrontabs {
  readonly crontabs: readonly ReadCrontab[];
  /** What the user should know of them, a sentence each. */
  readonly notes: readonly string[];
}

export interface ReadOptions {
  /** Why no mail can be sent; null = it can. */
  readonly mailRefusal: string | null;
  /** Whether an executor forbids a variable. */
  isForbidden(name: string): boolean;
}

/**
 * Reads crontabs.
 * @throws HorariumError `invalid` naming every line that cannot be read.
 */
export function readCrontabs(files: readonly CrontabFile[], options: ReadOptions): ReadCrontabs {
  const notes: string[] = [];
  const unreadable: string[] = [];
  const crontabs = files.map(({ text, system, owner, ...crontab }): ReadCrontab => {
    const { file } = crontab;
    const { entries, problems } = readCrontab(text, { system, file });
    unreadable.push(...problems.map(({ message }) => message));
    const lines = entries.map((entry) => crontabLine(entry, { ...options, file, owner }));
    notes.push(...differencesOf(lines, file, options.mailRefusal));
    return { ...crontab, lines };
  });
  throwIfUnreadable(unreadable);
  return { crontabs, notes };
}

/** @throws HorariumError `invalid` with these sentences, unless there are none. */
export function throwIfUnreadable(sentences: readonly string[]): void {
  if (sentences.length === 0) return;
  const errors = sentences.map((message) => ({ field: 'line', message }));
  throw new HorariumError('invalid', [...sentences, 'Nothing was changed.'].join('\n'), errors);
}
