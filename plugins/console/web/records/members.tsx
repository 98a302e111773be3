import { hrefOf, query } from '../app/router.ts';
import { useLivePage } from '../data/answer.ts';
import { mayWrite, useModel } from '../data/model.ts';
import { recordOf } from '../data/records.ts';
import { request } from '../data/request.ts';
import { pageSize } from '../lists/narrowed.ts';
import { Pages } from '../lists/pages.tsx';
import { Row, Rows } from '../lists/rows.tsx';
import { useOwnChanges, useSteady } from '../lists/steady.ts';
import { Act } from '../parts/act.tsx';
import { Answered } from '../parts/answered.tsx';
import { say } from '../parts/messages.tsx';
import { words } from '../words/words.ts';
import { type Member, RoleChoice, saveMember } from './member-role.tsx';
import { NewMember } from './new-member.tsx';
import { mayLoseAccess } from './own-access.tsx';

/** The members of a company and their roles there, which those who may change. */
export function Members({ id: companyId }: { readonly id: number }) {
  const text = words.value.members;
  const model = useModel();
  const resource = model?.resources.find(({ name }) => name === 'CompanyUser');
  const users = model?.resources.find(({ name }) => name === 'User');
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
      {users && mayWrite(resource, 'create', companyId) && (
        <NewMember
          input={['new-member', text.user]}
          resource={users}
          filters={new URLSearchParams()}
          roleLabel={text.role}
          addLabel={text.add}
          membershipOf={(userId) => ({ companyId, userId })}
          added={({ user, user_id }) => text.added(user?.login ?? String(user_id))}
          changing={changing}
        />
      )}
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
