import { useEffect, useRef } from 'preact/hooks';
import { lastLogin, signIn } from '../data/session.ts';
import { useSending } from '../form/sending.ts';
import { Mistake } from '../parts/mistake.tsx';
import { words } from '../words/words.ts';

/** Signs in. @param isAgain whether a session has ended: then the page waits beneath, as it was. */
export function SignIn({ isAgain }: { readonly isAgain: boolean }) {
  const { signIn: text } = words.value;
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (isAgain) dialog.current?.showModal();
  }, [isAgain]);

  const { onSubmit, isBusy, failure } = useSending([], async (sent) => {
    const typed = new FormData(sent);
    await signIn(String(typed.get('login')), String(typed.get('password')));
  });
  const form = (
    <form class="sign-in" onSubmit={onSubmit}>
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
      <Mistake of={failure} />
      <button type="submit" class="primary" aria-busy={isBusy}>
        {isBusy ? text.submitting : text.submit}
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
