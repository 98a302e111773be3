import { useLayoutEffect } from 'preact/hooks';
import { bindKeys } from '../../app/keys.ts';
import { query, setQuery } from '../../app/router.ts';
import type { Live } from '../../data/answer.ts';
import { predicateOf, type WhyAnswer } from '../../data/why.ts';
import { Answered } from '../../parts/answered.tsx';
import { Clause } from '../../parts/clause.tsx';
import { words } from '../../words/words.ts';

const isOpen = () => query.value.get('why') === '1';

/** Opens and closes the panel, where that says more than the page does. */
export function WhyButton({ of }: Pick<WhyPanelProps, 'of'>) {
  if (!hasMore(of)) return null;
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
  /** That of the template; null = the page says the answer itself, because it is over. */
  readonly name: string | null;
}

/** Whether there is more than the answer that the page has: of what is over, there are no conditions. */
const hasMore = ({ value, error }: Live<WhyAnswer>) => error !== null || (value?.conditions.length ?? 0) > 0;

/** Why a run runs or not: the answer, and the conditions in the order in which they must be met. */
export function WhyPanel({ of, name }: WhyPanelProps) {
  const text = words.value.runs;
  const isShown = isOpen() && hasMore(of);
  useLayoutEffect(() => (isShown ? bindKeys({ Escape: () => setQuery({ why: null }) }) : undefined), [isShown]);
  if (!isShown) return null;
  return (
    <section class="why-panel" aria-label={text.why}>
      <Answered of={of}>
        {({ sentence, conditions }) => (
          <>
            {name !== null && (
              <p>
                <Clause of={predicateOf(sentence, name)} />
              </p>
            )}
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
