import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { sourceRoot } from '../../house/source-files.ts';
import { eventually } from '../mocha/eventually.ts';

/** How many of the views are visited that differ in their ids alone. */
const maxAlike = 2;

/** The patterns of the views that the console has, as it declares them. */
export function viewPatterns(): RegExp[] {
  const source = readFileSync(join(sourceRoot, 'plugins/console/web/app/screens.ts'), 'utf8');
  return [...source.matchAll(/pattern: \/(.+)\/,/g)].map(([, pattern = '']) => new RegExp(pattern));
}

/**
 * Follows the links of a page to every screen, from the present one on, without loading the page again. Of the views whose paths
 * differ in their ids alone, a few are visited.
 * @param look is called with the path of each view, when it has read all that it shows.
 * @returns the views.
 */
export async function walkScreens(page: Page, look: (view: string) => Promise<void>): Promise<string[]> {
  const settled = followRequests(page);
  const visited = new Set<string>();
  const alike = new Map<string, number>();
  const waiting = ['/', '/account'];
  for (let view = waiting.shift(); view !== undefined; view = waiting.shift()) {
    const kind = view.replaceAll(/\d+/g, ':id');
    const count = alike.get(kind) ?? 0;
    if (visited.has(view) || count >= maxAlike) continue;
    visited.add(view);
    alike.set(kind, count + 1);
    await follow(page, view);
    await settled();
    await look(view);
    waiting.push(...(await linkedViews(page)));
  }
  return [...visited];
}

/** Follows a link to a view, as the console follows its own. */
export async function follow(page: Page, view: string): Promise<void> {
  await page.evaluate(`(() => {
    const link = document.createElement('a');
    link.href = ${JSON.stringify(view)};
    document.body.append(link);
    link.click();
    link.remove();
  })()`);
  // What is clicked is drawn, and what that mentions is asked for.
  await twoFrames(page);
}

/** The paths of the views that the links of a page lead to, also those in parts that are folded. */
async function linkedViews(page: Page): Promise<string[]> {
  const found = await page.evaluate<string[]>(
    `[...document.querySelectorAll('a[href]:not([download])')]
      .filter(({ origin }) => origin === location.origin).map(({ pathname }) => pathname)`,
  );
  return [...new Set(found)].filter((path) => !/^\/(?:api|console|docs)\/|\./.test(path));
}

/** Follows the requests of a page. @returns a function that waits until the page has a heading and nothing is being read. */
export function followRequests(page: Page): () => Promise<void> {
  const open = new Set<unknown>();
  page.on('request', (request) => {
    // The streams of changes and output have no end.
    if (request.resourceType() !== 'eventsource') open.add(request);
  });
  page.on('requestfinished', (request) => open.delete(request));
  page.on('requestfailed', (request) => open.delete(request));
  return async () => {
    await page.locator('h1').first().waitFor();
    await eventually('the page has read what it shows', async () => {
      if (open.size > 0) return false;
      // What has been read is drawn, and what that mentions is asked for.
      await twoFrames(page);
      return open.size === 0;
    });
  };
}

async function twoFrames(page: Page): Promise<void> {
  await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))');
}
