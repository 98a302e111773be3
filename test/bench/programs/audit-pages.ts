import { AuditLog } from '@horarium/core';
import { type DatabaseName, openDatabase } from '../harness/databases.ts';
import { FinishedHistory } from '../harness/history.ts';
import { interleaved, timed } from '../harness/rounds.ts';
import { Service } from '../harness/service.ts';
import type { Report } from '../results.ts';

export const name = 'pages of the audit log';
const entries = 1_000_000;
/** The audit entries of one finished job. */
const entriesOfAJob = 6;
const rounds = 25;

/** Compares the first page of a million entries with the last, which it reaches as clients do: by following `Link`. */
export async function run(report: Report): Promise<void> {
  for (const database of ['SQLite FULL', 'PostgreSQL'] as const) await measure(report, database);
}

async function measure(report: Report, name: DatabaseName): Promise<void> {
  await using database = await openDatabase(name);
  await new FinishedHistory(database).growTo(Math.ceil(entries / entriesOfAJob));
  await using service = await Service.start(database);
  await service.signIn();
  const headers = { authorization: service.authorization.bearer };
  const first = `${service.url}/auditlog.json?limit=1000`;
  const pages: string[] = [];
  const took = await timed(async () => {
    for (let page: string | null = first; page !== null; page = await nextOf(page, headers)) pages.push(page);
  });
  report.figure(`${name}, ${pages.length} pages of 1,000 followed`, took / 1000, 's');
  // The very last page is not full; the one before it holds as much as the first.
  const last = pages.at(-2) as string;
  const page = (url: string) => async () => timed(() => nextOf(url, headers));
  for (const limit of [1000, 100]) {
    const sized = (url: string) => page(url.replace('limit=1000', `limit=${limit}`));
    const seen = await interleaved(rounds, { first: sized(first), last: sized(last) });
    report.figure(`${name}, the first page of ${limit}`, seen.first, 'ms');
    report.figure(`${name}, the last page of ${limit}`, seen.last, 'ms');
    report.figure('   last vs. first', seen.last / seen.first, '×', { max: 1.5 });
  }
}

/** Reads a page to its end. @returns the page that its Link header names as the next one. */
async function nextOf(url: string, headers: Readonly<Record<string, string>>): Promise<string | null> {
  const answer = await fetch(url, { headers });
  const read = ((await answer.json()) as unknown[]).length;
  if (!answer.ok || read === 0) throw new Error(`${AuditLog.name}: a page was answered with ${answer.status}.`);
  const link = /^<([^>]+)>; rel="next"$/.exec(answer.headers.get('link') ?? '')?.[1];
  return link === undefined ? null : new URL(link, url).href;
}
