import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { messageOf } from '../data/problem.ts';
import { lastLogin, signIn } from '../data/session.ts';
import { words } from '../words/words.ts';

/** Signs in. @param isAgain whether a session has ended: then the page waits beneath, as it was. */
export function SignIn({ isAgain }: { readonly isAgain: boolean }) {
  const { signIn: text } = words.value;
  const isSubmitting = useSignal(false);
  const failure = useSignal<string | null>(null);
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (isAgain) dialog.current?.showModal();
  }, [isAgain]);

  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    isSubmitting.value = true;
    failure.value = null;
    try {
      await signIn(String(form.get('login')), String(form.get('password')));
    } catch (error) {
      failure.value = messageOf(error);
    } finally {
      isSubmitting.value = false;
    }
  };

  const form = (
    <form class="sign-in" onSubmit={submit}>
      <p class="brand">Horarium</p>
      <h1>{text.title}</h1>
      {isAgain && <p class="soft">{text.ended}</p>}
      <label>
        {text.login}
        <input
          name="login"
          autocomplete="username"
          required
          autofocus={lastLogin.value === ''}
          defaultValue={lastLogin.value}
        />
      </label>
      <label>
        {text.password}
        <input
          name="password"
          type="password"
          autocomplete="current-password"
          required
          autofocus={lastLogin.value !== ''}
        />
      </label>
      {failure.value !== null && (
        <p class="mistake" role="alert">
          {failure}
        </p>
      )}
      <button type="submit" class="primary" disabled={isSubmitting}>
        {isSubmitting.value ? text.submitting : text.submit}
      </button>
      {!isAgain && <p class="soft small">{text.first}</p>}
    </form>
  );
  if (!isAgain) return <main class="alone">{form}</main>;
  return (
    <dialog ref={dialog} class="alone" aria-label={text.title} onCancel={(event) => event.preventDefault()}>
      {form}
    </dialog>
  );
}
