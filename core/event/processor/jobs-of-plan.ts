import { checkVariable } from '../../app/variable-value.ts';
import { utf8Size } from '../../bytes/utf8-size.ts';
import { maxPart } from '../../environment/attempt-size.ts';
import type { InputFile } from '../../job/artifact.ts';
import type { JobRow } from '../../job/job.ts';
import { newJob } from '../../job/new-job.ts';
import { encryptOverride, maskOverrides } from '../../job/overrides.ts';
import type { Instant } from '../../loop/clock.ts';
import { isCiphertext } from '../../secret/ciphertext.ts';
import type { Vault } from '../../secret/vault.ts';
import type { EventRow } from '../event.ts';
import { type RuleTarget, type RuleTargets, variableOf } from '../rule/rule-targets.ts';
import type { JobValues } from '../rule/selector.ts';
import { eventVariables } from './event-variables.ts';
import type { RulePlan } from './plan-jobs.ts';

/** A chain of 33 jobs stops: rules refuse to close a loop, but sources may close one. */
export const maxDepth = 32;

/**
 * Returns the jobs of a plan, as its template, App and company are by now, and counts them among those that wait.
 * @throws Error with a sentence on why the rule cannot fire.
 */
export function jobsOfPlan(
  event: EventRow,
  { rule, jobs, problem }: RulePlan,
  { targets, room }: RuleTargets,
  { at, vault }: { readonly at: Instant; readonly vault: Vault },
): Omit<JobRow, 'id'>[] {
  const target = targets.get(rule.runtemplate_id);
  if (!target) throw new Error(`there is no RunTemplate ${rule.runtemplate_id}`);
  if (target.refusal !== null) throw new Error(target.refusal);
  if (event.depth > maxDepth) throw new Error(`the chain that led to it has more than ${maxDepth} jobs`);
  if (problem !== null) throw new Error(problem);
  const { company_id } = target.template;
  const left = room.get(company_id) ?? 0;
  if (jobs.length > left)
    throw new Error(
      jobs.length === 1
        ? 'the company has the maximum number of waiting jobs'
        : `it makes ${jobs.length} jobs, and only ${Math.max(0, left)} further ones of the company may wait`,
    );
  const rows = jobs.map((values) => jobOf(event, values, target, { at, vault }));
  room.set(company_id, left - rows.length);
  return rows;
}

function jobOf(
  event: EventRow,
  given: JobValues,
  target: RuleTarget,
  { at, vault }: { readonly at: Instant; readonly vault: Vault },
): Omit<JobRow, 'id'> {
  const { template, secrets } = target;
  const { values, files } = checkedValues(given, target);
  const overrides = Object.fromEntries(
    Object.entries({ ...eventVariables(event), ...values }).map(([key, value]) => [
      key,
      secrets.has(key) ? encryptOverride(vault, template.id, key, value) : value,
    ]),
  );
  const trigger = event.kind === 'source' ? ('event' as const) : ('chain' as const);
  return {
    ...newJob(template, { taskId: null, attempt: 1, trigger, at }),
    event_id: event.id,
    overrides,
    environment: maskOverrides(overrides),
    input_files: files.length > 0 ? files : null,
  };
}

/** Checks values against what the App and the credentials declare. */
function checkedValues(given: JobValues, target: RuleTarget) {
  const values: Record<string, string> = {};
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
