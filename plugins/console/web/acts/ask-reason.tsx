import type { ComponentChildren } from 'preact';
import { ask } from '../parts/ask.tsx';
import { words } from '../words/words.ts';

interface ReasonQuestion {
  readonly title: string;
  readonly content: ComponentChildren;
  readonly confirm: string;
  readonly dismiss?: string;
  readonly required?: boolean;
}

/** Asks for the reason of an action. @returns null where it was closed; empty where none was typed. */
export async function askReason({ content, required = false, ...question }: ReasonQuestion): Promise<string | null> {
  const { act } = words.value;
  const form = await ask({
    ...question,
    content: (
      <>
        <p>{content}</p>
        <label>
          {required ? act.reason : act.reasonIfAny}
          {required && <span class="required"> {words.value.form.required}</span>}
          <input name="reason" maxLength={500} required={required} autoComplete="off" />
        </label>
      </>
    ),
  });
  return form === null ? null : String(form.get('reason') ?? '').trim();
}
