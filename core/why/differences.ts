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

/** How many differences are listed, and the maximum length of a value that is shown. */
const maxListed = 50;
const maxShown = 200;

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
  return [
    ...differing.slice(0, maxListed).map((each) => ({ ...each, before: cut(each.before), after: cut(each.after) })),
    ...unusualDuration(attempt, usual),
  ];
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

function cut(text: string | null): string | null {
  return text !== null && text.length > maxShown ? `${text.slice(0, maxShown)}…` : text;
}

/** Tells of a duration that is far from the usual one. */
function unusualDuration({ started_at, finished_at }: ComparedJob, usual: UsualDuration | null): RunDifference[] {
  if (started_at === null || finished_at === null || usual === null) return [];
  const duration = finished_at - started_at;
  const distance = Math.abs(duration - usual.mean);
  if (distance <= Math.max(second, farDeviations * usual.deviation)) return [];
  return [{ what: 'duration', before: `usually ${describeDuration(usual.mean)}`, after: describeDuration(duration) }];
}
