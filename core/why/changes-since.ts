import { App } from '../app/app.ts';
import { readAuditCheckpoint } from '../audit/archive/checkpoint.ts';
import { type AuditEntry, AuditLog } from '../audit/audit-log.ts';
import { Company } from '../company/company.ts';
import { Credential } from '../credential/credential.ts';
import { CredentialType } from '../credential/credential-type.ts';
import { EventRule } from '../event/rule/event-rule.ts';
import type { Instant } from '../loop/clock.ts';
import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';
import { readEntries } from '../records/audit-entries.ts';
import { maxPageText } from '../records/page-size.ts';
import { statusesOf } from '../records/undo/undone.ts';
import { visibleTo } from '../resource/access.ts';
import type { AnyResource } from '../resource/define-resource.ts';
import { isAdmin } from '../resource/permissions.ts';
import type { Where } from '../store/query.ts';
import { readByIds, textSize } from '../store/rows.ts';
import type { Tables } from '../store/store.ts';
import type { AnyRow } from '../store/table.ts';
import { RunTemplate, type RunTemplateRow } from '../template/run-template.ts';
import type { TimeRange } from '../time/local-time.ts';
import type { ChangesSinceSuccess, SavedChange } from './explanation.ts';
import type { WhyContext } from './why-context.ts';

/** How many changes are listed, the newest. */
const maxListed = 50;
/** How many entries of a kind are counted as further ones. */
const maxCounted = 1000;

type Changes = Pick<ChangesSinceSuccess, 'changes' | 'further' | 'hidden' | 'archived_before'>;

/**
 * Lists the saves, in a range of time, of what decides how a template runs: the template, its App, its company, its
 * credentials with their types, and the event rules that request its jobs; also of those that it had before.
 */
export async function changesSince(context: WhyContext, template: RunTemplateRow, range: TimeRange): Promise<Changes> {
  const ofTemplate = await entriesOf(context, RunTemplate, [template.id], range);
  const apps = referred(ofTemplate.entries, 'app_id', [template.app_id]);
  const credentials = referred(ofTemplate.entries, 'credentials', template.credentials);
  const types = await typesOf(context, credentials);
  const rules = await rulesOf(context, template, range);
  const found = [ofTemplate];
  const others = [
    [App, apps],
    [Company, [template.company_id]],
    [Credential, credentials],
    [CredentialType, types],
    [EventRule, rules],
  ] as const;
  for (const [resource, ids] of others) {
    await yieldToEventLoop();
    found.push(await entriesOf(context, resource, ids, range));
  }
  const entries = found.flatMap((each) => each.entries).sort((one, other) => other.id - one.id);
  const total = found.reduce((sum, { count }) => sum + count, 0);
  const listed = newestThatFit(entries);
  return {
    changes: await named(context, listed),
    further: total - listed.length,
    hidden: found.reduce((sum, { hidden }) => sum + hidden, 0),
    archived_before: await archivedBefore(context, range),
  };
}

/** Returns up to when the entries of a range of time have left the store; null = none of them has. */
async function archivedBefore({ tables }: WhyContext, { from, to }: TimeRange): Promise<Instant | null> {
  const { seq } = await readAuditCheckpoint(tables);
  if (seq === 0) return null;
  const [oldest] = await tables
    .of(AuditLog)
    .find({ where: [['seq', '>', seq]], order: [['seq', 'asc']], limit: 1, columns: ['created_at'] });
  const end = oldest?.created_at ?? to;
  return end > from ? end : null;
}

interface FoundEntries {
  /** The newest of those that the actor may read. */
  readonly entries: readonly AuditEntry[];
  readonly count: number;
  readonly hidden: number;
}

async function entriesOf(
  { tables, actor }: WhyContext,
  { name }: AnyResource,
  ids: readonly number[],
  range: TimeRange,
): Promise<FoundEntries> {
  if (ids.length === 0) return { entries: [], count: 0, hidden: 0 };
  const all: Where<AuditEntry> = [['entity_id', 'in', ids], ['entity_type', '=', name], ...within(range)];
  const where = [...all, ...visibleTo(actor, AuditLog)];
  const entries = await newest(tables, where);
  const log = tables.of(AuditLog);
  const count = await log.count(where, maxCounted);
  const hidden = isAdmin(actor) ? 0 : (await log.count(all, maxCounted)) - count;
  return { entries, count, hidden };
}

/** Reads the newest entries, as many as one answer may have. */
async function newest(tables: Tables, where: Where<AuditEntry>): Promise<AuditEntry[]> {
  const entries: AuditEntry[] = [];
  let size = 0;
  for await (const entry of readEntries(tables, where, 'newest')) {
    entries.push(entry);
    size += textSize(entry.changes);
    if (entries.length === maxListed || size > maxPageText) break;
  }
  return entries;
}

/** Returns the first entries, as many as one answer may have: one at least, however large. */
function newestThatFit(entries: readonly AuditEntry[]): AuditEntry[] {
  let size = 0;
  const end = entries.findIndex(({ changes }, index) => {
    size += textSize(changes);
    return index === maxListed || (index > 0 && size > maxPageText);
  });
  return end === -1 ? [...entries] : entries.slice(0, end);
}

/** Returns the condition for the entries of a range of time, without forged ones. */
function within({ from, to }: TimeRange): Where<AuditEntry> {
  return [
    ['created_at', '>=', from],
    ['created_at', '<=', to],
    ['forged', '=', false],
  ];
}

/** Lists the ids that a field refers to, and those that it referred to before changes. */
function referred(entries: readonly AuditEntry[], field: string, now: readonly number[]): number[] {
  const earlier = entries.flatMap(({ changes }) =>
    (changes[field] ?? []).flatMap((value) => value as number | number[]),
  );
  return [...new Set([...now, ...earlier.filter((id) => Number.isSafeInteger(id))])];
}

async function typesOf({ tables }: WhyContext, credentials: readonly number[]): Promise<number[]> {
  const rows = await readByIds(tables, Credential, credentials, ['id', 'credential_type_id']);
  return [...new Set([...rows.values()].flatMap(({ credential_type_id }) => credential_type_id ?? []))];
}

/** Lists the ids of the event rules that request jobs of a template, and of those that did and were deleted in a range of time. */
async function rulesOf(
  { tables }: WhyContext,
  { id, company_id }: RunTemplateRow,
  range: TimeRange,
): Promise<number[]> {
  const rules = await tables
    .of(EventRule)
    .find({ where: [['runtemplate_id', '=', id]], limit: maxListed, columns: ['id'] });
  const deleted = await newest(tables, [
    ['entity_type', '=', EventRule.name],
    ['company_id', '=', company_id],
    ['action', '=', 'delete'],
    ...within(range),
  ]);
  const before = deleted.filter(({ changes }) => changes['runtemplate_id']?.[0] === id);
  return [...rules.map((rule) => rule.id), ...before.map(({ entity_id }) => entity_id)];
}

const namedKinds = [RunTemplate, App, Company, Credential, CredentialType, EventRule] as readonly AnyResource[];

async function named({ tables, actor }: WhyContext, entries: readonly AuditEntry[]): Promise<SavedChange[]> {
  const names = new Map<string, unknown>();
  for (const [kind, ofKind] of Map.groupBy(entries, ({ entity_type }) => entity_type)) {
    await yieldToEventLoop();
    const resource = namedKinds.find(({ name }) => name === kind) as AnyResource;
    const rows = await readByIds(
      tables,
      resource,
      ofKind.map(({ entity_id }) => entity_id),
      ['id', 'name'],
    );
    for (const row of rows.values()) names.set(`${kind} ${row.id}`, (row as AnyRow & { name?: unknown }).name);
  }
  const statuses = await statusesOf(tables, actor, entries);
  return entries.map(({ id, created_at, actor, channel, action, entity_type, entity_id, changes }) => ({
    auditlog_id: id,
    at: created_at,
    actor,
    channel,
    action,
    entity_type,
    entity_id,
    name: (names.get(`${entity_type} ${entity_id}`) ?? null) as string | null,
    changes,
    undone_by: statuses.get(id)?.undone_by ?? null,
  }));
}
