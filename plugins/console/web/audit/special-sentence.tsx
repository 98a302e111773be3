import type { ComponentChildren } from 'preact';
import { now } from '../data/clock.ts';
import { nameOfChoice, wordsOfKind } from '../data/model.ts';
import { type AnyRecord, recordOf } from '../data/records.ts';
import { titleAt } from '../parts/text/title.ts';
import { momentText } from '../parts/times.ts';
import type { Words } from '../words/en.ts';
import { words } from '../words/words.ts';
import { type AuditEntry, type Changes, changesByRecord } from './entry.ts';

/** A sentence of the words by its name, with what stands in it. */
export interface SentenceParts {
  readonly template: keyof Words['audit']['sentences'];
  readonly parts: Readonly<Record<string, ComponentChildren>>;
}

/** What some changes mean to people, who pause, sign in and switch off, and do not "create a pause". @returns null for others. */
export function specialSentence(entry: AuditEntry): SentenceParts | null {
  const became = stateSentence(entry);
  if (became || entry.entity_id === 0) return became;
  switch (entry.entity_type) {
    case 'Pause':
      return pauseSentence(entry);
    case 'Token':
      return tokenSentence(entry);
    case 'CompanyUser':
    case 'UserRoles':
      return roleSentence(entry);
    case 'Job':
      return entry.action === 'create' && entry.channel !== 'system'
        ? { template: 'ran', parts: { record: titleIn(entry.changes, 'runtemplate_id', 'RunTemplate') } }
        : null;
    default:
      return switchSentence(entry);
  }
}

/** Runs, attempts and events go from one state to another; what else changes with it is in the details. */
function stateSentence(entry: AuditEntry): SentenceParts | null {
  const { action, entity_type, entity_id } = entry;
  if (action !== 'update') return null;
  const records = changesByRecord(entry);
  const [first, ...others] = records.map(([, { state }]) => (state ? [String(state[0]), String(state[1])] : null));
  if (!first || !others.every((each) => each?.join() === first.join())) return null;
  const [before = '', after = ''] = first.map((state) => words.value.states[state] ?? state);
  const record = entity_id === 0 ? <Title of={countText(entry)} /> : title(entity_type, entity_id);
  return { template: 'became', parts: { record, before, after } };
}

function pauseSentence(entry: AuditEntry): SentenceParts | null {
  const { action, changes, entity_type, entity_id } = entry;
  const [runtemplate, company] = [valueIn(changes, 'runtemplate_id'), valueIn(changes, 'company_id')];
  const record =
    typeof runtemplate === 'number'
      ? title('RunTemplate', runtemplate)
      : typeof company === 'number'
        ? title('Company', company)
        : null;
  if (action === 'create' && record) return { template: 'paused', parts: { record, ...pausedFor(changes) } };
  if (action === 'delete' && record) return { template: 'resumed', parts: { record } };
  const hasEnded = action === 'update' && typeof changes['ended_at']?.[1] === 'string';
  if (!hasEnded) return null;
  // The entry names the pause alone.
  const paused = recordOf('Pause', entity_id);
  return paused
    ? pauseSentence({ ...entry, action: 'delete', changes: valuesAsChanges(paused) })
    : { template: 'ended', parts: { record: title(entity_type, entity_id) } };
}

/** Until when a pause was to last, and what for. */
function pausedFor(changes: Changes) {
  const { pausedUntil } = words.value.audit;
  const until = valueIn(changes, 'until');
  const text = pausedUntil(typeof until === 'string' ? momentText(Date.parse(until), now.peek()) : null);
  return { until: text, reason: <bdi>{String(valueIn(changes, 'reason') ?? '')}</bdi> };
}

function valuesAsChanges(record: AnyRecord): Changes {
  return Object.fromEntries(Object.entries(record).map(([field, value]) => [field, [value, null]]));
}

function tokenSentence({ action, changes }: AuditEntry): SentenceParts | null {
  if (action === 'create' && valueIn(changes, 'kind') !== 'cli') return { template: 'signedIn', parts: {} };
  if (action === 'create')
    return { template: 'addedToken', parts: { record: <Title of={String(valueIn(changes, 'name') ?? '')} /> } };
  const hasEnded = action === 'delete' || typeof changes['revoked_at']?.[1] === 'string';
  return hasEnded ? { template: 'endedToken', parts: {} } : null;
}

function roleSentence({ entity_type, action, changes }: AuditEntry): SentenceParts | null {
  if (action === 'update') return null;
  const parts = {
    user: titleIn(changes, 'user_id', 'User'),
    role: <Title of={nameOfChoice(entity_type, 'role', String(valueIn(changes, 'role')))} />,
  };
  if (entity_type === 'UserRoles') return { template: action === 'create' ? 'gaveRole' : 'tookRole', parts };
  const company = titleIn(changes, 'company_id', 'Company');
  return { template: action === 'create' ? 'joined' : 'left', parts: { ...parts, company } };
}

const switches = ['active', 'enabled'];

function switchSentence({ action, entity_type, entity_id, changes }: AuditEntry): SentenceParts | null {
  const [field, ...others] = Object.keys(changes);
  if (action !== 'update' || field === undefined || others.length > 0 || !switches.includes(field)) return null;
  const template = changes[field]?.[1] === true ? 'switchedOn' : 'switchedOff';
  return { template, parts: { record: title(entity_type, entity_id) } };
}

/** What a field became, or was before it went. */
function valueIn(changes: Changes, field: string): unknown {
  const [before, after] = changes[field] ?? [];
  return after ?? before;
}

function titleIn(changes: Changes, field: string, kind: string) {
  return title(kind, Number(valueIn(changes, field)));
}

function title(kind: string, id: number) {
  return <Title of={titleAt(kind, id)} />;
}

/** Writes how many records an entry is about: `3 runs`. */
export function countText(entry: AuditEntry): string {
  const { length } = changesByRecord(entry);
  return wordsOfKind(entry.entity_type).count(length);
}

/** What people call something, as it stands out in a sentence. */
export function Title({ of }: { readonly of: string }) {
  return (
    <b>
      <bdi>{of}</bdi>
    </b>
  );
}
