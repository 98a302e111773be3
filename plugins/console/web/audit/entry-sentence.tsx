import type { ComponentChildren } from 'preact';
import { differencesOf, shownPair } from '../changes/differences.ts';
import { type Model, useModel, wordsOfKind } from '../data/model.ts';
import { mask } from '../form/values.ts';
import { Sentence } from '../parts/text/sentence.tsx';
import { knownTitle, titleAt, titleIn } from '../parts/text/title.ts';
import { Value } from '../records/cells.tsx';
import { words } from '../words/words.ts';
import {
  type AuditEntry,
  type ChangedValue,
  changedValues,
  changesByRecord,
  isEmpty,
  isShort,
  resourceOf,
} from './entry.ts';
import { countText, type SentenceParts, specialSentence, Title } from './special-sentence.tsx';

/** How many fields a sentence names. */
const maxNamed = 3;

interface EntrySentenceProps {
  readonly of: AuditEntry;
  /** Whether it stands among changes of the same record, which it need not name. @default false */
  readonly here?: boolean;
}

/** Says in a sentence who changed what of which record. */
export function EntrySentence({ of: entry, here = false }: EntrySentenceProps) {
  const model = useModel();
  const text = words.value.audit;
  const { template, parts } = specialSentence(entry) ?? plainSentence(entry, model);
  const sentence = (here ? text.here[template] : undefined) ?? text.sentences[template];
  return <Sentence of={sentence} with={{ who: <bdi>{entry.actor}</bdi>, ...parts }} />;
}

function plainSentence(entry: AuditEntry, model: Model | null): SentenceParts {
  const { action, entity_type, entity_id } = entry;
  if (entity_id === 0) return sentenceOfSeveral(entry, model);
  if (action !== 'update') {
    const name = titleThen(entry) ?? knownTitle(entity_type, entity_id) ?? String(entity_id);
    const parts = { kind: wordsOfKind(entity_type).object, record: <Title of={name} /> };
    return { template: action === 'create' ? 'created' : 'deleted', parts };
  }
  const record = <Title of={recordTitle(entry)} />;
  const values = changedValues(entry.changes, resourceOf(entry, model));
  const [only, ...others] = values;
  if (only && others.length === 0) return sentenceOfOne(only, record);
  return { template: 'changed', parts: { what: <FieldNames of={values} />, record } };
}

function sentenceOfOne(value: ChangedValue, record: ComponentChildren): SentenceParts {
  const { field, before, after } = value;
  const shared = { what: <FieldNames of={[value]} />, record };
  if (before === mask && after === mask) return { template: 'replaced', parts: shared };
  if (!isShort(before) || !isShort(after)) return sentenceOfLong(value, shared);
  const shown = (of: unknown) => (of === mask ? words.value.audit.secret : <Value field={field} value={of} />);
  if (isEmpty(before)) return { template: 'set', parts: { ...shared, after: shown(after) } };
  if (isEmpty(after)) return { template: 'cleared', parts: { ...shared, before: shown(before) } };
  return { template: 'changedTo', parts: { ...shared, before: shown(before), after: shown(after) } };
}

/** Says of a long value, or of a list, what differs in it, where that is one thing. */
function sentenceOfLong({ before, after }: ChangedValue, shared: SentenceParts['parts']): SentenceParts {
  const [only, ...others] = differencesOf('', before, after);
  if (!only || others.length > 0 || isEmpty(only.before) || isEmpty(only.after))
    return { template: 'changed', parts: shared };
  const shown = shownPair(only.before, only.after);
  const parts = { before: <bdi>{shown.before}</bdi>, after: <bdi>{shown.after}</bdi> };
  return { template: 'changedTo', parts: { ...shared, ...parts } };
}

function sentenceOfSeveral(entry: AuditEntry, model: Model | null): SentenceParts {
  const records = changesByRecord(entry);
  const count = <Title of={countText(entry)} />;
  if (entry.action === 'create') return { template: 'createdSeveral', parts: { count } };
  if (entry.action === 'delete') return { template: 'deletedSeveral', parts: { count } };
  const resource = resourceOf(entry, model);
  const values = records.flatMap(([, changes]) => changedValues(changes, resource));
  const byLabel = new Map(values.map((value) => [value.label, value]));
  return { template: 'changedSeveral', parts: { what: <FieldNames of={[...byLabel.values()]} />, count } };
}

function FieldNames({ of }: { readonly of: readonly ChangedValue[] }) {
  const text = words.value.audit;
  const named = of.slice(0, of.length === maxNamed + 1 ? maxNamed + 1 : maxNamed);
  const rest = of.length - named.length;
  return (
    <>
      {named.map(({ label, lang }, index) => (
        <>
          {index > 0 && (rest === 0 && index === named.length - 1 ? text.and : ', ')}
          <bdi lang={lang}>{withinSentence(label)}</bdi>
        </>
      ))}
      {rest > 0 && text.andMore(rest)}
    </>
  );
}

/** Writes a label as it stands within a sentence; abbreviations and names of variables keep their capitals. */
function withinSentence(label: string): string {
  return /^\p{Lu}\p{Ll}/u.test(label) ? label.charAt(0).toLowerCase() + label.slice(1) : label;
}

/** Returns what people call the record that an entry is about; of several, it is their number. */
export function recordTitle(entry: AuditEntry): string {
  const { entity_type, entity_id } = entry;
  if (entity_id === 0) return countText(entry);
  return titleThen(entry) ?? titleAt(entity_type, entity_id);
}

/** A record that was created or deleted is known by what the entry says of it, whatever became of it since. */
function titleThen({ action, entity_type, entity_id, changes }: AuditEntry): string | null {
  if (action === 'update') return null;
  const values = Object.entries(changes).map(([field, [before, after]]) => [field, after ?? before] as const);
  const title = titleIn(entity_type, { id: entity_id, ...Object.fromEntries(values) });
  return title === String(entity_id) ? null : title;
}
