import { useModel } from '../data/model.ts';
import { request } from '../data/request.ts';
import { sayMistake } from '../parts/messages.tsx';
import { words } from '../words/words.ts';

/** A user in a company. */
export interface Member {
  readonly user_id: number;
  readonly role: string;
  readonly user?: {
    readonly login: string;
    readonly email: string | null;
    readonly first_name: string | null;
    readonly last_name: string | null;
  };
}

interface RoleChoiceProps {
  readonly label: string;
  /** Empty = none yet. */
  readonly chosen: string;
  readonly onChosen: (role: string) => unknown;
}

/** The roles that one may have in a company, with what each may do. */
export function RoleChoice({ label, chosen, onChosen }: RoleChoiceProps) {
  const { companyRoles } = words.value.account;
  const roles = useModel()?.company_roles ?? [];
  return (
    <select
      aria-label={label}
      value={chosen}
      onChange={async ({ currentTarget }) => {
        const { value } = currentTarget;
        // What was saved is shown, and not what was asked for.
        currentTarget.value = chosen;
        try {
          await onChosen(value);
        } catch (error) {
          sayMistake(error);
        }
      }}
    >
      {chosen === '' && <option value="">{words.value.members.chooseRole}</option>}
      {roles.map((role) => (
        <option key={role} value={role}>
          {companyRoles[role] ?? role}
        </option>
      ))}
    </select>
  );
}

/** Makes a user a member of a company, or changes the role there. @throws Problem */
export function saveMember(companyId: number, user_id: number, role: string) {
  return request<Member>(`/company/${companyId}/user/`, { method: 'POST', body: { user_id, role } });
}
