import { hrefOf } from '../app/router.ts';
import { useLive } from '../data/answer.ts';
import { mayWrite, useModel } from '../data/model.ts';
import { Row, Rows } from '../lists/rows.tsx';
import { useOwnChanges, useSteady } from '../lists/steady.ts';
import { Answered } from '../parts/answered.tsx';
import { Name } from '../parts/name.tsx';
import { titleAt } from '../parts/text/title.ts';
import { words } from '../words/words.ts';
import { type Membership, NewMember } from './new-member.tsx';

/** The companies that a user is a member of, to which those who may add further ones. */
export function Memberships({ id }: { readonly id: number }) {
  const { memberships: text, account } = words.value;
  const model = useModel();
  const resource = model?.resources.find(({ name }) => name === 'CompanyUser');
  const companies = model?.resources.find(({ name }) => name === 'Company');
  const read = useLive<readonly Membership[]>(resource?.rights.read ? `/console/memberships?user_id=${id}` : null, {
    kinds: ['CompanyUser'],
  });
  const rows = read.value ?? [];
  const [own, changing] = useOwnChanges(rows.map(({ company_id }) => company_id));
  const steady = useSteady(rows, ({ company_id }) => company_id, own);
  if (!resource?.rights.read) return null;
  // The companies whose members the reader may change.
  const reach = resource.rights.create;
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
      {companies && mayWrite(resource, 'create') && (
        <NewMember
          input={['new-membership', text.company]}
          resource={companies}
          filters={new URLSearchParams(typeof reach === 'string' ? {} : { id: reach.join() })}
          roleLabel={text.role}
          addLabel={text.add}
          membershipOf={(companyId) => ({ companyId, userId: id })}
          added={(_saved, companyId) => text.added(titleAt('Company', companyId))}
          changing={changing}
        />
      )}
    </>
  );
}
