import { Changed } from '../../changes/changed.tsx';
import { ChangedLines } from '../../changes/changed-lines.tsx';
import { shownPair } from '../../changes/differences.ts';
import { type NamedChange, namedChanges } from '../../changes/named-changes.ts';
import type { SavedChange } from '../../data/why.ts';
import { words } from '../../words/words.ts';

const maxListed = 3;

/** What a save has changed, in a line each; of what is long, the lines that differ are beneath. */
export function ChangedFields({ of: change }: { readonly of: SavedChange }) {
  const { action } = change;
  const text = words.value.runs;
  if (action !== 'update') return <>{text.actions[action] ?? action}</>;
  const all = namedChanges(change);
  const shown = all.length === maxListed + 1 ? all : all.slice(0, maxListed);
  const rest = all.slice(shown.length);
  return (
    <>
      {shown.map((each, index) => (
        <Field key={index} {...each} />
      ))}
      {rest.length > 0 && (
        <details>
          <summary>{text.andMore(rest.length)}</summary>
          {rest.map((each, index) => (
            <Field key={index} {...each} />
          ))}
        </details>
      )}
    </>
  );
}

function Field(field: NamedChange) {
  const { before, after } = field;
  const line = <Changed {...field} />;
  if (!shownPair(before, after).isCut) return <div>{line}</div>;
  return (
    <details>
      <summary>{line}</summary>
      <ChangedLines before={before} after={after} />
    </details>
  );
}
