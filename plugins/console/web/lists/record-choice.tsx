import { useSignal } from '@preact/signals';
import { useLivePage } from '../data/answer.ts';
import type { ResourceModel } from '../data/model.ts';
import { type AnyRecord, recordOf, titleOf } from '../data/records.ts';
import { useFound } from '../data/search.ts';
import { Combobox, type ComboboxInput } from '../parts/combobox.tsx';
import { knownTitle, titleAt } from '../parts/text/title.ts';
import { words } from '../words/words.ts';

/** How many records are suggested. */
const maxSuggested = 20;

interface RecordChoiceProps {
  readonly input: ComboboxInput;
  readonly resource: ResourceModel;
  /** What narrows the records, as the query of their list has it. */
  readonly filters: URLSearchParams;
  readonly chosen: number | null;
  readonly onChosen: (id: number | null) => void;
  /** What stands first among the suggestions and chooses no record. @default one empties the input */
  readonly none?: string;
  /** Called when the suggestions close. @param isLeft whether the focus has gone elsewhere. */
  readonly onClosed?: (isLeft: boolean) => void;
}

interface Suggestion {
  /** Null = no record. */
  readonly id: number | null;
  readonly title: string;
  readonly subtitle: string | null;
}

/** One record of a kind, however many there are: it is found by words of its name, and the first ones are suggested. */
export function RecordChoice(props: RecordChoiceProps) {
  const { input, resource, filters, chosen, onChosen, none, onClosed } = props;
  // Null = the text is the name of the record that is chosen.
  const typed = useSignal<string | null>(null);
  const isOpen = useSignal(false);
  // Its title is shown until the record is known.
  const picked = useSignal<Suggestion | null>(null);
  const text = typed.value ?? '';
  const { value: found, isCurrent } = useFound(text, { resource: resource.name, filters, limit: maxSuggested });
  const first = useLivePage<AnyRecord>(isOpen.value && text.trim() === '' ? firstOf(resource, filters) : null);
  const noRecord = none === undefined ? [] : [{ id: null, title: none, subtitle: null }];
  const shown =
    text.trim() === ''
      ? first.value && [...noRecord, ...first.value.rows.map((row) => suggestionOf(row, resource))]
      : found?.rows;
  const options: readonly Suggestion[] = isOpen.value ? (shown ?? []) : [];
  const titleOfChosen = (id: number) =>
    knownTitle(resource.name, id) ?? (picked.value?.id === id ? picked.value.title : titleAt(resource.name, id));
  const choose = (option: Suggestion) => {
    picked.value = option;
    onChosen(option.id);
  };
  const close = (isLeft: boolean) => {
    typed.value = null;
    isOpen.value = false;
    onClosed?.(isLeft);
  };
  return (
    <div class="combobox">
      <Combobox
        input={{
          ...input,
          onFocus: ({ currentTarget }) => {
            isOpen.value = true;
            currentTarget.select();
          },
          onBlur: () => {
            const exact = options.find(({ title }) => title.toLowerCase() === text.trim().toLowerCase());
            if (exact) choose(exact);
            close(true);
          },
        }}
        typed={typed.value ?? (chosen === null ? '' : titleOfChosen(chosen))}
        options={options}
        isCurrent={isCurrent}
        onTyped={(next) => {
          typed.value = next;
          isOpen.value = true;
          if (next === '' && chosen !== null) onChosen(null);
        }}
        onChosen={(option) => {
          choose(option);
          close(false);
        }}
        onOpen={(next) => {
          if (next) isOpen.value = true;
          else close(false);
        }}
      >
        {({ title, subtitle }) => (
          <>
            <bdi>{title}</bdi>
            {subtitle !== null && (
              <small>
                <bdi>{subtitle}</bdi>
              </small>
            )}
          </>
        )}
      </Combobox>
      {isOpen.value && isCurrent && shown?.length === 0 && <p class="soft">{words.value.search.none}</p>}
    </div>
  );
}

function firstOf({ plural, fields, naming }: ResourceModel, filters: URLSearchParams): string {
  const parameters = new URLSearchParams(filters);
  parameters.set('limit', String(maxSuggested));
  const sorted = fields.find(({ name, sort }) => sort && (name === 'name' || naming.includes(name)));
  if (sorted) parameters.set('order', sorted.name);
  return `/${plural}.json?${parameters}`;
}

function suggestionOf(row: AnyRecord, { company }: ResourceModel): Suggestion {
  const id = company === null ? null : row[company];
  const owner = typeof id === 'number' && company !== 'id' ? recordOf('Company', id) : null;
  return { id: row.id, title: titleOf(row), subtitle: owner ? titleOf(owner) : null };
}
