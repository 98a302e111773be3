import { Company } from '../company/company.ts';
import { Job } from '../job/job.ts';
import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';
import type { Tables } from '../store/store.ts';

/** How many further jobs of each company with `max_running` may run; the other companies are missing. */
export type Places = ReadonlyMap<number, number>;

/**
 * Counts the places that companies have left by their `max_running`, on all hosts.
 * @param lock `wait` locks the companies, so that no other transaction gives away the same places.
 */
export async function readPlaces(tables: Tables, companies: readonly number[], lock?: 'wait'): Promise<Places> {
  if (companies.length === 0 || !(await areLimited(tables))) return new Map();
  const limited = await tables.of(Company).find({
    where: [
      ['id', 'in', [...new Set(companies)]],
      ['max_running', '!=', null],
    ],
    columns: ['id', 'max_running'],
    ...(lock && { lock }),
  });
  const places = new Map<number, number>();
  for (const { id, max_running } of limited) {
    await yieldToEventLoop();
    const running = await tables.of(Job).count(
      [
        ['state', '=', 'running'],
        ['company_id', '=', id],
      ],
      max_running ?? 0,
    );
    places.set(id, (max_running ?? 0) - running);
  }
  return places;
}

/** Locks those of the companies that have a `max_running`, to count their places. @returns those that others have locked. */
export async function lockLimited(tables: Tables, companies: readonly number[]): Promise<ReadonlySet<number>> {
  if (companies.length === 0 || !(await areLimited(tables))) return new Set();
  const limited = [
    ['id', 'in', [...new Set(companies)]],
    ['max_running', '!=', null],
  ] as const;
  const query = { where: limited, columns: ['id'] } as const;
  const found = await tables.of(Company).find(query);
  if (found.length === 0) return new Set();
  const locked = new Set((await tables.of(Company).find({ ...query, lock: 'skip' })).map(({ id }) => id));
  return new Set(found.map(({ id }) => id).filter((id) => !locked.has(id)));
}

/** Whether any company has a `max_running`. */
async function areLimited(tables: Tables): Promise<boolean> {
  return (await tables.of(Company).count([['max_running', '!=', null]], 1)) > 0;
}
