import {
  type Clock,
  type CrontabEntry,
  crontabRecords,
  formatInstant,
  HorariumError,
  readCrontab,
  startAtOrAfter,
} from '@horarium/core';

type Records = ReturnType<typeof crontabRecords>;

export interface PlannedLine {
  readonly file: string;
  readonly entry: CrontabEntry;
  readonly app: Records['apps'][number];
  readonly template: Records['templates'][number];
}

/** What an import of crontabs would make. */
export interface CrontabPlan {
  readonly company: string;
  readonly lines: readonly PlannedLine[];
  /** What to know of single lines: right for cron, but not imported, or hardly meant that way; a sentence each. */
  readonly notes: readonly string[];
}

export interface CrontabOptions {
  readonly company: string;
  readonly system: boolean;
  /** For lines without a CRON_TZ; undefined = the service's own. */
  readonly timezone: string | undefined;
}

/** @throws HorariumError `invalid` naming every line that cannot be read: then nothing is imported. */
export function planCrontab(
  files: readonly { readonly name: string; readonly text: string }[],
  { company, system, timezone }: CrontabOptions,
): CrontabPlan {
  const lines: PlannedLine[] = [];
  const notes: string[] = [];
  const wrong: string[] = [];
  const counted = new Map<string, number>();
  for (const { name: file, text } of files) {
    const { entries, problems } = readCrontab(text, { system, file });
    for (const { message, fatal } of problems) (fatal ? wrong : notes).push(message);
    const { apps, templates } = crontabRecords(entries, { company, file }, counted);
    for (const [index, entry] of entries.entries()) {
      if (!system && /^root\s/.test(entry.command))
        notes.push(`${file}, line ${entry.line}: the command is “root …”; where root is the user, add --system.`);
      const template = templates[index] as PlannedLine['template'];
      const zoned = timezone === undefined || template.timezone ? template : { ...template, timezone };
      lines.push({ file, entry, app: apps[index] as PlannedLine['app'], template: zoned });
    }
  }
  if (wrong.length > 0) {
    const errors = wrong.map((message) => ({ field: 'line', message }));
    throw new HorariumError('invalid', [...wrong, 'Nothing was imported.'].join('\n'), errors);
  }
  return { company, lines, notes };
}

/** The next moments at which a line would run. */
export function nextRuns({ template }: PlannedLine, timezone: string, clock: Clock, count = 3): string[] {
  const cadence = { interval: 'custom', cron: template.cron, timezone } as const;
  const runs: string[] = [];
  for (let at = clock.now(); runs.length < count; ) {
    const start = startAtOrAfter(cadence, at);
    if (start === null) break;
    runs.push(formatInstant(start));
    at = start + 1;
  }
  return runs;
}
