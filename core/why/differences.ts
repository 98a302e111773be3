import type { JobRow } from '../job/job.ts';
import { isCiphertext, mask } from '../secret/ciphertext.ts';
import { describeDuration, second } from '../time/duration.ts';
import type { UsualDuration } from '../time/usual-duration.ts';
import type { Difference } from './explanation.ts';
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

/** The maximum length of a value that is shown. */
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
): Difference[] {
  const found = success ? comparisons(success, attempt) : [];
  const differing = found.filter(({ before, after }) => before !== after);
  return [
    ...differing.map((each) => ({ ...each, before: cut(each.before), after: cut(each.after) })),
    ...odd(attempt, usual),
  ];
}

function comparisons(success: ComparedJob, attempt: ComparedJob): Difference[] {
  const compare = (what: string, show: (job: ComparedJob) => string | null): Difference => ({
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
    ...variables.map((name) => compare(`environment.${name}`, ({ environment }) => shownValue(environment[name]))),
  ];
}

function shownValue(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  return isCiphertext(value) ? mask : String(value);
}

function cut(text: string | null): string | null {
  return text !== null && text.length > maxShown ? `${text.slice(0, maxShown)}…` : text;
}

/** Tells of a duration that is far from the usual one. */
function odd({ started_at, finished_at }: ComparedJob, usual: UsualDuration | null): Difference[] {
  if (started_at === null || finished_at === null || usual === null) return [];
  const duration = finished_at - started_at;
  const distance = Math.abs(duration - usual.mean);
  if (distance <= Math.max(second, farDeviations * usual.deviation)) return [];
  return [{ what: 'duration', before: `usually ${describeDuration(usual.mean)}`, after: describeDuration(duration) }];
}
