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
  /** Lines that are right for cron but cannot be imported, a sentence each. */
  readonly left: readonly string[];
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
  const left: string[] = [];
  const wrong: string[] = [];
  for (const { name: file, text } of files) {
    const { entries, problems } = readCrontab(text, { system, file });
    for (const { message, fatal } of problems) (fatal ? wrong : left).push(message);
    const { apps, templates } = crontabRecords(entries, { company, file });
    for (const [index, entry] of entries.entries()) {
      const template = templates[index] as PlannedLine['template'];
      const zoned = timezone === undefined || template.timezone ? template : { ...template, timezone };
      lines.push({ file, entry, app: apps[index] as PlannedLine['app'], template: zoned });
    }
  }
  if (wrong.length > 0) {
    const errors = wrong.map((message) => ({ field: 'line', message }));
    throw new HorariumError('invalid', [...wrong, 'Nothing was imported.'].join('\n'), errors);
  }
  return { company, lines, left };
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
