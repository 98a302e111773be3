import { useSignal } from '@preact/signals';
import type { FieldModel } from '../data/model.ts';
import { words } from '../words/words.ts';
import { isSame, type Values } from './values.ts';

interface ConflictProps {
  readonly fields: readonly FieldModel[];
  /** The record as the form was opened with it. */
  readonly base: Values;
  readonly mine: Values;
  readonly theirs: Values;
  /** Called with the values to go on with, which are not saved yet. */
  readonly onResolved: (values: Values) => void;
}

/** Shows what two people have changed, side by side: for each field that both changed one chooses, and nothing is overwritten unseen. */
export function Conflict({ fields, base, mine, theirs, onResolved }: ConflictProps) {
  const text = words.value.form;
  const changed = fields.filter(({ name, read_only }) => !read_only && !isSame(base[name], theirs[name]));
  const both = changed.filter(({ name }) => !isSame(base[name], mine[name]) && !isSame(mine[name], theirs[name]));
  const isMine = useSignal<ReadonlySet<string>>(new Set());
  const goOn = () => {
    const kept = fields.filter(
      ({ name, read_only }) =>
        !read_only &&
        !isSame(base[name], mine[name]) &&
        (isMine.value.has(name) || !both.some((field) => field.name === name)),
    );
    onResolved({ ...theirs, ...Object.fromEntries(kept.map(({ name }) => [name, mine[name]])) });
  };
  return (
    <section class="conflict" role="alert">
      <h2>{text.conflict}</h2>
      <div class="scroll">
        <table class="windows">
          <thead>
            <tr>
              <th scope="col">{text.field}</th>
              <th scope="col">{text.theirs}</th>
              <th scope="col">{text.mine}</th>
            </tr>
          </thead>
          <tbody>
            {changed.map(({ name, label, lang }) => {
              const isBoth = both.some((field) => field.name === name);
              return (
                <tr key={name}>
                  <th scope="row" lang={lang}>
                    {label}
                  </th>
                  <td>
                    <Side
                      isChoice={isBoth}
                      name={name}
                      isChosen={!isMine.value.has(name)}
                      value={theirs[name]}
                      choose={() => {
                        const next = new Set(isMine.value);
                        next.delete(name);
                        isMine.value = next;
                      }}
                    />
                  </td>
                  <td>
                    <Side
                      isChoice={isBoth}
                      name={name}
                      isChosen={isMine.value.has(name)}
                      value={mine[name]}
                      choose={() => {
                        isMine.value = new Set([...isMine.value, name]);
                      }}
                    />
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
      <button type="button" class="primary" onClick={goOn}>
        {text.goOn}
      </button>
    </section>
  );
}

interface SideProps {
  readonly isChoice: boolean;
  readonly name: string;
  readonly isChosen: boolean;
  readonly value: unknown;
  readonly choose: () => void;
}

function Side({ isChoice, name, isChosen, value, choose }: SideProps) {
  const shown =
    value === null || value === undefined ? '–' : typeof value === 'object' ? JSON.stringify(value) : String(value);
  if (!isChoice) return <code>{shown}</code>;
  return (
    <label>
      <input type="radio" name={`conflict-${name}`} checked={isChosen} onChange={choose} /> <code>{shown}</code>
    </label>
  );
}
