import type { JobRow } from '../job/job.ts';
import { maskPair } from '../secret/ciphertext.ts';
import { describeDuration, second } from '../time/duration.ts';
import type { UsualDuration } from '../time/usual-duration.ts';
import type { RunDifference } from './explanation.ts';
import { hostOf } from './job-conditions.ts';

/** The columns of two jobs that are compared. */
export const comparedColumns = [
  'id',
  'started_at',
  'finished_at',
  'worker',
  'app_version',
  'executor',
  'command',
  'arguments',
  'environment',
] as const satisfies readonly (keyof JobRow)[];
export type ComparedJob = Pick<JobRow, (typeof comparedColumns)[number]>;

/** How many differences are listed, how much of a value is shown, and how much of that stands before what differs. */
const maxListed = 50;
const maxShown = 200;
const maxContext = 50;

/** How many deviations from the mean are far, as RFC 6298 takes for a timeout. */
const farDeviations = 4;

/**
 * Compares an attempt with the last one that succeeded: where and what ran, with which variables, and for how long.
 * @param success undefined = none is known: only the duration is compared.
 */
export function differencesOf(
  success: ComparedJob | undefined,
  attempt: ComparedJob,
  usual: UsualDuration | null,
): RunDifference[] {
  const found = success ? comparisons(success, attempt) : [];
  const differing = found.filter(({ before, after }) => before !== after);
  return [...differing.slice(0, maxListed).map(cut), ...unusualDuration(attempt, usual)];
}

function comparisons(success: ComparedJob, attempt: ComparedJob): RunDifference[] {
  const compare = (what: string, show: (job: ComparedJob) => string | null): RunDifference => ({
    what,
    before: show(success),
    after: show(attempt),
  });
  const variables = [...new Set([success, attempt].flatMap(({ environment }) => Object.keys(environment)))]
    .filter((name) => !name.startsWith('HORARIUM_'))
    .sort();
  return [
    compare('host', ({ worker }) => (worker === null ? null : hostOf(worker))),
    compare('app_version', ({ app_version }) => app_version),
    compare('executor', ({ executor }) => executor),
    compare('command', ({ command }) => command),
    compare('arguments', ({ arguments: args }) => JSON.stringify(args)),
    ...variables.map((name) => variableDifference(name, success.environment[name], attempt.environment[name])),
  ];
}

/** Masks both values of a variable where one is: it may have been declared secret after the other was used. */
function variableDifference(name: string, success: unknown, attempt: unknown): RunDifference {
  const [before, after] = maskPair(success, attempt);
  const text = (value: unknown) => (value === undefined || value === null ? null : String(value));
  return { what: `environment.${name}`, before: text(before), after: text(after) };
}

/** Leaves out what is long: of both values, what they have in common before they differ, and what is behind. */
function cut({ what, before, after }: RunDifference): RunDifference {
  const isLong = [before, after].some((text) => text !== null && text.length > maxShown);
  const start = isLong && before !== null && after !== null ? Math.max(0, sameLength(before, after) - maxContext) : 0;
  return { what, before: excerpt(before, start), after: excerpt(after, start) };
}

function sameLength(one: string, other: string): number {
  const length = Math.min(one.length, other.length);
  let same = 0;
  while (same < length && one[same] === other[same]) same += 1;
  return same;
}

function excerpt(text: string | null, start: number): string | null {
  if (text === null) return null;
  const end = start + maxShown;
  return `${start > 0 ? '…' : ''}${text.slice(start, end)}${end < text.length ? '…' : ''}`;
}

/** Tells of a duration that is far from the usual one. */
function unusualDuration({ started_at, finished_at }: ComparedJob, usual: UsualDuration | null): RunDifference[] {
  if (started_at === null || finished_at === null || usual === null) return [];
  const duration = finished_at - started_at;
  const distance = Math.abs(duration - usual.mean);
  if (distance <= Math.max(second, farDeviations * usual.deviation)) return [];
  return [{ what: 'duration', before: `usually ${describeDuration(usual.mean)}`, after: describeDuration(duration) }];
}
