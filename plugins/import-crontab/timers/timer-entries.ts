import { hostname } from 'node:os';
import type { CrontabEntry } from '../lines/crontab.ts';
import { readAssignments, shellCommand, withSpecifiers } from './exec-command.ts';
import { readOnCalendar } from './on-calendar.ts';
import { readSpan } from './time-span.ts';
import type { Unit } from './unit-files.ts';

/** What a timer runs and when, as a crontab would say it. */
export interface TimerEntries {
  readonly entries: readonly CrontabEntry[];
  /** Why it cannot run here, a sentence each. */
  readonly problems: readonly string[];
  /** What of it has no effect here, a sentence each. */
  readonly notes: readonly string[];
}

/** The PATH of services: systemd.exec(5). */
const servicePath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin';
/** Settings of timers that say when they run by what was before. */
const monotonic = ['OnActiveSec', 'OnUnitActiveSec', 'OnUnitInactiveSec'];
/** Settings that are followed, or make no difference to a job. */
const known =
  /^(?:Unit\.(?!Condition|Assert)\w+|Install\.\w+|Timer\.(?:OnCalendar|OnBootSec|OnStartupSec|OnActiveSec|OnUnitActiveSec|OnUnitInactiveSec|RandomizedDelaySec|FixedRandomDelay|AccuracySec|Persistent|Unit)|Service\.(?:Type|ExecStart|ExecStartPre|ExecStartPost|User|WorkingDirectory|Environment|TimeoutStartSec|SyslogIdentifier|RemainAfterExit|StandardOutput|StandardError))$/;

/** Reads when a timer runs what service. @param units all that were read. */
export function timerEntries(timer: Unit, units: ReadonlyMap<string, Unit>): TimerEntries {
  if (timer.name.endsWith('@.timer')) {
    const instance = timer.name.replace('@', '@main');
    return refused(`${timer.name}: it is a template of units; save it by the name of one, such as ${instance}.`);
  }
  const name = timer.settings.get('Timer.Unit')?.at(-1) ?? timer.name.replace(/timer$/, 'service');
  const service = units.get(name);
  if (!service) return refused(`${timer.name}: its unit ${name} is missing; add it to systemctl cat.`);
  const problems: string[] = [];
  const read = <T>(unit: Unit, work: () => T): T | undefined => {
    try {
      return work();
    } catch (error) {
      problems.push(`${unit.name}: ${(error as Error).message}.`);
      return undefined;
    }
  };
  const unsupported = monotonic.find((key) => timer.settings.has(`Timer.${key}`));
  if (unsupported !== undefined)
    problems.push(`${timer.name}: ${unsupported} counts from when it ran before; give it OnCalendar instead.`);
  const job = read(service, () => jobOf(service));
  const more = read(timer, () => templateFieldsOf(timer, service));
  const times = (timer.settings.get('Timer.OnCalendar') ?? []).flatMap((expression) => {
    const found = read(timer, () => readOnCalendar(expression));
    return found ? [{ ...found, schedule: expression }] : [];
  });
  const boots = ['OnBootSec', 'OnStartupSec'].filter((key) => timer.settings.has(`Timer.${key}`));
  const all = [...times, ...boots.slice(0, 1).map(() => ({ cron: null, timezone: null, schedule: '@reboot' }))];
  if (all.length === 0 && problems.length === 0) problems.push(`${timer.name}: it has no OnCalendar.`);
  if (!job || !more || problems.length > 0) return refused(...problems);
  const entries = all.map((each, index) => ({
    line: index + 1,
    ...each,
    ...job,
    more: each.cron === null ? {} : more,
  }));
  return { entries, problems, notes: [...notesOn(timer, boots), ...notesOn(service, [])] };
}

function refused(...problems: readonly string[]): TimerEntries {
  return { entries: [], problems, notes: [] };
}

function jobOf(service: Unit): Omit<CrontabEntry, 'line' | 'schedule' | 'cron' | 'timezone' | 'more'> {
  const values = (key: string) => service.settings.get(`Service.${key}`) ?? [];
  const type = values('Type').at(-1) ?? 'simple';
  if (!['simple', 'exec', 'oneshot'].includes(type)) throw new Error(`Type=${type} is for daemons, and no job`);
  const [prefix = '', instance = ''] = service.name.replace(/\.service$/, '').split('@');
  const specifiers = {
    n: service.name,
    N: service.name.replace(/\.service$/, ''),
    p: prefix,
    i: instance,
    H: hostname(),
  };
  const commands = ['ExecStartPre', 'ExecStart', 'ExecStartPost'].flatMap(values);
  const [count, last] = [values('ExecStart').length, (key: string) => values(key).at(-1)];
  if (count === 0) throw new Error('it has no ExecStart');
  if (count > 1 && type !== 'oneshot') throw new Error('it has several ExecStart, which takes Type=oneshot');
  const environment = { PATH: servicePath, ...readAssignments(values('Environment'), specifiers) };
  const command = commands.map((each) => shellCommand(each, specifiers)).join(' && ');
  // The shell would also expand patterns in a variable that is split, and keep its quotes.
  const split = Object.entries(environment).find(
    ([key, value]) => /[*?['"\\]/.test(value) && command.split(' ').includes(`$${key}`),
  );
  if (split) throw new Error(`the words of $${split[0]} are not split here as they are there; write "\${${split[0]}}"`);
  return {
    user: withSpecifiers(last('User') ?? '', specifiers) || null,
    shell: '/bin/sh',
    command,
    stdin: null,
    directory: withSpecifiers(last('WorkingDirectory')?.replace(/^-/, '') ?? '/', specifiers),
    environment,
  };
}

function templateFieldsOf(timer: Unit, service: Unit): NonNullable<CrontabEntry['more']> {
  const last = (unit: Unit, key: string) => unit.settings.get(key)?.at(-1);
  const isPersistent = /^(?:1|yes|true|on)$/i.test(last(timer, 'Timer.Persistent') ?? '');
  // Others have started at once, and run as long as they like.
  const isOneshot = last(service, 'Service.Type') === 'oneshot';
  const timeout = isOneshot ? readSpan(last(service, 'Service.TimeoutStartSec') ?? 'infinity') : null;
  return {
    jitter: readSpan(last(timer, 'Timer.RandomizedDelaySec') ?? '0') ?? 0,
    catch_up: isPersistent ? 'latest' : 'none',
    ...(timeout !== null && timeout > 0 && { timeout }),
  };
}

function notesOn({ name, settings }: Unit, boots: readonly string[]): string[] {
  const times = settings.get('Timer.OnCalendar')?.length ?? 0;
  const several =
    times > 1
      ? [`${name}: each of its ${times} OnCalendar has a run template of its own; they may run beside each other.`]
      : [];
  const others = [...settings.keys()].filter((key) => !known.test(key)).map((key) => key.replace(/^\w+\./, ''));
  const waits = boots.map(
    (key) => `${name}: it runs as soon as the service starts after a boot, and does not wait for ${key}.`,
  );
  const without =
    others.length === 0
      ? []
      : [`${name}: ${others.join(', ')} ${others.length === 1 ? 'has' : 'have'} no effect here.`];
  return [...several, ...waits, ...without];
}
