import type { Instant } from '../loop/clock.ts';
import type { Actor } from '../resource/actor.ts';
import type { CalendarRuleSchemas, ExecutorSchemas } from '../resource/record-services.ts';
import type { Tables } from '../store/store.ts';
import { formatShortLocalTime } from '../time/local-time.ts';
import type { ConditionName, RunCondition } from './explanation.ts';

/** What an explanation is made with. */
export interface WhyContext {
  readonly tables: Tables;
  readonly actor: Actor;
  readonly now: Instant;
  /** In which times are written. */
  readonly timezone: string;
  /** The names of the executors whose jobs are claimed by programs elsewhere. */
  readonly external: ReadonlySet<string>;
  readonly calendarRules: CalendarRuleSchemas;
  readonly executors: ExecutorSchemas;
}

export function timeText({ timezone, now }: Pick<WhyContext, 'timezone' | 'now'>, instant: Instant): string {
  return formatShortLocalTime(instant, timezone, now);
}

export function metCondition(name: ConditionName, text: string): RunCondition {
  return { name, met: true, text, auditlog_id: null };
}

export function unmetCondition(name: ConditionName, text: string, auditlog_id: number | null = null): RunCondition {
  return { name, met: false, text, auditlog_id };
}
