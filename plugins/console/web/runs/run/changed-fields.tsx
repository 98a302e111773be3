import type { FieldChanges } from '../../data/why.ts';
import { words } from '../../words/words.ts';

interface OneChange {
  readonly name: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** How long a value may be that stands in a line. */
const maxInline = 60;
const maxListed = 3;

/** What a save has changed: short values in a line each, long ones beneath. */
export function ChangedFields({ action, changes }: { readonly action: string; readonly changes: FieldChanges }) {
  const text = words.value.runs;
  if (action !== 'update') return <>{text.actions[action] ?? action}</>;
  const all = Object.entries(changes).flatMap(([field, [before, after]]) => partsOf(field, before, after));
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

/** Splits the change of a map, such as the environment, into those of its members. */
function partsOf(name: string, before: unknown, after: unknown): readonly OneChange[] {
  if (!isMap(before) || !isMap(after)) return [{ name, before, after }];
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const parts = keys
    .filter((key) => JSON.stringify(before[key]) !== JSON.stringify(after[key]))
    .map((key) => ({ name: key, before: before[key], after: after[key] }));
  // Secrets are masked: of them it is known that they changed, not how.
  return parts.length > 0 ? parts : [{ name, before: '••••••••', after: '••••••••' }];
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function shown(value: unknown): string {
  if (value === null || value === undefined) return words.value.runs.differences['none'] ?? '';
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}
