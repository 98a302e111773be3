import type { Instant } from '../loop/clock.ts';
import { formatLocalTime, formatShortLocalTime } from '../time/local-time.ts';
import { pausesText } from './pauses.ts';
import type { Summary } from './summary.ts';

/**
 * Says in a sentence whether everything is on time: `today 212 of 214 on time, 1 late, 1 missed; 3 running; next 14:05 …`.
 * @param isToday whether the range is that of today, up to now.
 */
export function sentenceOf(
  summary: Omit<Summary, 'sentence' | 'ok' | 'problems' | 'further'>,
  isToday: boolean,
): string {
  const { from, to, time, timezone, owed, on_time, next } = summary;
  const when = isToday ? 'today' : spanText(from, to, timezone);
  const outcomes = (['late', 'failed', 'missed', 'overdue'] as const).filter((kind) => summary[kind] > 0);
  const counts = [`${on_time} of ${owed} on time`, ...outcomes.map((kind) => `${summary[kind]} ${kind}`)];
  const risks = [
    ...(summary.will_be_late > 0 ? [`${summary.will_be_late} will be late`] : []),
    ...(summary.will_not_run > 0 ? [`${summary.will_not_run} will not run`] : []),
  ];
  const parts = [`${when} ${owed === 0 ? 'nothing was owed' : counts.join(', ')}`, ...risks];
  if (to < time) return parts.join('; ');
  const pauses = pausesText(summary, timezone, time);
  const nextText = next ? [`next ${formatShortLocalTime(next.at, timezone, time)} ${nameOf(next)}`] : [];
  return [...parts, ...(pauses ? [pauses] : []), `${summary.running} running`, ...nextText].join('; ');
}

function nameOf({ runtemplate_id, name, company, company_id }: NonNullable<Summary['next']>): string {
  return `${name ?? `run template ${runtemplate_id}`} (${company ?? `company ${company_id}`})`;
}

function spanText(from: Instant, to: Instant, timezone: string): string {
  return `from ${formatLocalTime(from, timezone)} to ${formatLocalTime(to, timezone)}`;
}
