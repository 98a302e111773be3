import { Sentence } from '../parts/text/sentence.tsx';
import { titleAt } from '../parts/text/title.ts';
import { words } from '../words/words.ts';
import type { DeliveryRow } from './delivery.ts';

/** Says in a sentence what a delivery tells. @param name that of the template where the notice has it. */
export function NoticeSentence({ of, name }: { readonly of: DeliveryRow; readonly name?: string }) {
  return <Sentence of={templateOf(of)} with={{ template: <bdi>{name ?? templateName(of)}</bdi> }} />;
}

/** Returns the sentence of a delivery as a text. */
export function noticeText(delivery: DeliveryRow): string {
  return templateOf(delivery).replace('{template}', () => templateName(delivery));
}

function templateOf({ event }: DeliveryRow): string {
  return words.value.deliveries.events[event] ?? `{template}: ${event}`;
}

function templateName({ runtemplate_id }: DeliveryRow): string {
  return titleAt('RunTemplate', runtemplate_id ?? 0);
}
