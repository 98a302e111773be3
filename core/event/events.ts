import { conflict, denied } from '../errors.ts';
import { Job } from '../job/job.ts';
import { Records, type RecordsContext } from '../records/records.ts';
import { assertVersion, readVisible, rolesAllow } from '../resource/access.ts';
import type { Actor } from '../resource/actor.ts';
import type { Resource } from '../resource/define-resource.ts';
import { isAdmin } from '../resource/permissions.ts';
import { readById } from '../store/rows.ts';
import type { Tables } from '../store/store.ts';
import { Event, type EventRow } from './event.ts';

interface EventsContext {
  readonly records: RecordsContext;
  /** Called after the commit of events that are pending. */
  onEvents?(): void;
}

/** The records of events, and what people do with them: retry one, and read what its source told. */
export class Events extends Records<EventRow> {
  readonly #context: EventsContext;

  constructor(context: EventsContext) {
    super(context.records.findResource(Event.name) as Resource<EventRow>, context.records);
    this.#context = context;
  }

  /**
   * Makes an event that was set aside pending again: the rules that match it by now fire, but for those that have fired.
   * @throws HorariumError `not_found`, `denied` for an actor who may not run jobs of its company, `conflict` when it was not
   *   set aside, `precondition_failed` when it is at another version.
   */
  async retry(actor: Actor, id: number, options: { readonly version?: number | undefined } = {}): Promise<EventRow> {
    return this.#context.records.store.transaction(actor, (tables) => this.retryIn(tables, actor, id, options));
  }

  /** Retries like `retry`, in the caller's transaction. */
  async retryIn(
    tables: Tables,
    actor: Actor,
    id: number,
    { version }: { readonly version?: number | undefined } = {},
  ): Promise<EventRow> {
    const row = await readVisible(tables, actor, Event, id, 'wait');
    if (!rolesAllow(actor, Job.permissions, 'create', row.company_id))
      throw denied(`${actor.name} may not retry events of company ${row.company_id}.`);
    assertVersion(Event, row, version);
    if (row.state !== 'set_aside')
      throw conflict(`Event ${id} is ${row.state}: only one that was set aside is retried.`);
    const set = { state: 'pending', reason: null, tries: 0, claimed_until: null } as const;
    await tables.of(Event).update([{ row, set }]);
    tables.afterCommit(() => this.#context.onEvents?.());
    return readById(tables, Event, id);
  }

  /** Reads what a source told of an event. @throws HorariumError `not_found`, or `denied` for all but admins. */
  async payload(actor: Actor, id: number): Promise<EventRow['payload']> {
    const { payload } = await this.get(actor, id);
    if (!isAdmin(actor)) throw denied(`${actor.name} may not read the payload of an event: that takes the role admin.`);
    return payload;
  }
}
