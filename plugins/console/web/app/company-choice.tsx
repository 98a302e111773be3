import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { isAdmin } from '../data/may.ts';
import { useModel } from '../data/model.ts';
import { session } from '../data/session.ts';
import { RecordChoice } from '../lists/record-choice.tsx';
import { titleAt } from '../parts/text/title.ts';
import { words } from '../words/words.ts';
import { company, setQuery } from './router.ts';

/** The company that the views are about, which can be found among all. It is left out for members of one company. */
export function CompanyChoice() {
  const { shell } = words.value;
  const isOpen = useSignal(false);
  const button = useRef<HTMLButtonElement>(null);
  const mayChoose = isAdmin() || (session.value?.memberships.length ?? 0) > 1;
  if (!mayChoose && company.value === null) return null;
  const close = (isLeft: boolean) => {
    isOpen.value = false;
    // The button takes the place of the input.
    if (!isLeft) requestAnimationFrame(() => button.current?.focus());
  };
  return (
    <div class="company">
      {isOpen.value ? (
        <CompanyFinder onClosed={close} />
      ) : (
        <button ref={button} type="button" aria-expanded={false} onClick={() => (isOpen.value = true)}>
          <span class="hidden">{shell.company}: </span>
          {company.value === null ? shell.allCompanies : <bdi>{titleAt('Company', company.value)}</bdi>}
        </button>
      )}
    </div>
  );
}

/** Finds a company by words of its name; the first ones are shown before one types. */
function CompanyFinder({ onClosed }: { readonly onClosed: (isLeft: boolean) => void }) {
  const { shell } = words.value;
  const resource = useModel()?.resources.find(({ name }) => name === 'Company');
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => place.current?.querySelector('input')?.focus(), [resource]);
  if (!resource) return <p class="soft">{shell.loading}</p>;
  return (
    <div ref={place}>
      <RecordChoice
        input={{ id: 'company', 'aria-label': shell.company, placeholder: shell.allCompanies }}
        resource={resource}
        filters={new URLSearchParams()}
        chosen={company.value}
        onChosen={(id) => setQuery({ company: id === null ? null : String(id), after: null })}
        none={shell.allCompanies}
        onClosed={onClosed}
      />
    </div>
  );
}
