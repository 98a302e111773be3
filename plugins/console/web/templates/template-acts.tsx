import { request } from '../data/request.ts';
import { ask } from '../parts/ask.tsx';
import { say } from '../parts/messages.tsx';
import { words } from '../words/words.ts';
import type { Template } from './template-answer.ts';

interface SavedRecord {
  readonly id: number;
}

/** Runs a template once now, beside its windows. */
export async function runNow(id: number): Promise<number> {
  const { value } = await request<SavedRecord>('/job', {
    method: 'POST',
    body: { runtemplate_id: id, scheduled_at: 'now' },
  });
  return value.id;
}

/** Switches a template on or off. */
export async function setActive(id: number, active: boolean): Promise<void> {
  await request(`/runtemplate/${id}.json`, { method: 'POST', body: { active } });
}

/** Holds the jobs of a template from now on. @returns the id of the pause. */
export async function pause(
  template: Pick<Template, 'id'>,
  fields: Readonly<Record<string, unknown>>,
): Promise<number> {
  const body = { runtemplate_id: template.id, ...fields };
  return (await request<SavedRecord>('/pause', { method: 'POST', body })).value.id;
}

/** Lets the jobs that a pause holds start again. */
export async function resume(pauseId: number): Promise<void> {
  await request(`/pause/${pauseId}.json`, { method: 'DELETE' });
}

/** Asks why and for how long. @returns the fields of the pause; null = it was closed. */
export async function askForPause(names: readonly string[]): Promise<Readonly<Record<string, unknown>> | null> {
  const text = words.value.pause;
  const form = await ask({
    title: text.title(names),
    content: (
      <>
        <p class="soft">{text.effect}</p>
        <label class="field">
          {text.reason}
          <input name="reason" required maxLength={1000} autofocus />
        </label>
        <label class="field">
          {text.until}
          <select name="until">
            {text.spans.map(([minutes, name]) => (
              <option key={name} value={minutes}>
                {name}
              </option>
            ))}
          </select>
        </label>
      </>
    ),
    confirm: text.confirm,
  });
  if (!form) return null;
  const minutes = Number(form.get('until'));
  return {
    reason: String(form.get('reason')),
    ...(minutes > 0 && { ends_at: new Date(Date.now() + minutes * 60_000).toISOString() }),
  };
}

/** Pauses one template after asking why, and offers to resume it. */
export async function pauseOne(template: Template): Promise<void> {
  const fields = await askForPause([template.name]);
  if (!fields) return;
  const id = await pause(template, fields);
  say(words.value.pause.done(template.name), () => resume(id));
}

/** Resumes one template. */
export async function resumeOne({ pause_id, name }: Template): Promise<void> {
  if (pause_id === null) return;
  await resume(pause_id);
  say(words.value.pause.resumed(name));
}
