import { now } from '../../data/clock.ts';
import { wordsOfKind } from '../../data/model.ts';
import { type AnyRecord, isKind, recordOf, titleOf } from '../../data/records.ts';
import { words } from '../../words/words.ts';
import { momentText } from '../times.ts';

/** Returns what people call a record. Until it is known, and where there is none, these are its kind and id: `template 3`. */
export function titleAt(kind: string, id: number): string {
  return knownTitle(kind, id) ?? `${wordsOfKind(kind).name} ${id}`;
}

/** Returns what people call a record; null until it is known, and where there is none. */
export function knownTitle(kind: string, id: number): string | null {
  const record = isKind(kind) ? recordOf(kind, id) : null;
  return record ? titleIn(kind, record) : null;
}

/** Returns what people call a record that is at hand: runs, attempts and pauses are called after what they are of. */
export function titleIn(kind: string, record: AnyRecord): string {
  const { titles } = words.value;
  const { runtemplate_id: template, company_id: company } = record;
  const owner =
    typeof template === 'number'
      ? titleAt('RunTemplate', template)
      : typeof company === 'number'
        ? titleAt('Company', company)
        : null;
  if (owner === null) return titleOf(record);
  // A title is not drawn again each second.
  if (kind === 'Task') return titles.task(owner, momentText(Date.parse(String(record['window_start'])), now.peek()));
  if (kind === 'Job') return titles.job(owner, Number(record['attempt'] ?? 1));
  return kind === 'Pause' ? titles.pause(owner) : titleOf(record);
}
