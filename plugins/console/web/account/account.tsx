import { Preferences } from '../app/preferences.tsx';
import { isAdmin } from '../data/may.ts';
import { session } from '../data/session.ts';
import { Facts } from '../parts/facts.tsx';
import { Name } from '../parts/name.tsx';
import { Sentence } from '../parts/text/sentence.tsx';
import { When } from '../parts/when.tsx';
import { words } from '../words/words.ts';
import { OwnTokens } from './own-tokens.tsx';
import { PasswordForm } from './password-form.tsx';

/** The account of the reader: what it may do, its password, and the browsers and programs that are signed in with it. */
export function Account() {
  const text = words.value.account;
  const own = session.value;
  if (!own) return <h1>{text.title}</h1>;
  const { user, expires_at } = own;
  return (
    <>
      <h1>
        <Sentence of={text.youAre} with={{ login: <bdi>{user.login}</bdi> }} />
      </h1>
      <p class="sub">
        <Sentence of={text.signedInUntil} with={{ when: <When at={expires_at} as="moment" /> }} />
      </p>
      <div class="wide">
        <section>
          <h2>{text.sessions}</h2>
          <OwnTokens />
          <h2>{text.password}</h2>
          <PasswordForm user={user} />
        </section>
        <section>
          <h2>{text.access}</h2>
          <Access />
          <h2>{text.look}</h2>
          <div class="preferences">
            <Preferences />
          </div>
        </section>
      </div>
    </>
  );
}

function Access() {
  const text = words.value.account;
  const { roles = [], memberships = [] } = session.value ?? {};
  return (
    <>
      <Facts
        of={[
          ...roles.map((role) => [text.role, text.roles[role] ?? role] as const),
          ...(isAdmin()
            ? []
            : memberships.map(
                ({ company_id, role }) =>
                  [
                    <Name key={company_id} of="Company" id={company_id} link />,
                    text.companyRoles[role] ?? role,
                  ] as const,
              )),
        ]}
      />
      {roles.length === 0 && memberships.length === 0 && <p class="soft">{text.noMemberships}</p>}
    </>
  );
}
