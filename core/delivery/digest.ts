import type { NoticeDigest } from '../action/notice.ts';
import type { Instant, Milliseconds } from '../loop/clock.ts';
import type { Where } from '../store/query.ts';
import type { Tables } from '../store/store.ts';
import { Delivery, type DeliveryRow } from './delivery.ts';

/** The maximum number of failures that a digest tells one by one; it counts all. */
const maxListed = 20;

/** Returns when the failures that are collected now are told: the first failure begins the grid of intervals. */
export function nextDigestAt(since: Instant, now: Instant, interval: Milliseconds): Instant {
  return since + (Math.floor((now - since) / interval) + 1) * interval;
}

/**
 * Assigns to a collected delivery the others that are due for the same action of the same list, event and template, so
 * that one message reports all of them. The caller holds the lock `digestLock` of the delivery.
 */
export async function gatherDigest(tables: Tables, leader: DeliveryRow, now: Instant): Promise<readonly number[]> {
  const due: Where<DeliveryRow> = [
    ['runtemplate_id', '=', leader.runtemplate_id],
    ['state', '=', 'pending'],
    ['collected', '=', true],
    ['owner', '=', leader.owner],
    ['event', '=', leader.event],
    ['listed_id', '=', leader.listed_id],
    ['action', '=', leader.action],
    ['tries', '=', 0],
    ['next_at', '<=', now],
    ['id', '!=', leader.id],
  ];
  const others = await tables.of(Delivery).find({ where: due, columns: ['id'] });
  const ids = others.map(({ id }) => id);
  if (ids.length > 0)
    await tables.of(Delivery).updateWhere([['id', 'in', ids]], { digest_id: leader.id, next_at: null });
  return ids;
}

/** The name of the lock under which the failures of one list and template are assigned to a digest. */
export function digestLock({ runtemplate_id, owner, event, listed_id }: DeliveryRow): string {
  return `digest ${runtemplate_id} ${owner} ${event} ${listed_id}`;
}

/** Returns the failures that a collected delivery reports: its own and those that are assigned to it. */
export async function readDigest(tables: Tables, leader: DeliveryRow): Promise<NoticeDigest> {
  const where = [['digest_id', '=', leader.id]] as const;
  const [count, newest, [oldest]] = await Promise.all([
    tables.of(Delivery).count(where),
    tables.of(Delivery).find({ where, order: [['id', 'desc']], limit: maxListed, columns: ['id', 'notice'] }),
    tables.of(Delivery).find({ where, order: [['id', 'asc']], limit: 1, columns: ['id', 'notice'] }),
  ]);
  const others = oldest ? [oldest, ...newest] : newest;
  const listed = new Map([leader, ...others].map(({ id, notice }) => [id, notice]));
  const notices = [...listed].sort(([one], [other]) => one - other).map(([, notice]) => notice);
  const times = notices.map(({ occurred_at }) => occurred_at);
  return {
    count: count + 1,
    first_at: Math.min(...times),
    last_at: Math.max(...times),
    failures: notices
      .slice(-maxListed)
      .map(({ occurred_at, reason, task, job }) => ({ occurred_at, reason, task, job })),
  };
}
