import { useLayoutEffect } from 'preact/hooks';
import { bindKeys } from '../../app/keys.ts';
import { query, setQuery } from '../../app/router.ts';
import type { Live } from '../../data/answer.ts';
import { predicateOf, type WhyAnswer } from '../../data/why.ts';
import { Answered } from '../../parts/answered.tsx';
import { Clause } from '../../parts/clause.tsx';
import { words } from '../../words/words.ts';

const isOpen = () => query.value.get('why') === '1';

/** Opens and closes the panel. */
export function WhyButton() {
  return (
    <button
      type="button"
      data-key="w"
      aria-expanded={isOpen()}
      onClick={() => setQuery({ why: isOpen() ? null : '1' })}
    >
      {words.value.runs.why}
      <span class="key" aria-hidden="true">
        W
      </span>
    </button>
  );
}

interface WhyPanelProps {
  readonly of: Live<WhyAnswer>;
  /** That of the template. */
  readonly name: string;
}

/** Why a run runs or not: the answer, and the conditions in the order in which they must be met. */
export function WhyPanel({ of, name }: WhyPanelProps) {
  const text = words.value.runs;
  const isShown = isOpen();
  useLayoutEffect(() => (isShown ? bindKeys({ Escape: () => setQuery({ why: null }) }) : undefined), [isShown]);
  if (!isShown) return null;
  return (
    <section class="why-panel" aria-label={text.why}>
      <Answered of={of}>
        {({ sentence, conditions }) => (
          <>
            <p>
              <Clause of={predicateOf(sentence, name)} />
            </p>
            {conditions.length > 0 && (
              <ol>
                {conditions.map(({ name, met, text: clause }) => (
                  <li key={name} class={met ? 'met' : 'unmet'}>
                    <span class="mark" role="img" aria-label={met ? text.met : text.unmetCondition}>
                      {met ? '✓' : '✗'}
                    </span>{' '}
                    <Clause of={clause} />
                  </li>
                ))}
              </ol>
            )}
          </>
        )}
      </Answered>
    </section>
  );
}
