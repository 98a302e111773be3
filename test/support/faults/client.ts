import { setTimeout as pause } from 'node:timers/promises';
import { checkedFetch } from '../checked-fetch.ts';

/** A write that the service said it had done. */
export interface Acknowledged {
  /** Ids of ad hoc jobs. */
  readonly jobs: number[];
  /** Topics, with the last description that was acknowledged and the last one that was asked for. */
  readonly topics: { readonly id: number; readonly name: string; acknowledged: number; asked: number }[];
}

export interface ClientOptions {
  readonly url: string;
  readonly token: string;
  /** Names its topics. */
  readonly name: string;
  /** The template that its jobs are of. */
  readonly template: number;
  readonly acknowledged: Acknowledged;
  /** Answers that are neither what was asked for nor "try later". */
  readonly wrong: string[];
}

/** Writes through one process as quickly as it answers, until it does not, and remembers what was acknowledged. */
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

/** The record that came back; null when the service could not just then. Rejects when it is gone. */
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
