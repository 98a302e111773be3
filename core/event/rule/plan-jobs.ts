import { checkVariable } from '../../app/variable-value.ts';
import { maxPart } from '../../attempt/attempt-size.ts';
import { utf8Size } from '../../field/utf8-size.ts';
import type { InputFile } from '../../job/artifact.ts';
import { isCiphertext } from '../../secret/ciphertext.ts';
import type { EventRow } from '../event.ts';
import type { EventRuleRow } from './event-rule.ts';
import type { PlanningBudget } from './planning-budget.ts';
import { type RuleTarget, variableOf } from './rule-targets.ts';
import { fanOut, parseSelector, type Selectable, type SelectedValue, select } from './selector.ts';

/** The values that a job of an event is given, in the clear. */
export interface PlannedJob {
  readonly values: Readonly<Record<string, string>>;
  readonly files: readonly InputFile[];
}

/** A chain of more jobs stops: rules refuse to close a loop, but sources may close one. */
export const maxDepth = 32;

/**
 * Decides which jobs a rule makes of an event: one, or one for each element of the lists that its selectors find.
 * @param max how many there may be.
 * @param room how many jobs of the company may still wait.
 * @param budget what its rules may still hand on of the event.
 * @throws Error with a sentence on why there are none.
 */
export function planJobs(
  event: EventRow,
  rule: Pick<EventRuleRow, 'env_mapping'>,
  target: RuleTarget,
  from: Selectable,
  { max, room, budget }: { readonly max: number; readonly room: number; readonly budget: PlanningBudget },
): readonly PlannedJob[] {
  if (target.refusal !== null) throw new Error(target.refusal);
  if (event.depth > maxDepth) throw new Error(`the chain that led to it has more than ${maxDepth} jobs`);
  const isChain = event.kind !== 'source';
  const selected = Object.entries(rule.env_mapping).map(([variable, text]) => {
    try {
      return [variable, select(parseSelector(text, isChain), from, budget)] as const;
    } catch (error) {
      throw new Error(`${variable} by ${text}: ${(error as Error).message}`);
    }
  });
  const jobs = fanOut(Object.fromEntries(selected), max);
  if (jobs.length > room)
    throw new Error(
      jobs.length === 1
        ? 'as many jobs of the company wait as may'
        : `it makes ${jobs.length} jobs, and only ${Math.max(0, room)} further ones of the company may wait`,
    );
  const variables = eventVariables(event);
  // Before anything is built of them.
  for (const values of jobs) budget.spend(sizeOf(variables) + sizeOf(values));
  return jobs.map((values) => plannedJob(values, variables, target));
}

function sizeOf(values: Readonly<Record<string, SelectedValue>>): number {
  return Object.entries(values).reduce(
    (size, [name, value]) => size + name.length + (typeof value === 'string' ? value : value.filename).length,
    0,
  );
}

function plannedJob(
  given: Readonly<Record<string, SelectedValue>>,
  variables: Readonly<Record<string, string>>,
  target: RuleTarget,
): PlannedJob {
  const values: Record<string, string> = { ...variables };
  const files: InputFile[] = [];
  for (const [variable, value] of Object.entries(given)) {
    if (!target.declared.keys.has(variable))
      throw new Error(`${variable} is declared neither by App ${target.template.app_id} nor by a credential`);
    if (typeof value === 'string') values[variable] = checked(variable, value, target);
    else {
      const mark = `@file:${value.id}/${value.filename.split('/').at(-1)}`;
      values[variable] = checked(variable, mark, target);
      files.push({ artifact_id: value.id, size: value.size, mark });
    }
  }
  return { values, files };
}

function checked(variable: string, value: string, target: RuleTarget): string {
  if (utf8Size(variable) + '='.length + utf8Size(value) > maxPart)
    throw new Error(`${variable} would be longer than the ${maxPart} bytes that a variable may have`);
  if (isCiphertext(value)) throw new Error(`${variable} may not begin like an encrypted value`);
  const problem = checkVariable(variableOf(target, variable) ?? {}, value);
  if (problem) throw new Error(`${variable} ${problem}`);
  return value;
}

/** Returns the variables that tell every job of an event what caused it. */
function eventVariables(event: EventRow): Record<string, string> {
  const isSource = event.kind === 'source';
  return {
    EVENT_ID: String(event.id),
    EVENT_EVIDENCE: (isSource ? event.evidence : event.event) ?? '',
    EVENT_OPERATION: (isSource ? event.operation : null) ?? '',
    EVENT_RECORD_ID: isSource ? (event.record_id ?? '') : String(event.task_id ?? event.job_id ?? ''),
  };
}
