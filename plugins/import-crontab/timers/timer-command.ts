import { hostname } from 'node:os';
import { defineCommand, HorariumError, type TextFile, text, texts } from '@horarium/core/plugin';
import { crontabLine } from '../lines/crontab-records.ts';
import { differencesOf } from '../lines/differences.ts';
import { type ReadCrontab, type ReadCrontabs, type ReadOptions, throwIfUnreadable } from '../lines/read-crontabs.ts';
import { syncAndReport, syncOptions } from '../sync/sync-and-report.ts';
import { timerEntries } from './timer-entries.ts';
import { readUnits, type Unit } from './unit-files.ts';

/** `timer:sync FILE…` */
export const timerCommand = defineCommand({
  name: 'timer:sync',
  summary:
    'Make run templates of systemd timers that follow edits. Each runs what the service of its timer starts, and crontab:sync follows crontabs in the same way.',
  group: 'Import and export:',
  arguments: {
    file: texts(4096, {
      description: 'units, as files or as systemctl cat prints them; - for standard input',
    }).min(1),
  },
  options: {
    ...syncOptions,
    machine: text(253, { description: 'name of the machine that the units are of, in place of this one' }),
  },
  async run(context) {
    const files = await context.readFiles(context.arguments.file);
    const { machine } = context.options;
    // systemd of this machine runs them by its zone; that of another machine is not known here.
    const zone = machine === null ? { machineTimezone: context.machineTimezone } : {};
    const names: string[] = [];
    await syncAndReport(context, (options) => {
      const { crontabs, notes } = readTimers(files, machine ?? hostname(), options);
      names.push(...crontabs.map(({ file }) => file));
      return { crontabs: crontabs.map((crontab) => ({ ...crontab, ...zone })), notes };
    });
    if (!context.options.dry_run)
      await context.output.note(
        `systemd still runs them until you stop that: systemctl disable --now ${names.join(' ')}`,
      );
  },
});

/**
 * Reads timers, each as a crontab with a line for each `OnCalendar`.
 * @throws HorariumError `invalid` naming everything that cannot be read or run, `bad_request` where there is no timer.
 */
function readTimers(files: readonly TextFile[], machine: string, options: ReadOptions): ReadCrontabs {
  const unreadable: string[] = [];
  const units = new Map<string, Unit>();
  for (const { name, text: content } of files) {
    const read = readUnits(content, name);
    unreadable.push(...read.problems);
    for (const [unitName, unit] of read.units) units.set(unitName, unit);
  }
  const timers = [...units.values()].filter(({ name }) => name.endsWith('.timer'));
  if (timers.length === 0 && unreadable.length === 0)
    throw new HorariumError(
      'bad_request',
      'There is no timer: give units, such as systemctl cat backup.timer backup.service prints.',
    );
  const notes: string[] = [];
  const crontabs = timers.map((timer): ReadCrontab => {
    const { entries, problems, notes: ofTimer } = timerEntries(timer, units);
    const lines = entries.map((entry) => crontabLine(entry, { ...options, file: timer.name, owner: null }));
    unreadable.push(...problems);
    notes.push(...ofTimer, ...differencesOf(lines, timer.name, options.mailRefusal));
    return { file: timer.name, source: `${machine}:${timer.name}`, lines };
  });
  throwIfUnreadable(unreadable);
  return { crontabs, notes };
}
