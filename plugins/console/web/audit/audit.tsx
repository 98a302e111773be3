import { hrefOf, query, setQuery } from '../app/router.ts';
import { useLivePage } from '../data/answer.ts';
import { type Model, useModel, wordsOfKind } from '../data/model.ts';
import { Choice, SelectFilter } from '../lists/choice.tsx';
import { Pages } from '../lists/pages.tsx';
import { PeriodFilter, startOfToday } from '../lists/period.tsx';
import { RecordChoice } from '../lists/record-choice.tsx';
import { narrowedToCompany, RecordFilter } from '../lists/record-filter.tsx';
import { Answered } from '../parts/answered.tsx';
import { Sentence } from '../parts/text/sentence.tsx';
import { titleAt } from '../parts/text/title.ts';
import { When } from '../parts/when.tsx';
import { words } from '../words/words.ts';
import { auditedKinds, countPath, entriesPath, isNarrowed, kindOfOne, shownKinds } from './audit-query.ts';
import type { AuditEntry } from './entry.ts';
import { EntryList } from './entry-list.tsx';
import { Proof } from './proof.tsx';

/** Sealing an entry is no change of its own: it is looked for so often, in milliseconds. */
const sealingInterval = 30_000;

/** Who changed what: the newest first. */
export function Audit() {
  const model = useModel();
  if (!model) return <p class="soft">{words.value.shell.loading}</p>;
  const kinds = shownKinds(model);
  const path = entriesPath(model);
  return (
    <>
      <Headline kinds={kinds} path={path} />
      <Filters model={model} />
      <Entries key={path} path={path} kinds={kinds} />
      <Proof />
    </>
  );
}

interface ShownProps {
  readonly kinds: readonly string[];
  readonly path: string;
}

function Headline({ kinds, path }: ShownProps) {
  const text = words.value.audit;
  const options = { kinds };
  const shown = useLivePage<AuditEntry>(path, { kinds, every: sealingInterval });
  const today = useLivePage<AuditEntry>(isNarrowed() ? null : countPath(kinds, startOfToday()), options);
  const forged = useLivePage<AuditEntry>('/auditlog.json?forged=true&limit=1', { every: sealingInterval });
  const last = isNarrowed() ? undefined : shown.value?.rows[0];
  const count = isNarrowed() ? shown.value?.total : today.value?.total;
  const forgedCount = forged.value?.total ?? '0';
  return (
    <>
      <h1>
        {count === undefined
          ? text.title
          : isNarrowed()
            ? text.found(count, chosenRecord(), chosenPerson())
            : text.today(count)}{' '}
        {forgedCount !== '0' && (
          <b>
            <a href={hrefOf('/audit?forged=true')}>{text.forged(forgedCount)}</a>
          </b>
        )}
      </h1>
      {last && (
        <p class="sub">
          <Sentence of={text.last} with={{ when: <When at={last.created_at} />, who: <bdi>{last.actor}</bdi> }} />
        </p>
      )}
    </>
  );
}

function Filters({ model }: { readonly model: Model }) {
  const text = words.value.audit;
  const options = auditedKinds(model).map((name) => [name, wordsOfKind(name).all] as const);
  const isForged = query.value.has('forged');
  const byName = options.toSorted(([, one], [, other]) => one.localeCompare(other));
  return (
    <div class="filters">
      {!query.value.has('entity_type') && !isForged && <Choice name="show" label={text.shown} options={text.show} />}
      {query.value.has('entity_id') && <RecordChip />}
      {!query.value.has('entity_id') && !isForged && (
        <>
          <SelectFilter name="entity_type" label={text.kind} options={byName} />
          <OneRecord model={model} />
        </>
      )}
      <RecordFilter name="user_id" label={text.person} of="User" />
      <PeriodFilter />
      {isForged && <Chip text={text.onlyForged} parameters={['forged']} />}
    </div>
  );
}

/** Finds one record by words of its name: of the kind that is chosen, or a template. */
function OneRecord({ model }: { readonly model: Model }) {
  const kind = query.value.get('entity_type') ?? 'RunTemplate';
  const resource = model.resources.find(({ name, searched }) => name === kind && searched);
  if (!resource) return null;
  const label = words.value.audit.ofRecord(resource.words.name);
  return (
    <RecordChoice
      key={kind}
      input={{ id: 'filter-entity_id', 'aria-label': label, placeholder: label }}
      resource={resource}
      filters={narrowedToCompany(resource)}
      chosen={null}
      onChosen={(id) => setQuery({ entity_type: kind, entity_id: id === null ? null : String(id), after: null })}
    />
  );
}

/** The one record that the view is about. */
function RecordChip() {
  const title = chosenRecord() ?? '';
  return <Chip text={title} parameters={['entity_id', 'entity_type']} />;
}

/** The names of the records that the view is about; null = it is about all. */
function chosenRecord(): string | null {
  const ids = query.value.get('entity_id');
  const kind = query.value.get('entity_type') ?? '';
  return ids === null
    ? null
    : ids
        .split(',')
        .map((id) => titleAt(kind, Number(id)))
        .join(', ');
}

/** The name of the person whose changes the view shows; null = it shows those of all. */
function chosenPerson(): string | null {
  const id = query.value.get('user_id');
  return id === null ? null : titleAt('User', Number(id));
}

function Chip({ text, parameters }: { readonly text: string; readonly parameters: readonly string[] }) {
  return (
    <span class="chip">
      <bdi>{text}</bdi>
      <button
        type="button"
        class="plain"
        aria-label={words.value.lists.remove(text)}
        onClick={() => setQuery({ ...Object.fromEntries(parameters.map((name) => [name, null])), after: null })}
      >
        ×
      </button>
    </span>
  );
}

function Entries({ kinds, path }: ShownProps) {
  const text = words.value.audit;
  const page = useLivePage<AuditEntry>(path, { kinds, every: sealingInterval });
  return (
    <Answered of={page}>
      {(value) => (
        <>
          {value.rows.length === 0 ? (
            <p class="soft">{isNarrowed() ? text.none : text.noneYet}</p>
          ) : (
            <EntryList of={value.rows} label={text.changes} here={kindOfOne()} />
          )}
          <Pages of={value} />
        </>
      )}
    </Answered>
  );
}
