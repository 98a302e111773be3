import { Delivery } from '../delivery/delivery.ts';
import { Event } from '../event/event.ts';
import type { Instant } from '../loop/clock.ts';
import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';
import type { Condition, Where } from '../store/query.ts';
import type { AnyRow, TableDescription } from '../store/table.ts';
import type { Expired } from './expired-runs.ts';
import { cutoffOf, type KeepPolicy, type Read } from './keep-policy.ts';
import { hasAtMost } from './row-limits.ts';

/** For how many days deliveries are kept at most. */
const deliveryDays = 30;
/** How many rows are looked at in one statement. */
const pageSize = 1000;

type Journal = 'events' | 'deliveries';

interface JournalRules {
  readonly kind: Journal;
  readonly table: TableDescription;
  /** For how many days a row of a company is kept. @param company null = of none. */
  daysOf(company: number | null): number;
}

type JournalRow = AnyRow & { readonly company_id: number | null; readonly created_at: Instant };

/** Finds the events and deliveries that are kept no longer: by their age, and beyond what a company may have of them. */
export async function* expiredJournals(read: Read, policy: KeepPolicy, now: Instant): AsyncGenerator<Expired<Journal>> {
  const daysOf = (company: number | null) => (policy.companies.get(company ?? 0) ?? policy.service).days;
  const journals: readonly JournalRules[] = [
    { kind: 'events', table: Event, daysOf },
    { kind: 'deliveries', table: Delivery, daysOf: (company) => Math.min(deliveryDays, daysOf(company)) },
  ];
  for (const journal of journals) {
    await yieldToEventLoop();
    yield* oldRows(read, journal, policy, now);
    yield* excessRows(read, journal, policy.service.rowsPerCompany, now);
  }
}

/** Goes through the rows from the oldest on, up to what is younger than anything that is to be deleted. */
async function* oldRows(
  read: Read,
  { kind, table, daysOf }: JournalRules,
  policy: KeepPolicy,
  now: Instant,
): AsyncGenerator<Expired<Journal>> {
  let shortest = daysOf(null);
  for (const company of policy.companies.keys()) shortest = Math.min(shortest, daysOf(company));
  const youngest = cutoffOf(shortest, now);
  for (let after = 0; youngest > -Infinity; ) {
    await yieldToEventLoop();
    const page = await readPage(read, table, { where: ['id', '>', after], direction: 'asc' });
    const ids = page.filter((row) => row.created_at < cutoffOf(daysOf(row.company_id), now)).map(({ id }) => id);
    yield { kind, ids };
    const last = page.at(-1);
    if (page.length < pageSize || !last || last.created_at >= youngest) return;
    after = last.id;
  }
}

/** Goes through the rows from the newest on, and finds those beyond the limit of their company. */
async function* excessRows(
  read: Read,
  { kind, table, daysOf }: JournalRules,
  max: number,
  now: Instant,
): AsyncGenerator<Expired<Journal>> {
  if (await hasAtMost(read, table, max)) return;
  const counts = new Map<number | null, number>();
  for (let before = Number.MAX_SAFE_INTEGER; ; ) {
    await yieldToEventLoop();
    const page = await readPage(read, table, { where: ['id', '<', before], direction: 'desc' });
    const ids = page.filter(({ company_id, created_at }) => {
      // Those that are old are deleted, or in use.
      if (created_at < cutoffOf(daysOf(company_id), now)) return false;
      const count = (counts.get(company_id) ?? 0) + 1;
      counts.set(company_id, count);
      return count > max;
    });
    yield { kind, ids: ids.map(({ id }) => id) };
    const last = page.at(-1);
    if (page.length < pageSize || !last) return;
    before = last.id;
  }
}

/** Reads a page of the rows that nothing waits for, behind or before an id. */
function readPage(
  read: Read,
  table: TableDescription,
  { where, direction }: { readonly where: Condition; readonly direction: 'asc' | 'desc' },
): Promise<JournalRow[]> {
  const columns = ['id', 'company_id', 'created_at'];
  const over = [where, ['state', '!=', 'pending']] as Where;
  return read((tables) =>
    tables.of<AnyRow>(table).find({ where: over, order: [['id', direction]], limit: pageSize, columns }),
  ) as Promise<JournalRow[]>;
}
