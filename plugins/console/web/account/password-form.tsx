import { type FieldProblem, Problem } from '../data/problem.ts';
import { request } from '../data/request.ts';
import { type Session, signIn } from '../data/session.ts';
import { useSending } from '../form/sending.ts';
import { problemsOf } from '../form/values.ts';
import { Clause } from '../parts/clause.tsx';
import { say } from '../parts/messages.tsx';
import { Mistake } from '../parts/mistake.tsx';
import { words } from '../words/words.ts';

const minLength = 12;

const names = ['old_password', 'password', 'repeated'] as const;

/** Changes the own password. All sessions end by that: this browser signs in again by the new one. */
export function PasswordForm({ user: { id, login } }: Pick<Session, 'user'>) {
  const text = words.value.account;
  const change = async (form: HTMLFormElement) => {
    const typed = new FormData(form);
    const password = String(typed.get('password'));
    if (password !== typed.get('repeated'))
      throw new Problem(422, 'invalid', text.differs, [{ field: 'repeated', message: text.differs }]);
    const body = { old_password: typed.get('old_password'), password };
    await request(`/user/${id}.json`, { method: 'POST', body });
    await signIn(login, password);
    form.reset();
    say(text.changed);
  };
  const { onSubmit, onInput, isBusy, errors, failure } = useSending(names, change);
  return (
    <form class="password" onSubmit={onSubmit} onInput={onInput}>
      <input type="text" name="username" autocomplete="username" value={login} readOnly hidden />
      <PasswordField name="old_password" label={text.oldPassword} autocomplete="current-password" errors={errors} />
      <PasswordField
        name="password"
        label={text.newPassword}
        autocomplete="new-password"
        errors={errors}
        help={text.rule}
      />
      <PasswordField name="repeated" label={text.repeated} autocomplete="new-password" errors={errors} />
      <Mistake of={failure} />
      <button type="submit" aria-busy={isBusy}>
        {isBusy ? text.changing : text.change}
      </button>
    </form>
  );
}

interface PasswordFieldProps {
  readonly name: (typeof names)[number];
  readonly label: string;
  readonly autocomplete: 'current-password' | 'new-password';
  readonly errors: readonly FieldProblem[];
  readonly help?: string;
}

function PasswordField({ name, label, autocomplete, errors, help }: PasswordFieldProps) {
  const [mistake] = problemsOf(errors, name);
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
        <span id={`${name}-mistake`} class="mistake">
          {/* The service knows no second password: the page compares both. */}
          {name === 'repeated' ? mistake.message : <Clause of={mistake.message} />}
        </span>
      )}
      {help !== undefined && <span id={`${name}-help`}>{help}</span>}
    </div>
  );
}
