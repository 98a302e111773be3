import { useSignal } from '@preact/signals';
import { type FieldProblem, type Message, messageOf, Problem } from '../data/problem.ts';
import { words } from '../words/words.ts';
import { problemsOf } from './values.ts';

/** What a form that is sent shows. */
interface Sending {
  readonly onSubmit: (event: SubmitEvent) => void;
  /** The mistake of a field goes once its value is changed. */
  readonly onInput: (event: Event) => void;
  readonly isBusy: boolean;
  /** The mistakes of its fields. */
  readonly errors: readonly FieldProblem[];
  /** The sentence that stands beneath the fields; null = nothing failed. */
  readonly failure: Message | null;
}

/**
 * Sends a form, once at a time. Where that fails, the mistakes stand beside the fields, and the first field that has one gets
 * the focus.
 * @param fields those that show their mistakes.
 * @param send gets the form and the button that sends it; it throws a Problem where the service refuses what it sends.
 */
export function useSending(
  fields: readonly string[],
  send: (form: HTMLFormElement, button: HTMLElement | null) => Promise<void>,
): Sending {
  const isBusy = useSignal(false);
  const errors = useSignal<readonly FieldProblem[]>([]);
  const failure = useSignal<Message | null>(null);
  const submit = async (form: HTMLFormElement, button: HTMLElement | null) => {
    if (isBusy.value) return;
    isBusy.value = true;
    errors.value = [];
    failure.value = null;
    try {
      await send(form, button);
    } catch (error) {
      if (error instanceof Problem) errors.value = error.errors;
      failure.value = messageBeside(fields, error);
      requestAnimationFrame(() => focusFirstMistake(form));
    } finally {
      isBusy.value = false;
    }
  };
  return {
    onSubmit: (event) => {
      event.preventDefault();
      void submit(event.currentTarget as HTMLFormElement, event.submitter);
    },
    onInput: ({ target }) => {
      const name = target instanceof Element ? target.getAttribute('name') : null;
      if (name === null || !errors.value.some(({ field }) => field === name)) return;
      errors.value = errors.value.filter(({ field }) => field !== name);
      if (errors.value.length === 0) failure.value = null;
    },
    isBusy: isBusy.value,
    errors: errors.value,
    failure: failure.value,
  };
}

/** Says how many fields are wrong where each says why itself. */
function messageBeside(fields: readonly string[], error: unknown): Message {
  if (!(error instanceof Problem)) return messageOf(error);
  const { errors } = error;
  const shown = fields.flatMap((name) => problemsOf(errors, name));
  return shown.length > 0 && shown.length === errors.length ? words.value.form.invalid(shown.length) : messageOf(error);
}

function focusFirstMistake(form: HTMLFormElement): void {
  form.querySelector<HTMLElement>('[aria-invalid="true"], .invalid input, .invalid select, .invalid textarea')?.focus();
}
