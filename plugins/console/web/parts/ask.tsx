import { signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { words } from '../words/words.ts';
import { Mistake } from './mistake.tsx';

interface Question {
  readonly title: string;
  /** What will happen, or the fields that it needs. */
  readonly content: ComponentChildren;
  /** What the button says that does it. */
  readonly confirm: string;
  /** What the button says that does nothing. @default the word for it */
  readonly dismiss?: string;
}

const question = signal<(Question & { answer(form: FormData | null): void }) | null>(null);

/**
 * Asks before what cannot be undone, or for values that an action needs.
 * @returns the values of the fields in its content; null = it was closed.
 */
export function ask(asked: Question): Promise<FormData | null> {
  question.value?.answer(null);
  return new Promise((resolve) => {
    const own = {
      ...asked,
      answer(form: FormData | null) {
        if (question.value === own) question.value = null;
        resolve(form);
      },
    };
    question.value = own;
  });
}

/** Shows the question that is asked. Escape closes it, and the focus returns to where it was. */
export function Asked() {
  return question.value && <AskedDialog key={question.value.title} {...question.value} />;
}

function AskedDialog({ title, content, confirm, dismiss, answer }: NonNullable<typeof question.value>) {
  const dialog = useRef<HTMLDialogElement>(null);
  const isIncomplete = useSignal(false);
  useEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    return () => {
      // While it is open, nothing beneath it can have the focus.
      dialog.current?.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <dialog ref={dialog} class="ask" aria-labelledby="asked" onClose={() => answer(null)}>
      <form
        method="dialog"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          const form = event.currentTarget;
          const missing = markMissing(form);
          isIncomplete.value = missing !== undefined;
          if (missing) missing.focus();
          else answer(new FormData(form));
        }}
      >
        <h1 id="asked">{title}</h1>
        {content}
        <Mistake of={isIncomplete.value ? words.value.form.incomplete : null} />
        <div class="acts">
          <button type="submit" class="primary">
            {confirm}
          </button>
          <button type="button" onClick={() => answer(null)}>
            {dismiss ?? words.value.act.cancel}
          </button>
        </div>
      </form>
    </dialog>
  );
}

/** Marks the fields that are required and empty for screen readers and the eye. @returns the first one */
function markMissing(form: HTMLFormElement): HTMLElement | undefined {
  const fields = [...form.querySelectorAll<HTMLInputElement>('input, select, textarea')];
  for (const field of fields) field.ariaInvalid = field.validity.valid ? null : 'true';
  return fields.find((field) => !field.validity.valid);
}
