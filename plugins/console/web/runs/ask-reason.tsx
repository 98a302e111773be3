import type { ComponentChildren } from 'preact';
import { ask } from '../parts/ask.tsx';
import { words } from '../words/words.ts';

interface ReasonQuestion {
  readonly title: string;
  readonly content: ComponentChildren;
  readonly confirm: string;
  readonly required?: boolean;
}

/** Asks for the reason of an action. @returns null where it was closed; empty where none was typed. */
export async function askReason({ title, content, confirm, required = false }: ReasonQuestion): Promise<string | null> {
  const form = await ask({
    title,
    confirm,
    content: (
      <>
        <p>{content}</p>
        <label>
          {required ? words.value.runs.reason : words.value.runs.reasonIfAny}
          <input name="reason" maxLength={500} required={required} autoComplete="off" />
        </label>
      </>
    ),
  });
  return form === null ? null : String(form.get('reason') ?? '').trim();
}
