import type { BrowserContext } from 'playwright-core';
import { eventually } from '../../support/mocha/eventually.ts';
import type { Report } from '../results.ts';
import { medianOf } from './rounds.ts';

/** How a page was loaded. */
export interface PageLoad {
  /** From the beginning of the navigation to the frame that shows the element, in milliseconds. */
  readonly usable: number;
  /** From each request to the first byte of its answer, in milliseconds, by its path. */
  readonly server: ReadonlyMap<string, number>;
  /** What the service answered, with headers, but for the stream of changes. */
  readonly answers: number;
  readonly bytes: number;
}

/** Loads a URL in a new page until an element is shown and all that was asked for is there. */
export async function loadPage(context: BrowserContext, url: string, element: string): Promise<PageLoad> {
  const page = await context.newPage();
  const client = await context.newCDPSession(page);
  await client.send('Network.enable');
  const underWay = new Set<string>();
  const sizes: number[] = [];
  client.on('Network.requestWillBeSent', ({ requestId, type }) => {
    if (type !== 'EventSource') underWay.add(requestId);
  });
  client.on('Network.loadingFailed', ({ requestId }) => underWay.delete(requestId));
  client.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    underWay.delete(requestId);
    // What comes from the cache has no length.
    if (encodedDataLength > 0) sizes.push(encodedDataLength);
  });
  await page.goto(url, { waitUntil: 'commit' });
  const usable = await page.evaluate<number>(`(${usableAt})(${JSON.stringify(element)})`);
  await eventually('all that the page asked for is there', () => underWay.size === 0);
  const server = new Map(await page.evaluate<[string, number][]>(serverTimes));
  await page.close();
  return { usable, server, answers: sizes.length, bytes: sizes.reduce((sum, size) => sum + size, 0) };
}

/** Resolves with the time of the frame that shows an element. */
const usableAt = `(element) => new Promise((resolve) => {
  const look = () => {
    if (!document.querySelector(element)) return requestAnimationFrame(look);
    requestAnimationFrame(() => resolve(performance.now()));
  };
  look();
})`;

const serverTimes = `[...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
  .map(({ name, requestStart, responseStart }) => [new URL(name).pathname, responseStart - requestStart])`;

/** Reports several loads of one page. @param path that of an answer whose time is reported. @returns their medians. */
export function reportLoads(report: Report, title: string, loads: readonly PageLoad[], path?: string) {
  const times = loads.map(({ usable }) => usable);
  const usable = medianOf(loads, (load) => load.usable);
  const bytes = medianOf(loads, (load) => load.bytes);
  const answers = medianOf(loads, (load) => load.answers);
  report.figure(`${title}, until usable, median`, usable, 'ms');
  report.figure('   fastest', Math.min(...times), 'ms');
  report.figure('   slowest', Math.max(...times), 'ms');
  if (path !== undefined) {
    const server = medianOf(loads, (load) => load.server.get(path) ?? Number.NaN);
    report.figure('   first byte of the list', server, 'ms');
  }
  report.figure('   answers of the service', answers, '');
  report.figure('   on the wire', bytes / 1000, 'kB');
  return { usable, bytes };
}
