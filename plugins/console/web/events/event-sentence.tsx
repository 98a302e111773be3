import { recordOf } from '../data/records.ts';
import { Sentence } from '../parts/text/sentence.tsx';
import { titleAt } from '../parts/text/title.ts';
import { words } from '../words/words.ts';
import type { EventRow } from './event.ts';

/** Says in a sentence what happened. */
export function EventSentence({ of }: { readonly of: EventRow }) {
  const { template, parts } = sentenceOf(of);
  const elements = Object.entries(parts).map(([name, text]) => [name, <bdi key={name}>{text}</bdi>] as const);
  return <Sentence of={template} with={Object.fromEntries(elements)} />;
}

/** Returns the sentence about an event as a text. */
export function eventText(event: EventRow): string {
  const { template, parts } = sentenceOf(event);
  return template.replaceAll(/\{(\w+)\}/g, (_, name: string) => parts[name] ?? '');
}

interface TextSentence {
  readonly template: string;
  readonly parts: Readonly<Record<string, string>>;
}

function sentenceOf({ kind, event, event_source_id, runtemplate_id, ...row }: EventRow): TextSentence {
  const { sentences, aSource } = words.value.events;
  if (kind === 'source') {
    // A source that was deleted has no name any more.
    const isGone = event_source_id === null || recordOf('EventSource', event_source_id) === null;
    const source = isGone ? aSource : titleAt('EventSource', event_source_id);
    const what = whatChanged(row);
    if (what !== '') return { template: sentences['source'] ?? '', parts: { source, what } };
    return { template: sentences['sourceKey'] ?? '', parts: { source, what: row.key ?? '' } };
  }
  const template = titleAt('RunTemplate', runtemplate_id ?? 0);
  const known = event === null ? undefined : sentences[event];
  return { template: known ?? sentences['other'] ?? '', parts: { template, what: event ?? '' } };
}

/** Such as `create invoice 1001`, or `order.created 1001` where the name of the kind says what happened. */
function whatChanged({
  operation,
  evidence,
  record_id,
}: Pick<EventRow, 'operation' | 'evidence' | 'record_id'>): string {
  const isInName = operation !== null && (evidence ?? '').toLowerCase().includes(operation);
  return [isInName ? null : operation, evidence, record_id].filter((each) => each !== null && each !== '').join(' ');
}
