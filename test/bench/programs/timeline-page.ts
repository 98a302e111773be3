import type { Page } from 'playwright-core';
import { openBrowser, signInOn } from '../harness/browser.ts';
import { openDatabase } from '../harness/databases.ts';
import { fillHourlyLedger } from '../harness/hourly-ledger.ts';
import { median, quantile } from '../harness/rounds.ts';
import { Service } from '../harness/service.ts';
import type { Report } from '../results.ts';

export const name = 'page with the timeline of a month of 1,000 hourly templates';
const templates = 1000;
/** More than the page reads of what is past: it reads twice the time that it shows. */
const windows = 1000;
const rounds = 7;
const frames = 240;
const hour = 3_600_000;

/** What a page says of its first picture. Times are milliseconds. */
interface FirstPicture {
  /** From asking for all templates to the first byte. */
  readonly server: number;
  /** The size of that answer, and as it was sent. */
  readonly bytes: number;
  readonly sent: number;
  /** From the end of the answer to the frame that shows its rows. */
  readonly paint: number;
}

/** Measures how soon a page in Chromium shows the timeline, and how many frames it shows while it is zoomed, moved and scrolled. */
export async function run(report: Report): Promise<void> {
  await using opened = await openDatabase('SQLite FULL');
  await fillHourlyLedger(opened, { templates, windows, until: Math.floor(Date.now() / hour) * hour });
  await using service = await Service.start(opened);
  await using chromium = await openBrowser();
  const page = await chromium.browser.newPage({ viewport: { width: 1280, height: 800 } });
  await page.goto(`${service.origin}/timeline?period=month`);
  await signInOn(page);
  await page.locator('.template').first().waitFor();
  const pictures: FirstPicture[] = [];
  for (let round = 0; round < rounds; round++) {
    await page.reload();
    pictures.push(await page.evaluate<FirstPicture>(firstPicture));
  }
  const of = (figure: (picture: FirstPicture) => number) => median(pictures.map(figure));
  report.figure(
    'answer of the service, first byte',
    of(({ server }) => server),
    'ms',
    { max: 300 },
  );
  report.figure('   size', of(({ bytes }) => bytes) / 1000, 'kB');
  report.figure('   sent', of(({ sent }) => sent) / 1000, 'kB');
  report.figure(
    'from the answer to the first picture',
    of(({ paint }) => paint),
    'ms',
    { max: 1000 },
  );
  await measureFrames(page, report, 'zooming about the pointer', zoomStep);
  await measureFrames(page, report, 'moving in time', moveStep);
  await measureFrames(page, report, 'scrolling through all templates', scrollStep);
}

async function measureFrames(page: Page, report: Report, label: string, step: string): Promise<void> {
  const spans = await page.evaluate<number[]>(`(${framesWith})((step) => { ${step} }, ${frames})`);
  const mean = spans.reduce((sum, span) => sum + span, 0) / spans.length;
  // A screen shows 60 a second; what measures them is not exact to the last one.
  report.figure(`${label}, frames`, 1000 / mean, '1/s', { min: 59 });
  report.figure('   time between two, p99', quantile(spans, 0.99), 'ms');
}

const firstPicture = `new Promise((resolve) => {
  const look = () => {
    const answers = performance.getEntriesByType('resource').filter(({ name }) => name.includes('timeline.json'));
    if (answers.length === 0 || !document.querySelector('.template')) return requestAnimationFrame(look);
    const { requestStart, responseStart, responseEnd, decodedBodySize, encodedBodySize } = answers[0];
    // The rows are in the page: the next frame paints them.
    requestAnimationFrame(() => resolve({
      server: responseStart - requestStart,
      bytes: decodedBodySize,
      sent: encodedBodySize,
      paint: performance.now() - responseEnd,
    }));
  };
  look();
})`;

/** Does something in each frame, and returns the time between each two of them. */
const framesWith = `(work, count) => new Promise((resolve) => {
  const spans = [];
  let last = 0;
  const next = (time) => {
    if (last > 0) spans.push(time - last);
    last = time;
    if (spans.length === count) return resolve(spans);
    work(spans.length);
    requestAnimationFrame(next);
  };
  requestAnimationFrame(next);
})`;

const wheel = (options: string) =>
  `document.querySelector('.field').dispatchEvent(new WheelEvent('wheel', { bubbles: true, cancelable: true, clientX: 900, ${options} }));`;
const zoomStep = wheel('ctrlKey: true, deltaY: step % 120 < 60 ? -12 : 12');
const moveStep = wheel('deltaX: step % 120 < 60 ? -12 : 12');
const scrollStep = `scrollTo(0, (document.body.scrollHeight - innerHeight) * (step / ${frames}));`;
