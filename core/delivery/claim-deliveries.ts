import type { Milliseconds } from '../loop/clock.ts';
import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';
import { readRestorePause } from '../pause/restore-pause.ts';
import type { Query, Where } from '../store/query.ts';
import type { Tables } from '../store/store.ts';
import { Delivery, type DeliveryRow } from './delivery.ts';
import { digestLock, gatherDigest } from './digest.ts';

/** How long a claimed delivery is left alone, unless its claim is renewed: those of a process that died wait for it. */
const claimLease: Milliseconds = 10_000;
/** How often claims are renewed while their attempts are under way. */
export const claimRenewal: Milliseconds = 3000;

/** Renews the claims of deliveries whose attempts are under way. */
export async function renewClaims(tables: Tables, ids: readonly number[]): Promise<void> {
  const claimed: Where<DeliveryRow> = [
    ['id', 'in', ids],
    ['state', '=', 'pending'],
  ];
  await tables.of(Delivery).updateWhere(claimed, { next_at: (await tables.now()) + claimLease });
}

/**
 * How many deliveries may be under way in one process. The last quarter is kept for endpoints with few deliveries under way,
 * so that endpoints that do not answer cannot take all. The last tenth is kept for companies with few, because one company
 * can have any number of endpoints.
 */
export const maxUnderWay = 100;
const freelyTaken = 75;
/** How many of one endpoint may be under way, and how many of them within the last quarter. */
const maxPerEndpoint = 25;
const maxBesideFull = 2;
/** Where the last tenth begins, and how many of a company may be among it. */
const takenByAnyCompany = 90;
const maxOfCompany = 5;

/** How many deliveries may be claimed. */
export interface ClaimLimits {
  readonly total: number;
  /** The deliveries that are under way here, by their ids. */
  readonly underWay: ReadonlyMap<number, Pick<DeliveryRow, 'endpoint' | 'company_id'>>;
}

const dueColumns = ['id', 'endpoint', 'company_id'] as const;
/** How many recoveries are passed over for one claim: others behind them wait for the next one. */
const maxEarly = 500;

/**
 * Chooses deliveries that are due, the longest first, but of each endpoint only as many as it may have at once: those that
 * wait for an endpoint which does not answer are passed over, and so are deliveries of a company that has many under way, and
 * recoveries whose failures are not delivered yet.
 * @param lock `skip` leaves out those that other hosts are claiming.
 */
async function chooseDue(tables: Tables, { total, underWay }: ClaimLimits, lock?: 'skip') {
  const now = await tables.now();
  const endpoints = new Map<string, number>();
  const companies = new Map<number, number>();
  const count = ({ endpoint, company_id }: Pick<DeliveryRow, 'endpoint' | 'company_id'>) => {
    endpoints.set(endpoint, (endpoints.get(endpoint) ?? 0) + 1);
    // The service's own belong to no company.
    if (company_id !== null) companies.set(company_id, (companies.get(company_id) ?? 0) + 1);
  };
  for (const row of underWay.values()) count(row);
  const chosen = new Set<number>();
  const early = new Set<number>();
  const isFull = (endpoint: string) => {
    const isScarce = underWay.size + chosen.size >= freelyTaken;
    return (endpoints.get(endpoint) ?? 0) >= (isScarce ? maxBesideFull : maxPerEndpoint);
  };
  const hasMany = (company: number) =>
    underWay.size + chosen.size >= takenByAnyCompany && (companies.get(company) ?? 0) >= maxOfCompany;
  while (chosen.size < total) {
    await yieldToEventLoop();
    const full = [...endpoints.keys()].filter(isFull);
    const served = [...companies.keys()].filter(hasMany);
    const where: Where<DeliveryRow> = [
      ['state', '=', 'pending'],
      ['next_at', '<=', now],
      ...full.map((endpoint) => ['endpoint', '!=', endpoint] as const),
      ...served.map((company) => ['company_id', '!=', company] as const),
      ...[...early].map((id) => ['id', '!=', id] as const),
    ];
    const query: Query<DeliveryRow, (typeof dueColumns)[number]> = {
      where,
      order: [['next_at', 'asc']],
      // Claims of this host that could not be renewed in time are due as well.
      limit: total + underWay.size,
      columns: dueColumns,
      ...(lock && { lock }),
    };
    const found = (await tables.of(Delivery).find(query)).filter(({ id }) => !chosen.has(id) && !underWay.has(id));
    const passedOver = early.size;
    const recoveries = await earlyRecoveries(tables, found);
    for (const id of recoveries) early.add(id);
    for (const row of found) {
      const isServed = row.company_id !== null && hasMany(row.company_id);
      if (chosen.size >= total || isServed || isFull(row.endpoint) || early.has(row.id)) continue;
      chosen.add(row.id);
      count(row);
    }
    // Further ones are found behind deliveries of an endpoint that has become full, of a company that has many, and early ones.
    const isFurther =
      (early.size > passedOver && early.size < maxEarly) ||
      [...endpoints.keys()].filter(isFull).length > full.length ||
      [...companies.keys()].filter(hasMany).length > served.length;
    if (found.length === 0 || !isFurther) break;
  }
  return [...chosen];
}

/**
 * Finds recoveries whose action still has failures to deliver, so that the recovery comes last. A
 * failure that has been tried in vain does not hold it up.
 */
async function earlyRecoveries(tables: Tables, rows: readonly Pick<DeliveryRow, 'id'>[]): Promise<readonly number[]> {
  if (rows.length === 0) return [];
  const columns = ['id', 'runtemplate_id', 'action', 'owner'] as const;
  const recoveries = await tables.of(Delivery).find({
    where: [
      ['id', 'in', rows.map(({ id }) => id)],
      ['event', '=', 'on_recovered'],
    ],
    columns,
  });
  if (recoveries.length === 0) return [];
  const untold = await tables.of(Delivery).find({
    where: [
      ['runtemplate_id', 'in', [...new Set(recoveries.map(({ runtemplate_id }) => runtemplate_id as number))]],
      ['state', '=', 'pending'],
      ['error', '=', null],
      ['next_at', '!=', null],
    ],
    columns,
  });
  const listOf = (row: (typeof untold)[number]) => `${row.runtemplate_id} ${row.owner} ${row.action}`;
  const oldest = new Map(untold.toReversed().map((row) => [listOf(row), row.id]));
  return recoveries.flatMap((row) => ((oldest.get(listOf(row)) ?? row.id) < row.id ? row.id : []));
}

/** Whether a delivery is due that may be claimed: none is while a store is paused that was restored from a backup. */
export async function hasDue(tables: Tables, limits: ClaimLimits): Promise<boolean> {
  if ((await readRestorePause(tables)) !== null) return false;
  return (await chooseDue(tables, { ...limits, total: 1 })).length > 0;
}

/**
 * Claims deliveries for an attempt. Until the attempt's result is written, or the lease is over, no host claims them again.
 * Failures that are collected for a digest are claimed together, as one.
 */
export async function claimDeliveries(tables: Tables, limits: ClaimLimits): Promise<DeliveryRow[]> {
  const now = await tables.now();
  const ids = await chooseDue(tables, limits, 'skip');
  const rows = await tables.of(Delivery).find({ where: [['id', 'in', ids]] });
  const gathered = new Set<number>();
  const claimed: DeliveryRow[] = [];
  for (const row of rows) {
    await yieldToEventLoop();
    if (gathered.has(row.id)) continue;
    if (row.collected && row.tries === 0) {
      if (!(await tables.tryLock(digestLock(row)))) continue;
      for (const id of await gatherDigest(tables, row, now)) {
        await yieldToEventLoop();
        gathered.add(id);
      }
    }
    claimed.push(row);
  }
  const changes = claimed.map((row) => ({
    row,
    set: { next_at: now + claimLease, attempts: row.attempts + 1, tries: row.tries + 1 },
  }));
  await tables.of(Delivery).update(changes);
  return changes.map(({ row, set }) => ({ ...row, ...set }));
}
