import type { EventRow, JobRow, TaskRow } from '@horarium/core';
import { changesIn } from '#core/audit/shared-entries';
import type { EventRuleRow } from '#core/event/rule/event-rule';
import { type FinalState, type Findings, groupBy } from './findings.ts';

const jobEvents: Readonly<Record<string, string>> = {
  succeeded: 'succeeded',
  failed: 'failed',
  timed_out: 'failed',
  lost: 'failed',
};
const taskEvents: Readonly<Record<string, string>> = {
  fulfilled: 'task_fulfilled',
  fulfilled_late: 'task_fulfilled',
  failed: 'task_failed',
  missed: 'task_missed',
};

/**
 * Checks that each end of a job or a Task to which a rule listens is one event, that no event waits, and that each rule has
 * fired exactly once for each event that it matches. The rules must be older than what happened, and unchanged since.
 */
export function checkEvents({ jobs, tasks, records, log }: FinalState, findings: Findings): void {
  const events = (records.get('Event') ?? []) as EventRow[];
  const rules = (records.get('EventRule') ?? []) as EventRuleRow[];
  const listens = (template: number, event: string | undefined) =>
    event !== undefined && rules.some((rule) => rule.runtemplate_source_id === template && isOf(rule, event));
  const entered = groupBy(
    changesIn(log).filter(({ changes }) => 'state' in changes),
    ({ entity_type, entity_id }) => `${entity_type} ${entity_id}`,
  );
  const ends = (kind: string, id: 'job_id' | 'task_id') =>
    groupBy(
      events.filter((event) => event.kind === kind),
      (event) => event[id],
    );
  const checkEnds = (
    name: string,
    rows: readonly (JobRow | TaskRow)[],
    byState: typeof jobEvents,
    found: ReadonlyMap<number | null, EventRow[]>,
  ) => {
    for (const { id, state, runtemplate_id } of rows) {
      // A Task that is open again, because the clock was set back, ends more than once.
      const ended = (entered.get(`${name} ${id}`) ?? []).map(({ changes }) => byState[String(changes['state']?.[1])]);
      const expected = ended.filter((event) => listens(runtemplate_id, event));
      const written = (found.get(id) ?? []).map(({ event }) => event);
      findings.check(
        JSON.stringify(written) === JSON.stringify(expected),
        () => `${name} ${id} (${state}) has the events [${written}] in place of [${expected}].`,
      );
    }
  };
  checkEnds('Job', jobs, jobEvents, ends('job', 'job_id'));
  checkEnds('Task', tasks, taskEvents, ends('task', 'task_id'));
  checkFirings(events, rules, jobs, findings);
}

function isOf(rule: EventRuleRow, event: string): boolean {
  return rule.event === event || (rule.event === 'completed' && (event === 'succeeded' || event === 'failed'));
}

function matches(rule: EventRuleRow, event: EventRow): boolean {
  if (event.kind !== 'source')
    return rule.runtemplate_source_id === event.runtemplate_id && isOf(rule, event.event ?? '');
  return rule.event_source_id === event.event_source_id && (rule.evidence === null || rule.evidence === event.evidence);
}

function checkFirings(
  events: readonly EventRow[],
  rules: readonly EventRuleRow[],
  jobs: readonly JobRow[],
  findings: Findings,
): void {
  const caused = groupBy(jobs, (job) => job.event_id);
  for (const event of events) {
    const { id, state } = event;
    findings.check(state !== 'pending', () => `Event ${id} is still pending.`);
    const made = caused.get(id) ?? [];
    caused.delete(id);
    const matching = rules.filter((rule) => matches(rule, event));
    for (const rule of matching) {
      const count = made.filter(({ runtemplate_id }) => runtemplate_id === rule.runtemplate_id).length;
      const hasFired = event.fired?.filter((fired) => fired === rule.id).length ?? 0;
      const expected = state === 'done' ? 1 : hasFired;
      findings.check(
        count === expected && hasFired === expected,
        () => `Event ${id} (${state}) fired rule ${rule.id} ${hasFired} times and made ${count} jobs of it.`,
      );
    }
    const targets = new Set(matching.map((rule) => rule.runtemplate_id));
    const others = made.filter((job) => !targets.has(job.runtemplate_id));
    findings.check(others.length === 0, () => `Event ${id} made ${others.length} jobs without a rule.`);
  }
  caused.delete(null);
  for (const [id, made] of caused) findings.check(false, () => `Job ${made[0]?.id} is of the unknown Event ${id}.`);
}

/** Checks that each change whose report was acknowledged is one event, and that no change is two. */
export function checkReports({ records }: FinalState, reported: ReadonlySet<string>, findings: Findings): void {
  const events = ((records.get('Event') ?? []) as EventRow[]).filter(({ kind }) => kind === 'source');
  const byKey = groupBy(events, ({ key }) => key);
  for (const key of reported)
    findings.check(byKey.get(key)?.length === 1, () => `Change ${key} is ${byKey.get(key)?.length ?? 0} events.`);
  for (const [key, { length }] of byKey) findings.check(length === 1, () => `Change ${key} is ${length} events.`);
}
