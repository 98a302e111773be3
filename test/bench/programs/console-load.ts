import { openBrowser, signedInContext } from '../harness/browser.ts';
import { openDatabase } from '../harness/databases.ts';
import { fillHourlyLedger } from '../harness/hourly-ledger.ts';
import { loadPage, type PageLoad, reportLoads } from '../harness/page-load.ts';
import { Service } from '../harness/service.ts';
import type { Report } from '../results.ts';

export const name = 'first pages of the console, until they are usable';
const rounds = 11;
const hour = 3_600_000;

/** Measures how soon the form that signs in, and the first page behind it, are usable: with an empty cache, and once more. */
export async function run(report: Report): Promise<void> {
  await using opened = await openDatabase('SQLite FULL');
  await fillHourlyLedger(opened, { templates: 100, windows: 48, until: Math.floor(Date.now() / hour) * hour });
  await using service = await Service.start(opened);
  await using chromium = await openBrowser();
  const { browser } = chromium;
  const views = [
    { title: 'sign-in', element: 'form.sign-in', context: {} },
    {
      title: 'Now of a user who has signed in',
      element: '.outlook',
      context: await signedInContext(browser, service.origin),
    },
  ].map((view) => ({ ...view, empty: [] as PageLoad[], full: [] as PageLoad[] }));
  // The first round warms up the service and Chromium.
  for (let round = 0; round <= rounds; round++)
    for (const view of views) {
      const context = await browser.newContext(view.context);
      const empty = await loadPage(context, service.origin, view.element);
      const full = await loadPage(context, service.origin, view.element);
      await context.close();
      if (round === 0) continue;
      view.empty.push(empty);
      view.full.push(full);
    }
  for (const { title, empty, full } of views) {
    const first = reportLoads(report, `${title}, empty cache`, empty);
    const second = reportLoads(report, `${title}, second visit`, full);
    report.figure('   vs. the first one', second.usable / first.usable, '×');
  }
}
