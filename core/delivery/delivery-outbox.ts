import type { AnyAction } from '../action/action.ts';
import { type ActionLists, hasActions } from '../action/action-lists.ts';
import { idOf } from '../action/listed-action.ts';
import type { ActionEvent, NamedRecord } from '../action/notice.ts';
import { App } from '../app/app.ts';
import type { ChangedRows, ChangeObserver } from '../audit/observed-changes.ts';
import { Company } from '../company/company.ts';
import { stableUuid } from '../field/stable-id.ts';
import { Job } from '../job/job.ts';
import type { Instant } from '../loop/clock.ts';
import type { ByName } from '../registry/missing-extension.ts';
import type { Vault } from '../secret/vault.ts';
import { readByIds } from '../store/rows.ts';
import type { Tables } from '../store/store.ts';
import { newRow } from '../store/table.ts';
import { Task } from '../task/task.ts';
import { RunTemplate } from '../template/run-template.ts';
import { Schedule, type ScheduleRow } from '../template/schedule.ts';
import { readSubscribers } from './action-subscription.ts';
import { Delivery, type DeliveryRow, type ListOwner, type StoredNotice } from './delivery.ts';
import { nextDigestAt } from './digest.ts';
import { listColumns, type OwnedLists, optionsOf } from './listed-options.ts';
import { followers, type NotedEvent, notedEvents, type Streak } from './noted-events.ts';

export interface OutboxContext {
  readonly actions: Pick<ByName<AnyAction>, 'get'>;
  /** The actions that follow the Tasks of every template. */
  readonly serviceActions: ActionLists;
  readonly vault: Vault;
  /** Called after deliveries were committed. */
  onDeliveries?(): void;
}

type NewDelivery = Omit<DeliveryRow, 'id'>;

/**
 * Writes the deliveries of actions in the transaction that starts or ends a Task or an ad hoc job: both are committed or
 * neither. Costs one query where no action follows.
 */
export class DeliveryOutbox implements ChangeObserver {
  readonly tables = [Task, Job];
  readonly #context: OutboxContext;
  readonly #isServiceSubscribed: boolean;

  constructor(context: OutboxContext) {
    this.#context = context;
    this.#isServiceSubscribed = hasActions(context.serviceActions);
  }

  async observe(tables: Tables, changed: ChangedRows): Promise<void> {
    const noted = await this.#subscribed(tables, notedEvents(changed(Task), changed(Job)));
    if (noted.length === 0) return;
    const now = await tables.now();
    const named = await readNamed(tables, noted);
    const streaks = new Map([...named.schedules].map(([id, row]) => [id, streakOf(row)]));
    const rows: NewDelivery[] = [];
    const recovered = new Set<number>();
    for (const event of noted) {
      const before = streaks.get(event.runtemplateId);
      const owners = ownersOf(event, named, this.#context.serviceActions);
      // A template that is deleted in this transaction tells nothing more.
      if (!before || !owners) continue;
      const { streak, lists } = followers(event, before, now);
      streaks.set(event.runtemplateId, streak);
      if (lists.includes('on_recovered')) recovered.add(event.runtemplateId);
      const isRepeated = before.failures > 0 && streak.failures > 0 && event.kind !== 'start';
      const told = event.kind === 'success' ? before : streak;
      for (const list of lists)
        rows.push(...this.#deliveries(list, owners, { event, named: owners.named, told, now, isRepeated }));
    }
    await writeStreaks(tables, named.schedules, streaks);
    if (recovered.size > 0) await tellDigestsNow(tables, [...recovered], now);
    if (rows.length === 0) return;
    await tables.of(Delivery).insert(rows);
    if (this.#context.onDeliveries) tables.afterCommit(this.#context.onDeliveries);
  }

  /** Leaves out the events that no action follows. */
  async #subscribed(tables: Tables, noted: readonly NotedEvent[]): Promise<readonly NotedEvent[]> {
    if (noted.length === 0 || this.#isServiceSubscribed) return noted;
    const templateIds = new Set(noted.map((event) => event.runtemplateId));
    const companyIds = new Set(noted.map((event) => event.companyId));
    const { templates, companies } = await readSubscribers(tables, [...templateIds], [...companyIds]);
    return noted.filter((event) => templates.has(event.runtemplateId) || companies.has(event.companyId));
  }

  #deliveries(event: ActionEvent, { lists }: Owners, about: About): NewDelivery[] {
    return lists.flatMap(([owner, owned]) =>
      owned[event].map((listed, position): NewDelivery => {
        const { action: name } = listed;
        const { endpoint, digestInterval } = this.#destination(name, { owner, lists: owned, event, position });
        const isCollected = about.isRepeated && digestInterval > 0;
        const { runtemplateId, companyId, task, job } = about.event;
        return newRow(Delivery, {
          created_at: about.now,
          action: name,
          endpoint,
          event,
          owner,
          listed_id: idOf(listed, position),
          company_id: owner === 'service' ? null : companyId,
          runtemplate_id: runtemplateId,
          task_id: task?.id ?? null,
          job_id: job?.id ?? null,
          next_at: isCollected ? nextDigestAt(about.told.since ?? about.now, about.now, digestInterval) : about.now,
          collected: isCollected,
          message_id: crypto.randomUUID(),
          notice: noticeOf(event, about),
        });
      }),
    );
  }

  /** Where a delivery goes, as far as this host can tell: it may lack the plugin or the key of the options. */
  #destination(name: string, place: Parameters<typeof optionsOf>[2]): { endpoint: string; digestInterval: number } {
    const action = this.#context.actions.get(name);
    try {
      const options = action && optionsOf(this.#context.vault, action, place);
      const endpoint = (options && action.endpoint?.(options)) ?? name;
      return { endpoint: endpoint.slice(0, 255), digestInterval: (options && action.digestInterval?.(options)) ?? 0 };
    } catch {
      return { endpoint: name, digestInterval: 0 };
    }
  }
}

type Named = NamedRecord & Readonly<Record<string, unknown>>;
type NamedTemplate = Named & OwnedLists & { readonly app_id: number };

/** The records that the deliveries of a transaction name, by their ids. */
interface NamedRecords {
  readonly templates: ReadonlyMap<number, NamedTemplate>;
  readonly companies: ReadonlyMap<number, Named & OwnedLists>;
  readonly apps: ReadonlyMap<number, Named>;
  readonly schedules: ReadonlyMap<number, ScheduleRow>;
}

async function readNamed(tables: Tables, noted: readonly NotedEvent[]): Promise<NamedRecords> {
  const templateIds = noted.map((event) => event.runtemplateId);
  const companyIds = noted.map((event) => event.companyId);
  const templates = await readByIds(tables, RunTemplate, templateIds, ['code', 'name', 'app_id', ...listColumns]);
  const appIds = [...templates.values()].map((template) => template.app_id);
  const [companies, apps, schedules] = await Promise.all([
    readByIds(tables, Company, companyIds, ['code', 'name', ...listColumns]),
    readByIds(tables, App, appIds, ['id', 'code', 'name']),
    tables.of(Schedule).find({ where: [['runtemplate_id', 'in', [...templates.keys()]]] }),
  ]);
  return { templates, companies, apps, schedules: new Map(schedules.map((row) => [row.runtemplate_id, row])) };
}

interface Owners {
  readonly lists: readonly (readonly [ListOwner, OwnedLists])[];
  readonly named: { readonly template: Named; readonly company: Named; readonly app: Named };
}

function ownersOf(event: NotedEvent, named: NamedRecords, service: ActionLists): Owners | null {
  const template = named.templates.get(event.runtemplateId);
  const company = named.companies.get(event.companyId);
  const app = template && named.apps.get(template.app_id);
  if (!template || !company || !app) return null;
  return {
    lists: [
      ['runtemplate', template],
      ['company', company],
      ['service', service],
    ],
    named: { template, company, app },
  };
}

/** What a delivery tells. */
interface About {
  readonly event: NotedEvent;
  readonly named: Owners['named'];
  /** The streak that this event belongs to or ends. */
  readonly told: Streak;
  readonly now: Instant;
  /** Whether it is a failure that follows another. */
  readonly isRepeated: boolean;
}

function noticeOf(event: ActionEvent, { event: { task, job, reason }, named, told, now }: About): StoredNotice {
  const of = ({ id, code, name }: Named): NamedRecord => ({ id, code, name });
  return {
    event,
    occurred_at: now,
    reason,
    company: of(named.company),
    runtemplate: of(named.template),
    app: of(named.app),
    task: task && {
      id: task.id,
      state: task.state,
      window_start: task.window_start,
      window_end: task.window_end,
      deadline: task.deadline,
      attempts: task.attempts,
    },
    job: job && {
      id: job.id,
      state: job.state,
      attempt: job.attempt,
      exit_code: job.exit_code,
      signal: job.signal,
    },
    run_id: task ? stableUuid(['Task', task.id]) : stableUuid(['Job', job?.id]),
    failures: told.failures,
    failing_since: told.since,
  };
}

function streakOf({ failures_in_row, failing_since }: ScheduleRow): Streak {
  return { failures: failures_in_row, since: failing_since };
}

async function writeStreaks(
  tables: Tables,
  schedules: ReadonlyMap<number, ScheduleRow>,
  streaks: ReadonlyMap<number, Streak>,
): Promise<void> {
  const changes = [...schedules].flatMap(([id, row]) => {
    const { failures, since } = streaks.get(id) ?? streakOf(row);
    const isSame = failures === row.failures_in_row && since === row.failing_since;
    return isSame ? [] : [{ row, set: { failures_in_row: failures, failing_since: since } }];
  });
  if (changes.length > 0) await tables.of(Schedule).update(changes);
}

/** Lets the failures that are collected be told along with the recovery. */
async function tellDigestsNow(tables: Tables, templateIds: readonly number[], now: Instant): Promise<void> {
  await tables.of(Delivery).updateWhere(
    [
      ['runtemplate_id', 'in', templateIds],
      ['state', '=', 'pending'],
      ['collected', '=', true],
      ['tries', '=', 0],
      ['next_at', '>', now],
    ],
    { next_at: now },
  );
}
