import { useSignal } from '@preact/signals';
import { hrefOf } from '../app/router.ts';
import { useLive } from '../data/answer.ts';
import { mayWrite, useModel } from '../data/model.ts';
import { request } from '../data/request.ts';
import { RecordChoice } from '../lists/record-choice.tsx';
import { Row, Rows } from '../lists/rows.tsx';
import { useOwnChanges, useSteady } from '../lists/steady.ts';
import { Act } from '../parts/act.tsx';
import { Answered } from '../parts/answered.tsx';
import { say } from '../parts/messages.tsx';
import { Name } from '../parts/name.tsx';
import { titleAt } from '../parts/text/title.ts';
import { words } from '../words/words.ts';
import { RoleChoice, saveMember } from './member-role.tsx';

interface Membership {
  readonly company_id: number;
  readonly role: string;
}

/** The companies that a user is a member of, to which those who may add further ones. */
export function Memberships({ id }: { readonly id: number }) {
  const { memberships: text, account } = words.value;
  const resource = useModel()?.resources.find(({ name }) => name === 'CompanyUser');
  const read = useLive<readonly Membership[]>(resource?.rights.read ? `/console/memberships?user_id=${id}` : null, {
    kinds: ['CompanyUser'],
  });
  const rows = read.value ?? [];
  const [own, changing] = useOwnChanges(rows.map(({ company_id }) => company_id));
  const steady = useSteady(rows, ({ company_id }) => company_id, own);
  if (!resource?.rights.read) return null;
  return (
    <>
      <h2>{text.title}</h2>
      <Answered of={read}>
        {(value) => (
          <>
            {value.length === 0 && <p class="soft">{text.none}</p>}
            <div class="pairs">
              <Rows of={steady} label={text.title}>
                {({ company_id, role }) => (
                  <Row
                    key={company_id}
                    title={<Name of="Company" id={company_id} />}
                    href={hrefOf(`/manage/companies/${company_id}`)}
                  >
                    {account.companyRoles[role] ?? role}
                  </Row>
                )}
              </Rows>
            </div>
          </>
        )}
      </Answered>
      {mayWrite(resource, 'create') && (
        <NewMembership userId={id} present={rows} reach={resource.rights.create} changing={changing} />
      )}
    </>
  );
}

interface NewMembershipProps {
  readonly userId: number;
  readonly present: readonly Membership[];
  /** Of which companies the reader may change the members. */
  readonly reach: 'all' | 'own' | readonly number[];
  /** Tells the list that the reader changes it. */
  readonly changing: () => void;
}

/** Makes the user a member of a company. */
function NewMembership({ userId, present, reach, changing }: NewMembershipProps) {
  const text = words.value.memberships;
  const companies = useModel()?.resources.find(({ name }) => name === 'Company');
  const company = useSignal<number | null>(null);
  const role = useSignal('');
  if (!companies) return null;
  const add = async () => {
    const companyId = Number(company.value);
    const former = present.find(({ company_id }) => company_id === companyId);
    changing();
    await saveMember(companyId, userId, role.value);
    company.value = null;
    role.value = '';
    say(text.added(titleAt('Company', companyId)), {
      undo: async () => {
        changing();
        if (former) await saveMember(companyId, userId, former.role);
        else await request(`/company/${companyId}/user/${userId}`, { method: 'DELETE' });
      },
    });
  };
  return (
    <div class="new-row">
      <RecordChoice
        input={{ id: 'new-membership', 'aria-label': text.company, placeholder: text.company }}
        resource={companies}
        filters={new URLSearchParams(typeof reach === 'string' ? {} : { id: reach.join() })}
        chosen={company.value}
        onChosen={(next) => {
          company.value = next;
        }}
      />
      <RoleChoice
        label={text.role}
        chosen={role.value}
        onChosen={(next) => {
          role.value = next;
        }}
      />
      <Act primary disabled={company.value === null || role.value === ''} act={add}>
        {text.add}
      </Act>
    </div>
  );
}
