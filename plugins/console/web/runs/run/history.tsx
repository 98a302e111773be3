import { useSignal } from '@preact/signals';
import { changedNames } from '../../changes/named-changes.ts';
import { useLive } from '../../data/answer.ts';
import type { FieldChanges } from '../../data/why.ts';
import { Said } from '../../parts/text/said.tsx';
import { When } from '../../parts/when.tsx';
import { words } from '../../words/words.ts';

interface AuditRow {
  readonly id: number;
  readonly created_at: string;
  readonly actor: string;
  readonly channel: string;
  readonly action: string;
  readonly entity_type: string;
  readonly entity_id: number;
  readonly changes: FieldChanges;
}

interface HistoryProps {
  /** Null = a job without a Task. */
  readonly taskId: number | null;
  /** The attempts, with their numbers. */
  readonly attempts: ReadonlyMap<number, number>;
}

/** The entries of the audit log on a run and its attempts, once they are asked for. */
export function History({ taskId, attempts }: HistoryProps) {
  const text = words.value.runs;
  const isOpen = useSignal(false);
  const path = (kind: string, ids: string) =>
    isOpen.value && ids !== '' ? `/auditlog.json?entity_type=${kind}&entity_id=${ids}&limit=100&order=-id` : null;
  const jobIds = [...attempts.keys()].slice(-100).join();
  const ofTask = useLive<readonly AuditRow[]>(path('Task', taskId === null ? '' : String(taskId)), { kinds: ['Task'] });
  const ofJobs = useLive<readonly AuditRow[]>(path('Job', jobIds), { kinds: ['Job'] });
  const entries = [...(ofTask.value ?? []), ...(ofJobs.value ?? [])].toSorted((one, other) => other.id - one.id);
  const error = ofTask.error ?? ofJobs.error;
  return (
    <details
      class="history"
      onToggle={({ currentTarget }) => {
        isOpen.value = currentTarget.open;
      }}
    >
      <summary>{text.history}</summary>
      {error !== null && (
        <p class="mistake">
          <Said of={error} />
        </p>
      )}
      <ol>
        {entries.map(({ id, created_at, actor, channel, action, entity_type, entity_id, changes }) => (
          <li key={id}>
            <When at={created_at} as="moment" /> <b>{actor}</b>, {text.channels[channel] ?? channel}:{' '}
            {entity_type === 'Task' ? text.run : text.attemptNumber(attempts.get(entity_id) ?? 0)}{' '}
            {action === 'update' ? text.changedTo(stateOf(entity_type, changes)) : (text.actions[action] ?? action)}
          </li>
        ))}
      </ol>
    </details>
  );
}

/** What a change was about: the new state, or else the names of the fields. */
function stateOf(kind: string, changes: FieldChanges): string {
  const state = changes['state']?.[1];
  return typeof state === 'string' ? (words.value.states[state] ?? state) : changedNames(kind, changes);
}
