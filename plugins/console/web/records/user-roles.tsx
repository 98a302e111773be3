import { useSignal } from '@preact/signals';
import { useLive } from '../data/answer.ts';
import { mayWrite, useModel } from '../data/model.ts';
import { read, request } from '../data/request.ts';
import { readSession, session } from '../data/session.ts';
import { Row, Rows } from '../lists/rows.tsx';
import { useOwnChanges, useSteady } from '../lists/steady.ts';
import { Act } from '../parts/act.tsx';
import { Answered } from '../parts/answered.tsx';
import { say } from '../parts/messages.tsx';
import { Sentence } from '../parts/text/sentence.tsx';
import { When } from '../parts/when.tsx';
import { words } from '../words/words.ts';
import { mayLoseAccess } from './own-access.tsx';

interface UserRole {
  readonly name: string;
  readonly is_active: boolean;
  readonly assigned_at: string | null;
  readonly expires_at: string | null;
}

type WantedRole = Pick<UserRole, 'name' | 'expires_at'>;

/** The roles that a user has everywhere, which those who may change. */
export function UserRoles({ id }: { readonly id: number }) {
  const { userRoles: text, account } = words.value;
  const model = useModel();
  const resource = model?.resources.find(({ name }) => name === 'UserRoles');
  const path = `/user/${id}/roles`;
  const roles = useLive<readonly UserRole[]>(`${path}.json`, { kinds: ['UserRoles', `User ${id}`] });
  const rows = roles.value ?? [];
  const [own, changing] = useOwnChanges(rows.map(({ name }) => name));
  const steady = useSteady(rows, ({ name }) => name, own);
  const save = async (wanted: readonly WantedRole[]) => {
    changing();
    await request(`${path}/`, { method: 'POST', query: { replace: true }, body: { roles: wanted } });
    if (id === session.value?.user.id) await readSession();
  };
  // What is sent back as it was read stays as it is: an assignment that has expired stays expired.
  const replace = async (name: string, wanted: readonly WantedRole[], sentence: string) => {
    const former = await read<readonly UserRole[]>(`${path}.json`);
    await save([...former.filter((role) => role.name !== name), ...wanted]);
    say(sentence, { undo: () => save(former) });
  };
  const active = rows.filter(({ is_active }) => is_active);
  const grantable = model?.grantable_roles ?? [];
  // Who may not grant a role may change nothing of those who have it.
  const mayChange =
    resource !== undefined && mayWrite(resource, 'update') && active.every(({ name }) => grantable.includes(name));
  const remove = async ({ name }: UserRole) => {
    if (await mayLoseAccess(id)) await replace(name, [], text.removed(name));
  };
  return (
    <>
      <h2>{text.title}</h2>
      <Answered of={roles}>
        {() => (
          <>
            {rows.length === 0 && <p class="soft">{text.none}</p>}
            <div class="pairs">
              <Rows of={steady} label={text.title}>
                {(role) => (
                  <Row
                    key={role.name}
                    title={account.roles[role.name] ?? role.name}
                    acts={
                      mayChange && (
                        <Act shortcut="x" label={text.removeOne(role.name)} act={() => remove(role)}>
                          {text.remove}
                        </Act>
                      )
                    }
                  >
                    <RoleTimes of={role} />
                  </Row>
                )}
              </Rows>
            </div>
          </>
        )}
      </Answered>
      {mayChange && roles.value && (
        <NewRole
          roles={grantable.filter((name) => !active.some((role) => role.name === name))}
          assign={(role) => replace(role.name, [role], text.added(role.name))}
        />
      )}
    </>
  );
}

function RoleTimes({ of: { is_active, assigned_at, expires_at } }: { readonly of: UserRole }) {
  const text = words.value.userRoles;
  return (
    <>
      {assigned_at !== null && <Sentence of={text.since} with={{ when: <When at={assigned_at} as="moment" /> }} />}
      {expires_at !== null && (
        <small>
          <Sentence of={is_active ? text.until : text.expired} with={{ when: <When at={expires_at} as="moment" /> }} />
        </small>
      )}
    </>
  );
}

interface NewRoleProps {
  readonly roles: readonly string[];
  readonly assign: (role: WantedRole) => Promise<void>;
}

/** Assigns a role, for good or until a time. */
function NewRole({ roles, assign }: NewRoleProps) {
  const { userRoles: text, account } = words.value;
  const picked = useSignal('');
  const until = useSignal('');
  // None is chosen beforehand: a person decides what a user may do.
  const chosen = roles.includes(picked.value) ? picked.value : '';
  if (roles.length === 0) return null;
  const add = async () => {
    const expires_at = until.value === '' ? null : new Date(until.value).toISOString();
    await assign({ name: chosen, expires_at });
    picked.value = '';
    until.value = '';
  };
  return (
    <div class="new-row">
      <select
        aria-label={text.role}
        value={chosen}
        onChange={({ currentTarget }) => {
          picked.value = currentTarget.value;
        }}
      >
        {chosen === '' && <option value="">{text.choose}</option>}
        {roles.map((name) => (
          <option key={name} value={name}>
            {account.roles[name] ?? name}
          </option>
        ))}
      </select>
      <label>
        {text.expires}{' '}
        <input
          type="datetime-local"
          value={until.value}
          onChange={({ currentTarget }) => {
            until.value = currentTarget.value;
          }}
        />
      </label>
      <Act primary disabled={chosen === ''} act={add}>
        {text.add}
      </Act>
    </div>
  );
}
