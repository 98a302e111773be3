import { openBrowser, signedInContext } from '../harness/browser.ts';
import { openDatabase } from '../harness/databases.ts';
import { fillHourlyLedger } from '../harness/hourly-ledger.ts';
import { loadPage, type PageLoad, reportLoads } from '../harness/page-load.ts';
import { Service } from '../harness/service.ts';
import type { Report } from '../results.ts';

/** As many as a page of the console lists. */
const runs = 100;
export const name = `a page of ${runs} runs in the console, and the plain page of the same Tasks`;
const rounds = 11;
const hour = 3_600_000;

/** Measures a list of runs in the console beside that of the format html, which has no script. */
export async function run(report: Report): Promise<void> {
  await using opened = await openDatabase('SQLite FULL');
  await fillHourlyLedger(opened, { templates: 100, windows: 720, until: Math.floor(Date.now() / hour) * hour });
  await using service = await Service.start(opened);
  await service.signIn();
  await using chromium = await openBrowser();
  const { browser } = chromium;
  const signedIn = await signedInContext(browser, service.origin);
  const { bearer: authorization } = service.authorization;
  const list = `${service.url}/tasks.html?order=-window_start&limit=${runs}`;
  const plain: PageLoad[] = [];
  const empty: PageLoad[] = [];
  const full: PageLoad[] = [];
  // The first round warms up the service and Chromium.
  for (let round = 0; round <= rounds; round++) {
    const withToken = await browser.newContext({ extraHTTPHeaders: { authorization } });
    const loads = [await loadPage(withToken, list, `tbody > tr:nth-child(${runs})`)];
    await withToken.close();
    const context = await browser.newContext(signedIn);
    for (let visit = 1; visit <= 2; visit++)
      loads.push(await loadPage(context, `${service.origin}/runs`, `.rows > li:nth-child(${runs})`));
    await context.close();
    if (round > 0) for (const [index, load] of loads.entries()) [plain, empty, full][index]?.push(load);
  }
  const path = '/console/api/tasks.json';
  const simple = reportLoads(report, 'the plain page', plain, '/api/v1/tasks.html');
  for (const [visit, loads] of [
    ['empty cache', empty],
    ['second visit', full],
  ] as const) {
    const rich = reportLoads(report, `the console, ${visit}`, loads, path);
    report.figure('   until usable, vs. the plain page', rich.usable / simple.usable, '×');
    report.figure('   on the wire, vs. the plain page', rich.bytes / simple.bytes, '×');
  }
}
