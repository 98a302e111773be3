import type { AuditedStore } from '../audit/audited-store.ts';
import { Job, type JobRow } from '../job/job.ts';
import { requeueBlocked } from '../job/pending-jobs.ts';
import type { Milliseconds } from '../loop/clock.ts';
import { stalledWait, type Ticker } from '../loop/loop.ts';
import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';
import { Pause, type PauseRow } from '../pause/pause.ts';
import { trustedActor } from '../resource/actor.ts';
import type { RecordChange } from '../resource/define-resource.ts';
import type { Condition, Where } from '../store/query.ts';
import { batches } from '../store/rows.ts';
import type { Tables } from '../store/store.ts';
import { lockTemplates } from '../template/schedule.ts';
import { second } from '../time/duration.ts';

const actor = trustedActor('scheduler');

/** How often a host looks for pauses that another one has made, while it knows of none. */
const idlePoll: Milliseconds = 5 * second;
/** How many templates one transaction locks. */
const batchSize = 500;
/** How many pauses that have ended are released at once. */
const maxPauses = 100;

export interface PauseReleaserOptions {
  readonly store: AuditedStore;
  /** The maximum time between two looks while a pause lies ahead or is in force: another host may change it. */
  readonly poll: Milliseconds;
  /** Called after a commit that made jobs due. */
  onJobs?(): void;
}

/**
 * Ends each pause when its time has come, and releases the jobs that it holds. It marks the pause as ended first: a
 * transaction that locks a template afterwards sees that, and blocks no job of it any more. Those that were blocked before
 * are released then.
 */
export class PauseReleaser implements Ticker {
  readonly name = 'pauses';
  readonly #options: PauseReleaserOptions;
  /** The templates whose jobs have not been released, by the id of a pause: other transactions had locked them. */
  readonly #left = new Map<number, readonly number[]>();

  constructor(options: PauseReleaserOptions) {
    this.#options = options;
  }

  async tick(): Promise<Milliseconds> {
    const { store, poll } = this.#options;
    const { over, wait } = await store.read((tables) => readUnreleased(tables, poll));
    // Another host may have released the others, or a person deleted them.
    for (const id of this.#left.keys()) if (!over.some((pause) => pause.id === id)) this.#left.delete(id);
    if (over.length === 0) return wait;
    let areReleased = true;
    for (const { id } of over) {
      await yieldToEventLoop();
      const pause = await store.transaction(actor, (tables) => endPause(tables, id));
      const isReleased = pause !== undefined && (await this.#release(pause));
      areReleased &&= isReleased;
    }
    return areReleased ? 0 : stalledWait;
  }

  /** @returns whether all jobs of a pause are released; other transactions lock the templates of the others. */
  async #release(pause: PauseRow): Promise<boolean> {
    const { store } = this.#options;
    const templates = this.#left.get(pause.id) ?? (await store.read((tables) => templatesWithDueJobs(tables, pause)));
    const left: number[] = [];
    for (const ids of batches(templates, batchSize)) {
      await yieldToEventLoop();
      left.push(...(await store.transaction(actor, (tables) => this.#releaseJobs(tables, ids))));
    }
    this.#left.set(pause.id, left);
    if (left.length > 0) return false;
    await store.transaction(actor, async (tables) => {
      await tables.of(Pause).updateWhere([['id', '=', pause.id]], { released_at: await tables.now() });
    });
    this.#left.delete(pause.id);
    return true;
  }

  /** @returns the templates that other transactions have locked. */
  async #releaseJobs(tables: Tables, ids: readonly number[]): Promise<readonly number[]> {
    const locked = await lockTemplates(tables, ids, 'skip');
    await requeueBlocked(tables, [...locked.keys()]);
    tables.whenVisible(() => this.#options.onJobs?.());
    return ids.filter((id) => !locked.has(id));
  }
}

/** Reads the pauses that are over and have not been released, and how long to wait where there is none. */
async function readUnreleased(tables: Tables, poll: Milliseconds) {
  const unreleased: Where<PauseRow> = [['released_at', '=', null]];
  if ((await tables.of(Pause).count(unreleased, 1)) === 0) return { over: [], wait: idlePoll };
  const now = await tables.now();
  const isOver: Condition<PauseRow> = { any: [[['ended_at', '!=', null]], [['until', '<=', now]]] };
  const [over, [next]] = await Promise.all([
    tables.of(Pause).find({ where: [...unreleased, isOver], order: [['id', 'asc']], limit: maxPauses }),
    tables.of(Pause).find({ where: [...unreleased, ['until', '>', now]], order: [['until', 'asc']], limit: 1 }),
  ]);
  return { over, wait: Math.min(poll, (next?.until ?? Infinity) - now) };
}

/**
 * Marks a pause as ended whose time has come.
 * @returns undefined where a person has changed it meanwhile, or is about to.
 */
async function endPause(tables: Tables, id: number): Promise<PauseRow | undefined> {
  const [pause] = await tables.of(Pause).find({ where: [['id', '=', id]], lock: 'skip' });
  if (!pause || pause.ended_at !== null) return pause;
  if (pause.until === null || pause.until > (await tables.now())) return undefined;
  const set = { ended_at: pause.until };
  await tables.of(Pause).update([{ row: pause, set }]);
  return { ...pause, ...set };
}

/**
 * Releases the jobs that a pause holds which is deleted. A person asked for it, so it waits for locks. A job that falls due
 * before the deletion is committed may be held once more; it is stranded then, and released as such.
 */
export async function releaseDeletedPause({ before, after }: RecordChange<PauseRow>, tables: Tables): Promise<void> {
  if (after || !before || before.released_at !== null) return;
  for (const ids of batches(await templatesWithDueJobs(tables, before), batchSize)) {
    await yieldToEventLoop();
    await lockTemplates(tables, ids, 'wait');
    await requeueBlocked(tables, ids);
  }
}

/** Lists the templates in the scope of a pause that have due jobs, held or not yet, by their ids. */
async function templatesWithDueJobs(tables: Tables, { runtemplate_id, company_id }: PauseRow): Promise<number[]> {
  const scope: Where<JobRow> =
    runtemplate_id !== null
      ? [['runtemplate_id', '=', runtemplate_id]]
      : company_id !== null
        ? [['company_id', '=', company_id]]
        : [];
  const held: Where<JobRow> = [['queue_at', '=', null]];
  const due: Where<JobRow> = [['queue_at', '<=', await tables.now()]];
  const where: Where<JobRow> = [['state', '=', 'scheduled'], { any: [held, due] }, ...scope];
  const counts = await tables.of(Job).countBy(['runtemplate_id'], where);
  return counts.map(({ values: [id] }) => id).sort((one, other) => one - other);
}
