import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type ActionLists,
  type AnyAction,
  Delivery,
  type DeliveryRow,
  type FailedDelivery,
  type Milliseconds,
  type RunTemplateRow,
  Task,
  trustedActor,
} from '@horarium/core';
import { type ActionDelivery, defineAction, text } from '@horarium/core/plugin';
import { noActions } from '#core/action/action-lists';
import { deactivateTemplate } from '#core/delivery/deactivate-template';
import { Deliveries } from '#core/delivery/deliveries';
import { findResource, tablesOf } from '#core/resources';
import { Scheduler } from '#core/scheduler/scheduler';
import { externalExecutors } from '../executors/external-executors.ts';
import { MemoryCore } from './memory-core.ts';
import { recordServices } from './record-world.ts';

export const hour: Milliseconds = 3_600_000;

/** A core in memory whose scheduler and deliveries tick when the test says so, and an action that keeps what it is told. */
export class DeliveryWorld {
  readonly actor = trustedActor('anna', 'http');
  /** What has arrived. */
  readonly told: ActionDelivery[] = [];
  readonly failed: (readonly [FailedDelivery, string])[] = [];
  /** What the receiver does with a delivery; a test may replace it. */
  receive: AnyAction['deliver'] = async () => ({ status: 200, response: 'thanks' });
  readonly core: MemoryCore;
  readonly deliveries: Deliveries;
  /** The deliveries of another host on the same store. */
  readonly otherHost: () => Deliveries;
  readonly scheduler: Scheduler;
  /** How many deliveries have an answer that is not an outcome yet, and how many outcomes there were. */
  #answered = 0;
  #woken = 0;
  owner!: { readonly app_id: number; readonly company_id: number };

  constructor({ serviceActions = {} }: { serviceActions?: Partial<ActionLists> } = {}) {
    const tell = defineAction({
      name: 'tell',
      options: { to: text(64), password: text(64, { secret: 'encrypted' }) },
      endpoint: ({ to }) => to ?? 'everybody',
      deliver: async (delivery, signal) => {
        try {
          const result = await this.receive(delivery, signal);
          this.told.push(delivery as ActionDelivery);
          return result;
        } finally {
          if (!signal.aborted) this.#answered += 1;
        }
      },
    });
    // The core tells actions through its own registry, which is empty until it is constructed.
    const actions = new Map<string, AnyAction>([
      ['tell', tell],
      ['collect', { ...tell, name: 'collect', digestInterval: () => 24 * hour }],
    ]);
    this.core = new MemoryCore({ actions, serviceActions });
    const { store, clock, vault } = this.core;
    const service = { ...recordServices, actions, executors: new Map(externalExecutors()) };
    const records = { store, findResource, service, tables: tablesOf(this.core.resources) };
    const host = () =>
      new Deliveries({
        store,
        clock,
        poll: 1000,
        actions,
        serviceActions: { ...noActions(), ...serviceActions },
        vault,
        recordUrl: (path) => `https://horarium.example/${path}`,
        wake: () => {
          this.#answered = Math.max(0, this.#answered - 1);
          this.#woken += 1;
        },
        deactivateTemplate: (event) => deactivateTemplate(records, event),
        onFailed: (delivery, error) => void this.failed.push([delivery, error]),
      });
    this.deliveries = host();
    this.otherHost = host;
    this.actions = actions;
    this.scheduler = new Scheduler({ store, poll: 1000 });
  }

  readonly actions: Map<string, AnyAction>;

  async seed(company: object = {}): Promise<this> {
    const app = await this.core.apps.save(this.actor, { name: 'Backup', code: 'backup', executable: '/bin/true' });
    const { id: company_id } = await this.core.companies.save(this.actor, { code: 'acme', name: 'Acme', ...company });
    this.owner = { app_id: app.id, company_id };
    return this;
  }

  addTemplate(fields: object = {}): Promise<RunTemplateRow> {
    const usual = { code: 'nightly', name: 'Nightly backup', interval: 'hourly', executor: 'external' } as const;
    return this.core.runTemplates.save(this.actor, { ...usual, ...this.owner, ...fields });
  }

  /** Lets time pass, and the scheduler do what it brings. */
  async advance(duration: Milliseconds): Promise<void> {
    this.core.clock.advance(duration);
    while ((await this.scheduler.tick()) === 0);
  }

  /** Claims the oldest due job of the external executor. @returns its id. */
  async claimJob(): Promise<number> {
    const { rows } = await this.core.records<{ id: number; state: string }>('Job').list(this.actor, { order: 'id' });
    const due = rows.find(({ state }) => state === 'scheduled');
    if (!due) throw new Error('No job is due.');
    return (await this.core.externalJobs.claim(this.actor, due.id)).job.id;
  }

  /** Runs the oldest due job, which ends with that exit code. */
  async runJob(exit_code: number): Promise<void> {
    await this.core.externalJobs.report(this.actor, await this.claimJob(), { exit_code });
  }

  /** Delivers all that is due now. */
  async deliver(): Promise<void> {
    for (;;) {
      const woken = this.#woken;
      const wait = await this.deliveries.tick();
      await nextTurn();
      if (wait !== 0 && this.#answered === 0 && this.#woken === woken) return;
    }
  }

  /** The events and actions of the notices that arrived, oldest first. */
  get events(): string[] {
    return this.told.map(({ notice }) => notice.event);
  }

  rows(): Promise<DeliveryRow[]> {
    return this.core.store.read((tables) => tables.of(Delivery).find());
  }

  tasks() {
    return this.core.store.read((tables) => tables.of(Task).find());
  }
}
