import { randomUUID } from 'node:crypto';
import { App, Company, type Instant, RunTemplate, type RunTemplateRow, type Store, Task } from '@horarium/core';
import { insertOne, required } from '#core/store/rows';
import { newRow } from '#core/store/table';
import { Schedule } from '#core/template/schedule';

export interface TemplatesDue {
  readonly count: number;
  readonly executor: string;
  /** The start of their next window, a whole second. They have one window a year. */
  readonly at: Instant;
  /** The executable of their app, and its arguments. */
  readonly executable?: string;
  readonly arguments?: readonly string[];
  /** Further fields of each. */
  readonly fields?: Partial<RunTemplateRow>;
}

const batch = 5000;

/**
 * Inserts active templates of one company with their schedules into the store directly, without audit entries.
 * @returns their ids.
 */
export async function addTemplates(store: Store, due: TemplatesDue): Promise<number[]> {
  const { count, executor, at, executable = 'true', arguments: words = [], fields = {} } = due;
  const stamp = { revision: 1, created_at: Date.now(), updated_at: Date.now() };
  const uuid = randomUUID();
  const code = 'bench';
  const { app_id, company_id } = await store.transaction(async (tables) => {
    await tables.of(Company).insertAbsent([{ ...newRow(Company, { code, name: code }), ...stamp }], ['code']);
    const [company] = await tables.of(Company).find({ where: [['code', '=', code]] });
    const app = { ...newRow(App, { name: code, executable, arguments: [...words], uuid }), ...stamp };
    return { app_id: await insertOne(tables.of(App), app), company_id: required(company, `company ${code}`).id };
  });
  const ids: number[] = [];
  for (let done = 0; done < count; done += batch) {
    const rows = Array.from({ length: Math.min(batch, count - done) }, (_, index) => {
      const code = `${uuid}-${done + index}`;
      const cadence = { interval: 'custom', cron: yearlyAt(at), timezone: 'UTC' } as const;
      const own = { code, name: code, app_id, company_id, executor, ...cadence, ...fields };
      return { ...newRow(RunTemplate, own), ...stamp };
    });
    await store.transaction(async (tables) => {
      const added = await tables.of(RunTemplate).insert(rows);
      const schedules = added.map((id) =>
        newRow(Schedule, { runtemplate_id: id, company_id, next_at: at, next_window: at }),
      );
      await tables.of(Schedule).insert(schedules);
      ids.push(...added);
    });
  }
  return ids;
}

function yearlyAt(at: Instant): string {
  const time = new Date(at);
  const clock = `${time.getUTCSeconds()} ${time.getUTCMinutes()} ${time.getUTCHours()}`;
  return `${clock} ${time.getUTCDate()} ${time.getUTCMonth() + 1} *`;
}

/** Resolves when every Task has ended. @param interval between two looks, in milliseconds. */
export async function waitUntilTasksEnded(store: Store, interval = 2): Promise<void> {
  const pending = [['state', 'in', ['open', 'running']]] as const;
  const left = () => store.transaction((tables) => tables.of(Task).count(pending, 1), { readOnly: true });
  while ((await left()) > 0) await new Promise((resolve) => setTimeout(resolve, interval));
}

/** Returns the latest whole second. */
export function lastWholeSecond(): Instant {
  return ceilToSecond(Date.now() - 1000);
}

export function ceilToSecond(time: Instant): Instant {
  return Math.ceil(time / 1000) * 1000;
}
