import { useSignal } from '@preact/signals';
import { hrefOf, query } from '../app/router.ts';
import { useLivePage } from '../data/answer.ts';
import { mayWrite, useModel } from '../data/model.ts';
import { recordOf } from '../data/records.ts';
import { request } from '../data/request.ts';
import { pageSize } from '../lists/narrowed.ts';
import { Pages } from '../lists/pages.tsx';
import { RecordChoice } from '../lists/record-choice.tsx';
import { Row, Rows } from '../lists/rows.tsx';
import { useOwnChanges, useSteady } from '../lists/steady.ts';
import { Act } from '../parts/act.tsx';
import { Answered } from '../parts/answered.tsx';
import { say } from '../parts/messages.tsx';
import { words } from '../words/words.ts';
import { type Member, RoleChoice, saveMember } from './member-role.tsx';
import { mayLoseAccess } from './own-access.tsx';

/** The members of a company and their roles there, which those who may change. */
export function Members({ id: companyId }: { readonly id: number }) {
  const text = words.value.members;
  const resource = useModel()?.resources.find(({ name }) => name === 'CompanyUser');
  const after = query.value.get('after');
  const parameters = new URLSearchParams({ limit: String(pageSize), ...(after !== null && { after }) });
  const page = useLivePage<Member>(resource?.rights.read ? `/company/${companyId}/users.json?${parameters}` : null, {
    kinds: ['CompanyUser', 'User'],
  });
  const rows = page.value?.rows ?? [];
  const [own, changing] = useOwnChanges(rows.map(({ user_id }) => user_id));
  const steady = useSteady(rows, ({ user_id }) => user_id, `${own} ${parameters}`);
  if (!resource?.rights.read) return null;
  return (
    <>
      <h2>{text.title}</h2>
      <Answered of={page}>
        {(value) => (
          <>
            {value.rows.length === 0 && <p class="soft">{text.none}</p>}
            <div class="pairs">
              <Rows of={steady} label={text.title}>
                {(member) => (
                  <MemberRow
                    key={member.user_id}
                    of={member}
                    companyId={companyId}
                    changing={changing}
                    mayChange={mayWrite(resource, 'update', companyId)}
                    mayRemove={mayWrite(resource, 'delete', companyId)}
                  />
                )}
              </Rows>
            </div>
            <Pages of={value} />
          </>
        )}
      </Answered>
      {mayWrite(resource, 'create', companyId) && <NewMember companyId={companyId} changing={changing} />}
    </>
  );
}

interface MemberRowProps {
  readonly of: Member;
  readonly companyId: number;
  /** Tells the list that the reader changes it. */
  readonly changing: () => void;
  readonly mayChange: boolean;
  readonly mayRemove: boolean;
}

function MemberRow({ of: { user_id, role, user }, companyId, changing, mayChange, mayRemove }: MemberRowProps) {
  const { members: text, account } = words.value;
  const login = user?.login ?? String(user_id);
  const name = [user?.first_name, user?.last_name].filter(Boolean).join(' ');
  const isReadable = recordOf('User', user_id) !== null;
  const change = async (next: string) => {
    if (!(await mayLoseAccess(user_id))) return;
    await saveMember(companyId, user_id, next);
    say(text.changed(login, next), {
      undo: async () => {
        await saveMember(companyId, user_id, role);
      },
    });
  };
  const remove = async () => {
    if (!(await mayLoseAccess(user_id))) return;
    changing();
    await request(`/company/${companyId}/user/${user_id}`, { method: 'DELETE' });
    say(text.removed(login), {
      undo: async () => {
        changing();
        await saveMember(companyId, user_id, role);
      },
    });
  };
  return (
    <Row
      title={login}
      {...(isReadable && { href: hrefOf(`/manage/users/${user_id}`) })}
      under={name || user?.email}
      acts={
        mayRemove && (
          <Act shortcut="x" label={text.removeOne(login)} act={remove}>
            {text.remove}
          </Act>
        )
      }
    >
      {mayChange ? (
        <RoleChoice label={text.roleOf(login)} chosen={role} onChosen={change} />
      ) : (
        (account.companyRoles[role] ?? role)
      )}
    </Row>
  );
}

/** Makes a user a member. */
function NewMember({ companyId, changing }: Pick<MemberRowProps, 'companyId' | 'changing'>) {
  const text = words.value.members;
  const users = useModel()?.resources.find(({ name }) => name === 'User');
  const user = useSignal<number | null>(null);
  const role = useSignal('viewer');
  if (!users) return null;
  const add = async () => {
    changing();
    const { value } = await saveMember(companyId, Number(user.value), role.value);
    user.value = null;
    const login = value.user?.login ?? String(value.user_id);
    say(text.added(login), {
      undo: async () => {
        changing();
        await request(`/company/${companyId}/user/${value.user_id}`, { method: 'DELETE' });
      },
    });
  };
  return (
    <div class="new-row">
      <RecordChoice
        input={{ id: 'new-member', 'aria-label': text.user, placeholder: text.user }}
        resource={users}
        filters={new URLSearchParams()}
        chosen={user.value}
        onChosen={(id) => {
          user.value = id;
        }}
      />
      <RoleChoice
        label={text.role}
        chosen={role.value}
        onChosen={(next) => {
          role.value = next;
        }}
      />
      <Act primary disabled={user.value === null} act={add}>
        {text.add}
      </Act>
    </div>
  );
}
