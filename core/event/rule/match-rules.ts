import type { Where } from '../../store/query.ts';
import { readByIds } from '../../store/rows.ts';
import type { Tables } from '../../store/store.ts';
import type { EventRow } from '../event.ts';
import { EventSource } from '../event-source.ts';
import { EventRule, type EventRuleRow } from './event-rule.ts';
import { mayReact } from './rule-access.ts';

/** The event of a rule that stands for several: a job that has ended, however. */
const completed = ['succeeded', 'failed'];

/** An event with the rules that are to fire for it. */
export interface MatchedEvent {
  readonly event: EventRow;
  /** The enabled rules that match it and have not fired, the highest priority first. */
  readonly rules: readonly EventRuleRow[];
  /** Whether any enabled rule matches it, also one that has fired. */
  readonly isMatched: boolean;
  /** Whose event it is: that of a source belongs to a company while the rules of no other one have matched it. */
  readonly companyId: number | null;
}

/** Finds the rules that are to fire for each event, by one query for all events. None fires where the source could not be read. */
export async function matchRules(tables: Tables, events: readonly EventRow[]): Promise<MatchedEvent[]> {
  const matching = await matchingRules(tables, events);
  return events.map((event) => {
    const rules = event.problem === null ? (matching.get(event) ?? []) : [];
    const unfired = rules.filter(({ id }) => !event.fired?.includes(id));
    return { event, rules: unfired, isMatched: rules.length > 0, companyId: companyOf(event, unfired) };
  });
}

function companyOf(event: EventRow, rules: readonly EventRuleRow[]): number | null {
  if (event.kind !== 'source' || rules.length === 0) return event.company_id;
  const companies = new Set(rules.map((rule) => rule.company_id));
  if (event.fired !== null) companies.add(event.company_id);
  return companies.size === 1 ? (rules[0]?.company_id ?? null) : null;
}

async function matchingRules(
  tables: Tables,
  events: readonly EventRow[],
): Promise<ReadonlyMap<EventRow, readonly EventRuleRow[]>> {
  const sources = [...new Set(events.flatMap(({ event_source_id: id }) => id ?? []))];
  const templates = [
    ...new Set(events.flatMap((event) => (event.kind === 'source' ? [] : (event.runtemplate_id ?? [])))),
  ];
  const any: Where<EventRuleRow>[] = [
    ...(sources.length > 0 ? [[['event_source_id', 'in', sources]] as const] : []),
    ...(templates.length > 0 ? [[['runtemplate_source_id', 'in', templates]] as const] : []),
  ];
  const [only] = any;
  if (!only) return new Map();
  const where: Where<EventRuleRow> = [...(any.length === 1 ? only : [{ any }]), ['enabled', '=', true]];
  const [rules, companiesOf] = await Promise.all([
    tables.of(EventRule).find({ where }),
    readByIds(tables, EventSource, sources, ['id', 'companies']),
  ]);
  const bySource = Map.groupBy(rules.toSorted(byPriority), (rule) => rule.event_source_id);
  const byTemplate = Map.groupBy(bySource.get(null) ?? [], (rule) => rule.runtemplate_source_id);
  return new Map(
    events.map((event) => {
      if (event.kind !== 'source')
        return [event, (byTemplate.get(event.runtemplate_id) ?? []).filter((rule) => listensTo(rule, event.event))];
      const companies = companiesOf.get(event.event_source_id ?? 0)?.companies ?? [];
      const listening = bySource.get(event.event_source_id) ?? [];
      return [event, listening.filter((rule) => mayReact(rule, companies) && matchesChange(rule, event))];
    }),
  );
}

function byPriority(one: EventRuleRow, other: EventRuleRow): number {
  return other.priority - one.priority || one.id - other.id;
}

/** Whether a rule listens to that event of its template. */
export function listensTo(rule: Pick<EventRuleRow, 'event'>, event: string | null): boolean {
  return rule.event === event || (rule.event === 'completed' && completed.includes(event ?? ''));
}

function matchesChange({ evidence, operation }: EventRuleRow, event: EventRow): boolean {
  return (
    (operation === 'any' || operation === event.operation?.toLowerCase()) &&
    (evidence === null || matchesGlob(evidence, event.evidence ?? ''))
  );
}

/** Whether a text matches a pattern in which `*` stands for any text. It takes time linear in both for each star. */
export function matchesGlob(pattern: string, text: string): boolean {
  const [head = '', ...rest] = pattern.split('*');
  const tail = rest.pop();
  if (tail === undefined) return text === pattern;
  if (!text.startsWith(head)) return false;
  let at = head.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return text.length - tail.length >= at && text.endsWith(tail);
}
