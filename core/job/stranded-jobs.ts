import type { AuditedStore } from '../audit/audited-store.ts';
import type { Milliseconds } from '../loop/clock.ts';
import type { Ticker } from '../loop/loop.ts';
import { readPauses, type TemplateRef } from '../pause/pauses.ts';
import { trustedActor } from '../resource/actor.ts';
import type { Where } from '../store/query.ts';
import type { Tables } from '../store/store.ts';
import { lockTemplates } from '../template/schedule.ts';
import { Job, type JobRow } from './job.ts';
import { blocked, unblockOldest } from './pending-jobs.ts';

const actor = trustedActor('stranded jobs');

/** How often all templates are checked. */
const checkInterval: Milliseconds = 60_000;
/** The wait between the batches of a check, because each of them counts the blocked jobs of all templates. */
const batchInterval: Milliseconds = 1000;
const batchSize = 500;

/**
 * Unblocks the next job of each template with stranded jobs: blocked ones, while no job of the template runs or is due and
 * no pause holds them, so that nothing will unblock them. Whatever ends, cancels or postpones a job unblocks the next one
 * in the same transaction, so that jobs become stranded only when rows are changed by other means, such as by hand in the
 * database, or when a job falls due while the pause is deleted that holds it.
 * Each tick checks a batch of templates, in the order of their ids.
 */
export class StrandedJobs implements Ticker {
  readonly name = 'stranded jobs';
  readonly #store: AuditedStore;
  /** The last template of the latest batch; 0 = that batch completed the check. */
  #after = 0;

  constructor(store: AuditedStore) {
    this.#store = store;
  }

  async tick(): Promise<Milliseconds> {
    const after = this.#after;
    this.#after = await this.#store.transaction(actor, (tables) => unblockStranded(tables, after));
    return this.#after === 0 ? checkInterval : batchInterval;
  }
}

/**
 * Unblocks the jobs of one batch.
 * @param after the id of the template after which the batch begins.
 * @returns the last template of the batch; 0 when there are no further ones.
 */
async function unblockStranded(tables: Tables, after: number): Promise<number> {
  const templates = (await templatesWithBlockedJobs(tables)).filter(({ runtemplate_id }) => runtemplate_id > after);
  const batch = templates.slice(0, batchSize);
  const ids = batch.map(({ runtemplate_id }) => runtemplate_id);
  const locked = [...(await lockTemplates(tables, ids, 'skip')).keys()];
  const busy = await templatesWithActiveJobs(tables, locked);
  const pauses = await readPauses(tables, batch);
  const now = await tables.now();
  const paused = new Set(
    batch.filter((template) => pauses.at(template, now)).map(({ runtemplate_id }) => runtemplate_id),
  );
  await unblockOldest(
    tables,
    locked.filter((id) => !busy.has(id) && !paused.has(id)),
  );
  return batch.length < templates.length ? (ids.at(-1) as number) : 0;
}

/** Lists all templates with blocked jobs, by their ids. */
async function templatesWithBlockedJobs(tables: Tables): Promise<TemplateRef[]> {
  const counts = await tables.of(Job).countBy(['runtemplate_id', 'company_id'], blocked);
  return counts
    .map(({ values: [runtemplate_id, company_id] }) => ({ runtemplate_id, company_id }))
    .sort((one, other) => one.runtemplate_id - other.runtemplate_id);
}

/** Returns the ids of the templates that have a job which runs or is due. */
async function templatesWithActiveJobs(tables: Tables, templateIds: readonly number[]): Promise<Set<number>> {
  const due: Where<JobRow> = [
    ['state', '=', 'scheduled'],
    ['queue_at', '<=', await tables.now()],
  ];
  const active: Where<JobRow> = [['runtemplate_id', 'in', templateIds], { any: [[['state', '=', 'running']], due] }];
  const counts = await tables.of(Job).countBy(['runtemplate_id'], active);
  return new Set(counts.map(({ values }) => values[0]));
}
