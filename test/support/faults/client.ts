import { setTimeout as pause } from 'node:timers/promises';
import { checkedFetch } from '../http/checked-fetch.ts';

/** The writes that the service acknowledged. */
export interface Acknowledged {
  /** Ids of ad hoc jobs. */
  readonly jobs: number[];
  /** Topics, with the last acknowledged description and the last requested one. */
  readonly topics: { readonly id: number; readonly name: string; acknowledged: number; asked: number }[];
}

export interface ClientOptions {
  readonly url: string;
  readonly token: string;
  /** The prefix of its topics' names. */
  readonly name: string;
  /** The template of its jobs. */
  readonly template: number;
  readonly acknowledged: Acknowledged;
  /** Responses that are neither a success nor "try later". */
  readonly wrong: string[];
}

/** Writes through one process as quickly as it responds, until it no longer does, and remembers acknowledged writes. */
export async function writeUntilDead(options: ClientOptions): Promise<void> {
  await Promise.allSettled([makeTopics(options), makeJobs(options)]);
}

async function makeTopics(options: ClientOptions): Promise<void> {
  for (let made = 0; ; made += 1) {
    const name = `${options.name} ${made}`;
    const topic = await post(options, '/topic/', { name, description: '0' });
    if (!topic) continue;
    const own = { id: topic.id, name, acknowledged: 0, asked: 0 };
    options.acknowledged.topics.push(own);
    for (let change = 1; change <= 5; change += 1) {
      own.asked = change;
      if (await post(options, `/topic/${own.id}.json`, { description: String(change) })) own.acknowledged = change;
      await pause(5);
    }
  }
}

async function makeJobs(options: ClientOptions): Promise<void> {
  for (;;) {
    const job = await post(options, '/job/', { runtemplate_id: options.template });
    if (job) options.acknowledged.jobs.push(job.id);
    await pause(150);
  }
}

/** Returns the record of the response; null when the service is unavailable. Rejects when it is gone. */
async function post({ url, token, wrong }: ClientOptions, path: string, body: object): Promise<{ id: number } | null> {
  const answer = await checkedFetch(`${url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  if (answer.ok) return JSON.parse(text);
  if (answer.status !== 503) wrong.push(`POST ${path} was answered ${answer.status}: ${text}`);
  await pause(20);
  return null;
}
