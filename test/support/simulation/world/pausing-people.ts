import { type Actor, Job, type JobRow, Pause, type PauseInput, type PauseRow, type Tables } from '@horarium/core';
import type { AuditedStore } from '#core/audit/audited-store';
import { Records } from '#core/records/records';
import type { Resource } from '#core/resource/define-resource';
import { findResource } from '#core/resources';
import type { Where } from '#core/store/query';
import type { VirtualTime } from '../../clocks/virtual-time.ts';
import { recordsContext } from '../../worlds/record-world.ts';
import type { Random } from './random.ts';

/** In force whatever the clock of the store shows. */
const longAgo = new Date(0).toISOString();

/** People who pause templates, companies and everything, and note which jobs started meanwhile. */
export class PausingPeople {
  /** Jobs that started in a pause, each with what it was in. */
  readonly startedInPause: string[] = [];
  /** Whether they have deleted a pause, so that it is not known any more. */
  haveDeleted = false;
  readonly #store: AuditedStore;
  readonly #time: VirtualTime;
  readonly #random: Random;
  readonly #pauses: Records<PauseRow, PauseInput>;

  constructor(store: AuditedStore, time: VirtualTime, random: Random) {
    this.#store = store;
    this.#time = time;
    this.#random = random;
    this.#pauses = new Records(findResource(Pause.name) as Resource<PauseRow, PauseInput>, recordsContext(store));
  }

  /** Pauses for up to five minutes: until a time, or until a person resumes or deletes the pause. */
  async pause(actor: Actor, scope: PauseInput, onError: (error: unknown) => void): Promise<void> {
    const random = this.#random;
    const duration = random.integer(1, 300) * 1000;
    const catch_up = random.pick(['none', 'latest', 'all'] as const);
    if (random.chance(0.4)) {
      const until = new Date(this.#time.storeNow + duration).toISOString();
      await this.#pauses.save(actor, { ...scope, catch_up, until, reason: 'for a while' });
      return;
    }
    const { pause, before } = await this.#store.transaction(actor, async (tables) => {
      const input = { ...scope, catch_up, starts_at: longAgo, reason: 'until resumed' };
      const saved = await this.#pauses.saveIn(tables, actor, input);
      return { pause: saved, before: await startedIn(tables, saved) };
    });
    const isDeleted = random.chance(0.3);
    this.#time.in(duration, () => void this.#end(actor, pause, before, isDeleted).catch(onError));
  }

  async #end(actor: Actor, pause: PauseRow, before: ReadonlySet<number>, isDeleted: boolean): Promise<void> {
    await this.#store.transaction(actor, async (tables) => {
      for (const id of await startedIn(tables, pause))
        if (!before.has(id)) this.startedInPause.push(`Job ${id} started in Pause ${pause.id}.`);
      this.haveDeleted ||= isDeleted;
      if (isDeleted) await this.#pauses.deleteIn(tables, actor, pause.id);
      else await this.#pauses.saveIn(tables, actor, { id: pause.id, until: longAgo });
    });
  }
}

/** Returns the jobs that a pause would hold and that have started. */
async function startedIn(tables: Tables, { runtemplate_id, company_id }: PauseRow): Promise<ReadonlySet<number>> {
  const scope: Where<JobRow> =
    runtemplate_id !== null
      ? [['runtemplate_id', '=', runtemplate_id]]
      : company_id !== null
        ? [['company_id', '=', company_id]]
        : [];
  const jobs = await tables.of(Job).find({ where: [['started_at', '!=', null], ...scope], columns: ['id'] });
  return new Set(jobs.map(({ id }) => id));
}
