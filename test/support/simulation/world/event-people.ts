import {
  Event,
  EventRule,
  EventSource,
  RunTemplate,
  type RunTemplateRow,
  type Tables,
  trustedActor,
} from '@horarium/core';
import type { AuditedStore } from '#core/audit/audited-store';
import { Events } from '#core/event/events';
import type { EventContext } from '#core/event/processor/event-processor';
import { newSourceEvents } from '#core/event/source-events';
import { onTemplateChange } from '#core/scheduler/schedule-reactions';
import { insertOne } from '#core/store/rows';
import { newRow } from '#core/store/table';
import { recordServices, recordsContext } from '../../worlds/record-world.ts';
import { testPreparation } from './preparation.ts';
import type { Random } from './random.ts';

/** The names of the templates whose jobs only events cause; they are not edited. */
export const chainedTemplates = ['chained', 'chained again', 'reacting'] as const;

/** What events are processed with, by whatever host. */
export const simulatedEvents: EventContext = { vault: testPreparation().vault, matchesPattern: () => false };

/** Those who chain templates, report changes of a source and retry events. */
export class EventPeople {
  /** The keys of changes whose report was acknowledged. */
  readonly reported = new Set<string>();
  readonly #store: AuditedStore;
  readonly #random: Random;
  readonly #events: Events;
  #source = 0;
  #changes = 0;

  constructor(store: AuditedStore, random: Random) {
    this.#store = store;
    this.#random = random;
    this.#events = new Events({ records: recordsContext(store) });
  }

  /** Chains templates to the given one, and one of them to another; a third reacts to a source. */
  async setUp(tables: Tables, from: Pick<RunTemplateRow, 'id' | 'app_id' | 'company_id'>): Promise<void> {
    const { app_id, company_id } = from;
    const ids: number[] = [];
    for (const name of chainedTemplates) {
      const row = newRow(RunTemplate, {
        name,
        app_id,
        company_id,
        interval: 'none',
        overlap: 'allow',
        timezone: 'UTC',
      });
      ids.push(await insertOne(tables.of(RunTemplate), row));
      const [after] = await tables.of(RunTemplate).find({ where: [['id', '=', ids.at(-1) as number]] });
      await onTemplateChange({ before: undefined, after }, tables, recordServices);
    }
    const [chained, again, reacting] = ids as [number, number, number];
    this.#source = await insertOne(tables.of(EventSource), newRow(EventSource, { name: 'changes', kind: 'changes' }));
    const rules = [
      { runtemplate_source_id: from.id, event: 'completed', runtemplate_id: chained },
      { runtemplate_source_id: from.id, event: 'task_missed', runtemplate_id: again },
      { runtemplate_source_id: chained, event: 'succeeded', runtemplate_id: again, env_mapping: { ITEM: 'job_id' } },
      { event_source_id: this.#source, evidence: 'a', runtemplate_id: reacting, env_mapping: { ITEM: '$.item' } },
    ];
    await tables.of(EventRule).insert(rules.map((rule) => newRow(EventRule, { ...rule, company_id, by_admin: true })));
  }

  /** Reports changes, some of them again, as a reader of sources does. */
  async report(): Promise<void> {
    const count = this.#random.integer(1, 5);
    const first = Math.max(0, this.#changes - this.#random.integer(0, 2));
    const keys = Array.from({ length: count }, (_, index) => first + index);
    this.#changes = Math.max(this.#changes, first + count);
    await this.#store.transaction(trustedActor('reader'), async (tables) => {
      const changes = keys.map((key) => {
        const blank = { operation: null, recordId: null, payload: { item: key } };
        return { ...blank, key: String(key), evidence: key % 2 === 0 ? 'a' : 'b' };
      });
      await newSourceEvents(tables, { id: this.#source }, changes);
    });
    for (const key of keys) this.reported.add(String(key));
  }

  /** Retries an event that was set aside, where there is one. */
  async retry(): Promise<void> {
    const where = [['state', '=', 'set_aside']] as const;
    const aside = await this.#store.read((tables) => tables.of(Event).find({ where, columns: ['id'] }));
    if (aside.length > 0) await this.#events.retry(trustedActor('anna', 'http'), this.#random.pick(aside).id);
  }
}
