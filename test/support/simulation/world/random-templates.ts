import { RunTemplate, type RunTemplateRow } from '@horarium/core';
import { newRow } from '#core/store/table';
import { catchUps, overlaps } from '#core/template/run-template';
import { type Backoff, backoffs } from '#core/time/retry';
import { checkTiming } from '#core/time/timing';
import type { Random } from './random.ts';

const zones = [
  'UTC',
  'Europe/Prague',
  'America/New_York',
  'Australia/Lord_Howe',
  'Asia/Kathmandu',
  'Africa/Casablanca',
];
const frequentCrons = ['*/2 * * * *', '*/4 * * * *', '*/5 * * * *', '30 */3 * * * *'];
const rareCrons = ['*/10 * * * *', '7,37 * * * *', '15 2 * * *', '*/30 1-3 * * *', '@hourly'];
const deadlines = [null, null, '+20s', '+1m', '+3m', '+25m', '+1h', '+1d', '02:30', '12:00'];

type Given = Omit<RunTemplateRow, 'id'>;

/** A random cadence. */
export function randomCadence(random: Random): Pick<Given, 'interval' | 'cron' | 'timezone'> {
  const timezone = random.pick(zones);
  if (random.chance(0.5))
    return { interval: 'custom', cron: random.pick(random.chance(0.8) ? frequentCrons : rareCrons), timezone };
  const interval = random.pick(['minutely', 'minutely', 'hourly', 'daily', 'weekly', 'monthly'] as const);
  return { interval, cron: null, timezone };
}

/** Random deadline, delay, attempts and timeout. */
export function randomLimits(random: Random): Partial<Given> {
  return {
    deadline: random.pick(deadlines),
    delay: random.chance(0.3) ? random.integer(1, 30) : 0,
    jitter: random.chance(0.3) ? random.integer(1, 15) : 0,
    max_attempts: random.integer(1, 4),
    retry_backoff: random.pick<Backoff>(backoffs),
    retry_delay: random.pick([0, 2, 15, 60]),
    retry_max_delay: random.pick([30, 86_400]),
    allow_late: random.chance(0.4),
    timeout: random.chance(0.3) ? random.integer(5, 120) : null,
  };
}

export function randomTemplate(random: Random, app_id: number, company_id: number, name: string): Given {
  const given = {
    ...randomCadence(random),
    ...randomLimits(random),
    overlap: random.pick(overlaps),
    catch_up: random.pick(catchUps),
    active: random.chance(0.9),
    max_running: random.chance(0.3) ? random.integer(1, 3) : null,
    ...(random.chance(0.3) && {
      executor: 'external',
      executor_options: { heartbeat_timeout: random.pick([30, 60, 120]) },
    }),
  };
  return withValidTiming({ ...newRow(RunTemplate, { name, app_id, company_id }), ...given });
}

/** The template itself, or without deadline, delay and jitter where they do not fit into its windows. */
export function withValidTiming<R extends Given>(template: R): R {
  if (checkTiming(template).length === 0) return template;
  const simple = { ...template, deadline: null, delay: 0, jitter: 0 };
  if (checkTiming(simple).length > 0)
    throw new Error(`A template of the simulation is invalid: ${JSON.stringify(simple)}`);
  return simple;
}
