import { useSignal } from '@preact/signals';
import { now } from '../data/clock.ts';
import { choicesOf, nameOfField, useModel } from '../data/model.ts';
import { recordOf, titleOf } from '../data/records.ts';
import { read, request } from '../data/request.ts';
import { ask } from '../parts/ask.tsx';
import { say } from '../parts/messages.tsx';
import { words } from '../words/words.ts';

/** What is paused, until when and why. */
interface Pause {
  readonly id: number;
  /** Null = it holds more than one template. */
  readonly runtemplate_id: number | null;
  /** Null = it holds all companies, unless it holds one template. */
  readonly company_id: number | null;
  readonly until: string | null;
  readonly reason: string;
  readonly catch_up?: string;
}

interface PausedTemplate {
  readonly id: number;
  readonly name: string;
  readonly pause_id: number | null;
}

/** The fields of a pause that a person decides about. */
export type PauseFields = Readonly<Pick<Pause, 'reason' | 'until'> & { readonly catch_up?: string }>;

/** Asks why and for how long templates are to be paused. @returns null where it was closed. */
export async function askForPause(names: readonly string[]): Promise<PauseFields | null> {
  const text = words.value.pause;
  const form = await ask({
    title: text.title(names),
    content: (
      <>
        <p class="soft">{text.effect(names.length)}</p>
        <label class="field">
          <span>
            {text.reason} <span class="required">{words.value.form.required}</span>
          </span>
          <input name="reason" required maxLength={255} autofocus />
        </label>
        <PauseEnd />
        <CatchUp />
      </>
    ),
    confirm: text.confirm,
  });
  if (!form) return null;
  const catchUp = form.get('catch_up');
  return {
    reason: String(form.get('reason')),
    until: endOf(form),
    ...(catchUp !== null && { catch_up: String(catchUp) }),
  };
}

/** The end of a pause that takes until a time that the reader types, in her zone. */
const untilTime = 'time';

/** When the pause of a form ends; null = a person resumes. */
function endOf(form: FormData): string | null {
  const until = String(form.get('until'));
  if (until === untilTime) return new Date(String(form.get('time'))).toISOString();
  return until === '0' ? null : new Date(now.peek() + Number(until) * 60_000).toISOString();
}

/** For how long a pause takes, or until when. */
function PauseEnd() {
  const text = words.value.pause;
  const until = useSignal<string>('0');
  return (
    <>
      <Choices
        name="until"
        label={text.until}
        options={text.spans}
        onChange={(value) => {
          until.value = value;
        }}
      />
      {until.value === untilTime && (
        <label class="field">
          <span>
            {text.time} <span class="required">{words.value.form.required}</span>
          </span>
          <input name="time" type="datetime-local" required />
        </label>
      )}
    </>
  );
}

/** What becomes of the windows that pass meanwhile, by the field of a pause, once the model of the service is there. */
function CatchUp() {
  const field = 'catch_up';
  return useModel() && <Choices name={field} label={nameOfField('Pause', field)} options={choicesOf('Pause', field)} />;
}

interface ChoicesProps {
  readonly name: string;
  readonly label: string;
  readonly options: readonly (readonly [value: string, text: string, ...rest: unknown[]])[];
  readonly onChange?: (value: string) => void;
}

function Choices({ name, label, options, onChange }: ChoicesProps) {
  return (
    <label class="field">
      {label}
      <select name={name} onChange={({ currentTarget }) => onChange?.(currentTarget.value)}>
        {options.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Holds the jobs of a template from now on. @throws Problem */
export async function pause(runtemplate_id: number, fields: PauseFields): Promise<Pause> {
  return (await request<Pause>('/pause/', { method: 'POST', body: { runtemplate_id, ...fields } })).value;
}

/** Asks, and pauses one template; Undo resumes it. @throws Problem */
export async function askAndPause({ id, name }: PausedTemplate): Promise<void> {
  const fields = await askForPause([name]);
  if (!fields) return;
  const paused = await pause(id, fields);
  say(words.value.pause.done(name), { undo: () => resume(paused, name) });
}

/**
 * Ends a pause now, and says so; Undo makes it again, unless its time is over.
 * @param changing is called before each, for the list that shows pauses.
 * @throws Problem
 */
export async function resume(ended: Pause, name: string, changing = () => {}): Promise<void> {
  const text = words.value.pause;
  changing();
  await end(ended.id);
  const { runtemplate_id, company_id, until, reason, catch_up } = ended;
  const body = {
    ...(runtemplate_id !== null ? { runtemplate_id } : { company_id }),
    ...(until !== null && { until }),
    ...(catch_up !== undefined && { catch_up }),
    reason,
  };
  const isOver = until !== null && Date.parse(until) <= now.peek();
  const again = async () => {
    changing();
    await request('/pause/', { method: 'POST', body });
    say(text.again(name));
  };
  say(text.resumed(name), { undo: isOver ? null : again });
}

/** Resumes a template. A pause that holds others too is ended only after a question. @throws Problem */
export async function resumeTemplate({ pause_id, name }: PausedTemplate): Promise<void> {
  if (pause_id === null) return;
  const text = words.value.pause;
  const paused = await read<Pause>(`/pause/${pause_id}.json`);
  if (paused.runtemplate_id !== null) return resume(paused, name);
  const all = scopeOf(paused);
  const form = await ask({
    title: text.resumeTitle(all),
    content: <p>{text.resumeWhat(name)}</p>,
    confirm: text.resume,
  });
  if (form) await resume(paused, all);
}

/** Resumes one of several templates. @throws Problem also where a pause holds others too, which stays. */
export async function resumeAlone({ pause_id }: PausedTemplate): Promise<void> {
  if (pause_id === null) return;
  const paused = await read<Pause>(`/pause/${pause_id}.json`);
  if (paused.runtemplate_id === null) throw new Error(words.value.pause.holdsMore(scopeOf(paused)));
  await end(pause_id);
}

/** A time that has passed resumes at once, and the pause stays in the record. */
async function end(id: number): Promise<void> {
  await request(`/pause/${id}.json`, { method: 'POST', body: { until: new Date(0).toISOString() } });
}

function scopeOf({ company_id }: Pause): string {
  const company = company_id === null ? null : recordOf('Company', company_id);
  return company ? titleOf(company) : words.value.pause.everything;
}
