import type { SavedChange } from '../../data/why.ts';
import { ChangedName, changedFields } from '../../parts/changed.tsx';
import { words } from '../../words/words.ts';

/** How long a value may be that stands in a line. */
const maxInline = 60;
const maxListed = 3;

/** What a save has changed: short values in a line each, long ones beneath. */
export function ChangedFields({ of: change }: { readonly of: SavedChange }) {
  const { action } = change;
  const text = words.value.runs;
  if (action !== 'update') return <>{text.actions[action] ?? action}</>;
  const all = changedFields(change);
  const isLong = all.some(({ before, after }) => `${shown(before)}${shown(after)}`.length > maxInline);
  const isListed = !isLong && all.length <= maxListed;
  if (isListed)
    return (
      <>
        {all.map((changed) => (
          <div key={changed.name}>
            <ChangedName of={changed} /> <bdi>{shown(changed.before)}</bdi> → <bdi>{shown(changed.after)}</bdi>
          </div>
        ))}
      </>
    );
  return (
    <details>
      <summary>
        {all.slice(0, maxListed).map((changed, index) => (
          <span key={changed.name}>
            {index > 0 && ', '}
            <ChangedName of={changed} />
          </span>
        ))}
        {all.length > maxListed && ` ${text.andMore(all.length - maxListed)}`}
      </summary>
      {all.map((changed) => (
        <pre key={changed.name} class="change">
          <b>
            <ChangedName of={changed} />
          </b>
          {'\n'}
          <del>− {shown(changed.before)}</del>
          {'\n'}
          <ins>+ {shown(changed.after)}</ins>
        </pre>
      ))}
    </details>
  );
}

function shown(value: unknown): string {
  if (value === null || value === undefined) return words.value.runs.differences['none'] ?? '';
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}
