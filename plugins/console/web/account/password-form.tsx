import { useSignal } from '@preact/signals';
import { messageOf, Problem } from '../data/problem.ts';
import { request } from '../data/request.ts';
import { type Session, signIn } from '../data/session.ts';
import { say } from '../parts/messages.tsx';
import { words } from '../words/words.ts';

const minLength = 12;

/** By the name of the field, or `form` for what is about none of them. */
type Mistakes = Readonly<Partial<Record<'old_password' | 'password' | 'repeated' | 'form', string>>>;

/** Changes the own password. All sessions end by that: this browser signs in again by the new one. */
export function PasswordForm({ user: { id, login } }: Pick<Session, 'user'>) {
  const text = words.value.account;
  const isBusy = useSignal(false);
  const mistakes = useSignal<Mistakes>({});
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const typed = (name: string) => String(new FormData(form).get(name));
    const password = typed('password');
    if (password !== typed('repeated')) {
      mistakes.value = { repeated: text.differs };
      return;
    }
    isBusy.value = true;
    mistakes.value = {};
    try {
      const body = { old_password: typed('old_password'), password };
      await request(`/user/${id}.json`, { method: 'POST', body });
      await signIn(login, password);
      form.reset();
      say(text.changed);
    } catch (error) {
      mistakes.value = mistakesOf(error);
    } finally {
      isBusy.value = false;
    }
  };
  return (
    <form class="password" onSubmit={submit}>
      <input type="text" name="username" autocomplete="username" value={login} readOnly hidden />
      <PasswordField
        name="old_password"
        label={text.oldPassword}
        autocomplete="current-password"
        mistake={mistakes.value.old_password}
      />
      <PasswordField
        name="password"
        label={text.newPassword}
        autocomplete="new-password"
        mistake={mistakes.value.password}
        help={text.rule}
      />
      <PasswordField
        name="repeated"
        label={text.repeated}
        autocomplete="new-password"
        mistake={mistakes.value.repeated}
      />
      {mistakes.value.form !== undefined && (
        <p class="mistake" role="alert">
          {mistakes.value.form}
        </p>
      )}
      <button type="submit" disabled={isBusy.value}>
        {isBusy.value ? text.changing : text.change}
      </button>
    </form>
  );
}

function mistakesOf(error: unknown): Mistakes {
  const fields = error instanceof Problem ? error.errors : [];
  const known = fields.filter(({ field }) => field === 'old_password' || field === 'password');
  return known.length > 0
    ? Object.fromEntries(known.map(({ field, message }) => [field, message]))
    : { form: messageOf(error) };
}

interface PasswordFieldProps {
  readonly name: 'old_password' | 'password' | 'repeated';
  readonly label: string;
  readonly autocomplete: 'current-password' | 'new-password';
  readonly mistake: string | undefined;
  readonly help?: string;
}

function PasswordField({ name, label, autocomplete, mistake, help }: PasswordFieldProps) {
  const describedBy = [help !== undefined && `${name}-help`, mistake !== undefined && `${name}-mistake`];
  return (
    <div class="field">
      <label for={name}>{label}</label>
      <input
        id={name}
        name={name}
        type="password"
        required
        autocomplete={autocomplete}
        {...(autocomplete === 'new-password' && { minLength })}
        aria-invalid={mistake !== undefined}
        aria-describedby={describedBy.filter((each) => each !== false).join(' ') || undefined}
      />
      {mistake !== undefined && (
        <span id={`${name}-mistake`} class="mistake" role="alert">
          {mistake}
        </span>
      )}
      {help !== undefined && <span id={`${name}-help`}>{help}</span>}
    </div>
  );
}
