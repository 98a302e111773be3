import { signal } from '@preact/signals';
import { now } from '../data/clock.ts';
import { read, request } from '../data/request.ts';
import type { SavedChange } from '../data/why.ts';
import { ask } from '../parts/ask.tsx';
import { say } from '../parts/messages.tsx';
import { words } from '../words/words.ts';
import type { PauseInForce } from './answers.ts';

const post = <T = { readonly id: number }>(path: string, body: unknown = {}) =>
  request<T>(path, { method: 'POST', body });

/** Has the job of a Task, or of a template, run again. */
export async function runAgain(
  name: string,
  job: { readonly runtemplate_id: number; readonly task_id: number | null },
) {
  const { task_id, runtemplate_id } = job;
  const body = { runtemplate_id, ...(task_id !== null && { task_id }), scheduled_at: 'now' };
  const { value } = await post('/job/', body);
  const text = words.value.now;
  say(text.startedAgain(name), async () => {
    await post(`/job/${value.id}.json`, { state: 'cancelled', reason: text.takenBack });
    say(text.cancelled(name));
  });
}

/** Asks for the reason, and cancels a job that runs. */
export async function cancelJob(name: string, id: number): Promise<void> {
  const text = words.value.now;
  const reason = await askReason({
    title: text.cancelTitle(name),
    explained: text.cancelWhat,
    confirm: text.cancelRun,
    dismiss: text.keepRunning,
  });
  if (reason === null) return;
  await post(`/job/${id}.json`, { state: 'cancelled', reason });
  say(text.cancelled(name));
}

/** Asks for the reason, and waives a Task: it is no longer owed. */
export async function waive(name: string, taskId: number): Promise<void> {
  const text = words.value.now;
  const reason = await askReason({ title: text.waiveTitle(name), explained: text.waiveWhat, confirm: text.waiveRun });
  if (reason === null) return;
  await post(`/task/${taskId}/waive.json`, { reason });
  say(text.waived(name));
}

interface Asked {
  readonly title: string;
  readonly explained: string;
  readonly confirm: string;
  readonly dismiss?: string;
}

async function askReason(asked: Asked): Promise<string | null> {
  const content = (
    <>
      <p>{asked.explained}</p>
      <label>
        {words.value.now.reason}
        <input name="reason" required maxLength={1000} autocomplete="off" />
      </label>
    </>
  );
  const { explained: _shown, ...question } = asked;
  const form = await ask({ ...question, content });
  return form === null ? null : String(form.get('reason'));
}

/** Ends a pause now. */
export async function resume(pause: PauseInForce, name: string): Promise<void> {
  const text = words.value.now;
  await post(`/pause/${pause.id}.json`, { until: new Date(0).toISOString() });
  const { runtemplate_id, company_id, until, reason } = pause;
  const isOver = until !== null && Date.parse(until) <= now.peek();
  say(
    text.resumed(name),
    isOver
      ? null
      : async () => {
          await post('/pause/', {
            ...(runtemplate_id !== null ? { runtemplate_id } : { company_id }),
            ...(until !== null && { until }),
            reason,
          });
          say(text.pausedAgain(name));
        },
  );
}

/** The changes that were undone on this page: who looks at them again may not undo them twice. */
const undone = signal<ReadonlySet<number>>(new Set());

export function isUndone({ auditlog_id }: Pick<SavedChange, 'auditlog_id'>): boolean {
  return undone.value.has(auditlog_id);
}

/** Saves the values that a record had before a change. */
export async function undoChange({ auditlog_id, entity_type, entity_id, name }: SavedChange): Promise<void> {
  const text = words.value.now;
  await post(`/auditlog/${auditlog_id}/undo.json`);
  undone.value = new Set([...undone.value, auditlog_id]);
  const [entry] = await read<readonly { readonly id: number }[]>('/auditlog.json', {
    entity_type,
    entity_id,
    limit: 1,
  });
  const title = name ?? entity_type;
  say(
    text.undone(title),
    entry
      ? async () => {
          await post(`/auditlog/${entry.id}/undo.json`);
          undone.value = new Set([...undone.value].filter((id) => id !== auditlog_id));
          say(text.redone(title));
        }
      : null,
  );
}

/** Switches a record on that keeps jobs from running. */
export async function switchOn(path: string, field: 'active' | 'enabled', name: string): Promise<void> {
  const text = words.value.now;
  await post(path, { [field]: true });
  say(text.switchedOn(name), async () => {
    await post(path, { [field]: false });
    say(text.switchedOff(name));
  });
}
