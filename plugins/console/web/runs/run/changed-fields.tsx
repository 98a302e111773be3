import type { FieldChanges } from '../../data/why.ts';
import { changedFields } from '../../parts/changed.tsx';
import { words } from '../../words/words.ts';

/** How long a value may be that stands in a line. */
const maxInline = 60;
const maxListed = 3;

/** What a save has changed: short values in a line each, long ones beneath. */
export function ChangedFields({ action, changes }: { readonly action: string; readonly changes: FieldChanges }) {
  const text = words.value.runs;
  if (action !== 'update') return <>{text.actions[action] ?? action}</>;
  const all = changedFields(changes);
  const isLong = all.some(({ before, after }) => `${shown(before)}${shown(after)}`.length > maxInline);
  const isListed = !isLong && all.length <= maxListed;
  if (isListed)
    return (
      <>
        {all.map(({ name, before, after }) => (
          <div key={name}>
            <code>{name}</code> <bdi>{shown(before)}</bdi> → <bdi>{shown(after)}</bdi>
          </div>
        ))}
      </>
    );
  return (
    <details>
      <summary>
        {all.slice(0, maxListed).map(({ name }, index) => (
          <span key={name}>
            {index > 0 && ', '}
            <code>{name}</code>
          </span>
        ))}
        {all.length > maxListed && ` ${text.andMore(all.length - maxListed)}`}
      </summary>
      {all.map(({ name, before, after }) => (
        <pre key={name} class="change">
          <b>{name}</b>
          {'\n'}
          <del>− {shown(before)}</del>
          {'\n'}
          <ins>+ {shown(after)}</ins>
        </pre>
      ))}
    </details>
  );
}

function shown(value: unknown): string {
  if (value === null || value === undefined) return words.value.runs.differences['none'] ?? '';
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}
