import type { ActionDelivery, AnyAction } from '../action/action.ts';
import { type ActionLists, noActions } from '../action/action-lists.ts';
import { idOf } from '../action/listed-action.ts';
import { Company } from '../company/company.ts';
import { errorMessage } from '../errors.ts';
import { Job } from '../job/job.ts';
import { isJobEnded } from '../job/job-states.ts';
import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';
import { type Options, secretOptionPaths } from '../records/plugin-options.ts';
import type { ByName } from '../registry/missing-extension.ts';
import type { Vault } from '../secret/vault.ts';
import { readByIds } from '../store/rows.ts';
import type { Tables } from '../store/store.ts';
import { isTaskEnded, Task } from '../task/task.ts';
import { RunTemplate } from '../template/run-template.ts';
import type { DeliveryRow } from './delivery.ts';
import { readDigest } from './digest.ts';
import { listColumns, type OwnedLists, optionsOf } from './listed-options.ts';

export interface DeliveryContext {
  readonly actions: ByName<AnyAction>;
  readonly serviceActions: ActionLists;
  readonly vault: Vault;
  /** Returns where people read about a record, by its path: `task/12`; null = nowhere. */
  recordUrl(path: string): string | null;
}

/** A delivery that is ready to be sent, or cannot be. */
export type PreparedDelivery = { readonly row: DeliveryRow } & (
  | {
      readonly action: AnyAction;
      /** What it tells, but for the output of the job. */
      readonly delivery: Omit<ActionDelivery, 'deactivateTemplate' | 'notice'> & {
        readonly notice: Omit<ActionDelivery['notice'], 'output'>;
      };
      /** The values that must not be shown of what the action says. */
      readonly secrets: readonly string[];
    }
  | { readonly problem: string }
);

/** Reads what the deliveries need: the options as they are now, so that who corrects them helps deliveries that wait. */
export async function prepareDeliveries(
  tables: Tables,
  rows: readonly DeliveryRow[],
  context: DeliveryContext,
): Promise<PreparedDelivery[]> {
  const idsOf = (owner: DeliveryRow['owner'], column: 'runtemplate_id' | 'company_id') =>
    rows.flatMap((row) => (row.owner === owner ? (row[column] ?? []) : []));
  const starts = rows.filter((row) => row.event === 'on_start');
  const [templates, companies, tasks, jobs] = await Promise.all([
    readByIds(tables, RunTemplate, idsOf('runtemplate', 'runtemplate_id'), listColumns),
    readByIds(tables, Company, idsOf('company', 'company_id'), listColumns),
    readByIds(
      tables,
      Task,
      starts.flatMap((row) => row.task_id ?? []),
      ['id', 'state'],
    ),
    readByIds(
      tables,
      Job,
      starts.flatMap((row) => row.job_id ?? []),
      ['id', 'state'],
    ),
  ]);
  const listsOf = (row: DeliveryRow): OwnedLists | undefined => {
    if (row.owner === 'service') return context.serviceActions;
    return row.owner === 'company' ? companies.get(row.company_id ?? 0) : templates.get(row.runtemplate_id ?? 0);
  };
  const hasEnded = (row: DeliveryRow): boolean => {
    if (row.event !== 'on_start') return true;
    const task = tasks.get(row.task_id ?? 0);
    const job = jobs.get(row.job_id ?? 0);
    // The job of a Task that has ended may be a repetition, which runs.
    return (task === undefined || isTaskEnded(task.state)) && (job === undefined || isJobEnded(job.state));
  };
  const prepared: PreparedDelivery[] = [];
  for (const row of rows) {
    await yieldToEventLoop();
    const found = findListed(row, listsOf(row) ?? noActions(), context);
    if ('problem' in found) {
      prepared.push({ row, problem: found.problem });
      continue;
    }
    const { action, options } = found;
    const link = context.recordUrl(row.task_id === null ? `job/${row.job_id}` : `task/${row.task_id}`);
    const digest = row.collected ? await readDigest(tables, row) : null;
    const notice = { ...row.notice, digest, link };
    const delivery = { id: row.message_id, attempt: row.attempts, options, notice, hasEnded: hasEnded(row) };
    prepared.push({ row, action, delivery, secrets: secretsIn(action, options) });
  }
  return prepared;
}

/** Finds the action of a delivery in its list, which may have been changed since, by the id that it has there. */
function findListed(
  row: DeliveryRow,
  lists: OwnedLists,
  { actions, vault }: DeliveryContext,
): { readonly action: AnyAction; readonly options: Options } | { readonly problem: string } {
  const action = actions.get(row.action);
  if (!action) return { problem: `No loaded plugin provides the action ${row.action}.` };
  const { owner, event } = row;
  const position = lists[event].findIndex(
    (listed, place) => listed.action === row.action && idOf(listed, place) === row.listed_id,
  );
  if (position < 0) return { problem: `The action ${row.action} was removed from ${event} of ${ownerName(row)}.` };
  try {
    return { action, options: optionsOf(vault, action, { owner, lists, event, position }) };
  } catch (error) {
    return { problem: errorMessage(error) };
  }
}

function ownerName({ owner, runtemplate_id, company_id }: DeliveryRow): string {
  if (owner === 'service') return 'the setting actions of the service';
  return owner === 'company' ? `Company ${company_id}` : `RunTemplate ${runtemplate_id}`;
}

export function secretsIn(action: AnyAction, options: Options): string[] {
  const values = secretOptionPaths([], action.options).map(([name]) => options[name as string]);
  return values.flatMap((value) =>
    typeof value === 'string' ? [value] : Array.isArray(value) ? value.map(String) : [],
  );
}
