import { useSignal } from '@preact/signals';
import type { ComponentProps } from 'preact';
import { read, request } from '../data/request.ts';
import { RecordChoice } from '../lists/record-choice.tsx';
import { Act } from '../parts/act.tsx';
import { say } from '../parts/messages.tsx';
import { type Member, RoleChoice, saveMember } from './member-role.tsx';
import { mayLoseAccess } from './own-access.tsx';

/** A company that a user is a member of. */
export interface Membership {
  readonly company_id: number;
  readonly role: string;
}

interface NewMemberProps extends Pick<ComponentProps<typeof RecordChoice>, 'resource' | 'filters'> {
  /** The id of the input that finds the record, and what it is called. */
  readonly input: readonly [id: string, label: string];
  readonly roleLabel: string;
  readonly addLabel: string;
  /** Who becomes a member of what by the record that was found. */
  readonly membershipOf: (id: number) => { readonly companyId: number; readonly userId: number };
  /** Says what has happened. */
  readonly added: (saved: Member, companyId: number) => string;
  /** Tells the list that the reader changes it. */
  readonly changing: () => void;
}

/** Makes a user a member of a company. Undo takes that back: one who was a member before has the former role again. */
export function NewMember({
  input: [id, label],
  resource,
  filters,
  roleLabel,
  addLabel,
  membershipOf,
  added,
  changing,
}: NewMemberProps) {
  const found = useSignal<number | null>(null);
  const role = useSignal('');
  const add = async () => {
    const { companyId, userId } = membershipOf(Number(found.value));
    const memberships = await read<readonly Membership[]>('/console/memberships', { user_id: userId });
    const former = memberships.find(({ company_id }) => company_id === companyId);
    if (former && !(await mayLoseAccess(userId))) return;
    changing();
    const { value } = await saveMember(companyId, userId, role.value);
    found.value = null;
    role.value = '';
    say(added(value, companyId), {
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
        input={{ id, 'aria-label': label, placeholder: label }}
        resource={resource}
        filters={filters}
        chosen={found.value}
        onChosen={(next) => {
          found.value = next;
        }}
      />
      <RoleChoice
        label={roleLabel}
        chosen={role.value}
        onChosen={(next) => {
          role.value = next;
        }}
      />
      <Act primary disabled={found.value === null || role.value === ''} act={add}>
        {addLabel}
      </Act>
    </div>
  );
}
