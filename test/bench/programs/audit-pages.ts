import { type DatabaseName, openDatabase } from '../harness/databases.ts';
import { entriesPerJob, FinishedHistory } from '../harness/finished-history.ts';
import { interleaved, timed } from '../harness/rounds.ts';
import { Service } from '../harness/service.ts';
import type { Report } from '../results.ts';

export const name = 'pages of the audit log';
const entries = 1_000_000;
const rounds = 25;
/** The limit of the pages that are followed to the end. */
const followedLimit = 1000;

/** Compares the first page of a million entries with the last, which is reached by following `Link` headers. */
export async function run(report: Report): Promise<void> {
  for (const database of ['SQLite FULL', 'PostgreSQL'] as const) await measure(report, database);
}

async function measure(report: Report, label: DatabaseName): Promise<void> {
  await using database = await openDatabase(label);
  await new FinishedHistory(database).growTo(Math.ceil(entries / entriesPerJob));
  await using service = await Service.start(database);
  await service.signIn();
  const { urls, elapsed } = await followLinks(service);
  report.figure(`${label}, ${urls.length} pages of 1,000 followed`, elapsed / 1000, 's');
  // The last full page, to compare two pages of the same size: the one after it holds the remainder.
  const [first, last] = [urls[0], urls.at(-2)] as [string, string];
  for (const limit of [followedLimit, 100]) {
    const read = (url: string) => () => timed(() => fetchPage(service, withLimit(url, limit)));
    const medians = await interleaved(rounds, { first: read(first), last: read(last) });
    report.figure(`${label}, the first page of ${limit}`, medians.first, 'ms');
    report.figure(`${label}, the last page of ${limit}`, medians.last, 'ms');
    report.figure('   last vs. first', medians.last / medians.first, '×', { max: 1.5 });
  }
}

/** Reads every page. @returns their URLs, and the elapsed milliseconds. */
async function followLinks(service: Service): Promise<{ urls: readonly string[]; elapsed: number }> {
  const urls: string[] = [];
  const elapsed = await timed(async () => {
    let url: string | null = `${service.url}/auditlog.json?limit=${followedLimit}`;
    while (url !== null) {
      urls.push(url);
      url = (await fetchPage(service, url)).next;
    }
  });
  return { urls, elapsed };
}

function withLimit(page: string, limit: number): string {
  const url = new URL(page);
  url.searchParams.set('limit', String(limit));
  return url.href;
}

/** Reads a page to its end. @returns the URL of the next page, from its Link header; null on the last page. */
async function fetchPage(service: Service, url: string): Promise<{ readonly next: string | null }> {
  const response = await fetch(url, { headers: { authorization: service.authorization.bearer } });
  const { length } = (await response.json()) as unknown[];
  if (!response.ok || length === 0) throw new Error(`${url} returned ${response.status} with ${length} entries.`);
  const link = /^<([^>]+)>; rel="next"$/.exec(response.headers.get('link') ?? '')?.[1];
  return { next: link === undefined ? null : new URL(link, url).href };
}
