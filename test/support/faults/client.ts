import { setTimeout as pause } from 'node:timers/promises';
import { checkedFetch } from '../http/checked-fetch.ts';

/** The writes that the service acknowledged. */
export interface Acknowledged {
  /** Ids of ad hoc jobs. */
  readonly jobs: number[];
  /** Topics, whose description is a number that grows with each change: the last acknowledged and the last requested one. */
  readonly topics: { readonly id: number; readonly name: string; acknowledged: number; requested: number }[];
}

export interface ClientOptions {
  readonly url: string;
  readonly token: string;
  /** The prefix of the names of its topics. */
  readonly name: string;
  /** The id of the template whose jobs it schedules. */
  readonly template: number;
  readonly acknowledged: Acknowledged;
  /** Called after each acknowledged write of that kind. */
  readonly onWrite: (kind: keyof Acknowledged) => void;
  /** Responses other than a success or 503, a sentence each. */
  readonly unexpected: string[];
}

/** Writes through one service process until the connection breaks, and records the acknowledged writes. */
export async function writeUntilDisconnected(options: ClientOptions): Promise<void> {
  await Promise.allSettled([writeTopics(options), scheduleJobs(options)]);
}

async function writeTopics(options: ClientOptions): Promise<void> {
  for (let count = 0; ; count += 1) {
    const name = `${options.name} ${count}`;
    const topic = await post(options, '/topic/', { name, description: '0' });
    if (!topic) continue;
    const stored = { id: topic.id, name, acknowledged: 0, requested: 0 };
    options.acknowledged.topics.push(stored);
    options.onWrite('topics');
    for (let change = 1; change <= 5; change += 1) {
      stored.requested = change;
      if (await post(options, `/topic/${stored.id}.json`, { description: String(change) })) {
        stored.acknowledged = change;
        options.onWrite('topics');
      }
      await pause(5);
    }
  }
}

/**
 * Schedules jobs until the connection breaks or the signal aborts.
 * @param interval how long it waits after each, in milliseconds.
 */
export async function scheduleJobs(
  options: Omit<ClientOptions, 'name'>,
  { interval = 150, signal }: { readonly interval?: number; readonly signal?: AbortSignal } = {},
): Promise<void> {
  while (!signal?.aborted) {
    const job = await post(options, '/job/', { runtemplate_id: options.template });
    if (job) {
      options.acknowledged.jobs.push(job.id);
      options.onWrite('jobs');
    }
    await pause(interval);
  }
}

/** Sends a request. @returns the record of the response, or null for an error. @throws TypeError when the connection breaks. */
async function post(
  { url, token, unexpected }: Pick<ClientOptions, 'url' | 'token' | 'unexpected'>,
  path: string,
  body: object,
): Promise<{ id: number } | null> {
  const response = await checkedFetch(`${url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (response.ok) return JSON.parse(text);
  if (response.status !== 503) unexpected.push(`POST ${path} was answered ${response.status}: ${text}`);
  await pause(20);
  return null;
}
