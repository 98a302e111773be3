import { App } from '../app/app.ts';
import { type AuditEntry, AuditLog } from '../audit/audit-log.ts';
import { Company } from '../company/company.ts';
import { Credential } from '../credential/credential.ts';
import { CredentialType } from '../credential/credential-type.ts';
import { EventRule } from '../event/rule/event-rule.ts';
import type { Instant } from '../loop/clock.ts';
import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';
import { visibleTo } from '../resource/access.ts';
import type { AnyResource } from '../resource/define-resource.ts';
import { isAdmin } from '../resource/permissions.ts';
import type { Where } from '../store/query.ts';
import { readByIds } from '../store/rows.ts';
import type { AnyRow } from '../store/table.ts';
import { RunTemplate, type RunTemplateRow } from '../template/run-template.ts';
import type { SavedChange, SinceSuccess } from './explanation.ts';
import type { WhyContext } from './why-context.ts';

/** How many changes are listed, the newest. */
const maxListed = 50;
/** How many entries of a kind are counted as further ones. */
const maxCounted = 1000;

/** A stretch of time, its start excluded: what was saved at the moment of a start belongs to the run before it. */
export interface ChangeSpan {
  readonly from: Instant;
  readonly to: Instant;
}

type Changes = Pick<SinceSuccess, 'changes' | 'further' | 'hidden'>;

/**
 * Lists what was saved in a span of what decides how a template runs: the template, its App, its company, its credentials
 * with their types, and the event rules that request its jobs; also of those that it had before.
 */
export async function changesSince(context: WhyContext, template: RunTemplateRow, span: ChangeSpan): Promise<Changes> {
  const ofTemplate = await entriesOf(context, RunTemplate, [template.id], span);
  const apps = referred(ofTemplate.entries, 'app_id', [template.app_id]);
  const credentials = referred(ofTemplate.entries, 'credentials', template.credentials);
  const types = await typesOf(context, credentials);
  const rules = await rulesOf(context, template, span);
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
    found.push(await entriesOf(context, resource, ids, span));
  }
  const entries = found.flatMap((each) => each.entries).sort((one, other) => other.id - one.id);
  const total = found.reduce((sum, { count }) => sum + count, 0);
  const listed = entries.slice(0, maxListed);
  return {
    changes: await named(context, listed),
    further: total - listed.length,
    hidden: found.reduce((sum, { hidden }) => sum + hidden, 0),
  };
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
  span: ChangeSpan,
): Promise<FoundEntries> {
  if (ids.length === 0) return { entries: [], count: 0, hidden: 0 };
  const all: Where<AuditEntry> = [['entity_id', 'in', ids], ['entity_type', '=', name], ...within(span)];
  const where = [...all, ...visibleTo(actor, AuditLog)];
  const log = tables.of(AuditLog);
  const entries = await log.find({ where, order: [['id', 'desc']], limit: maxListed });
  const count = entries.length < maxListed ? entries.length : await log.count(where, maxCounted);
  const hidden = isAdmin(actor) ? 0 : (await log.count(all, maxCounted)) - count;
  return { entries, count, hidden };
}

/** Returns the condition for the entries of a span that the service wrote. */
function within({ from, to }: ChangeSpan): Where<AuditEntry> {
  return [
    ['created_at', '>', from],
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

/** Lists the ids of the event rules that request jobs of a template, and of those deleted in a span that did. */
async function rulesOf(
  { tables }: WhyContext,
  { id, company_id }: RunTemplateRow,
  span: ChangeSpan,
): Promise<number[]> {
  const rules = await tables
    .of(EventRule)
    .find({ where: [['runtemplate_id', '=', id]], limit: maxListed, columns: ['id'] });
  const deleted = await tables.of(AuditLog).find({
    where: [
      ['entity_type', '=', EventRule.name],
      ['company_id', '=', company_id],
      ['action', '=', 'delete'],
      ...within(span),
    ],
    order: [['id', 'desc']],
    limit: maxListed,
  });
  const before = deleted.filter(({ changes }) => changes['runtemplate_id']?.[0] === id);
  return [...rules.map((rule) => rule.id), ...before.map(({ entity_id }) => entity_id)];
}

const namedKinds = [RunTemplate, App, Company, Credential, CredentialType, EventRule] as readonly AnyResource[];

async function named({ tables }: WhyContext, entries: readonly AuditEntry[]): Promise<SavedChange[]> {
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
  }));
}
