import type { CDPSession, Page } from 'playwright-core';

const hour = 3_600_000;

/** Returns the query of the timeline of the 24 hours from a time on. */
export function viewOf(from: number): string {
  return `from=${new Date(from).toISOString()}&to=${new Date(from + 24 * hour).toISOString()}`;
}

/** Finds the row of a template. */
export function rowOf(page: Page, name: string) {
  return page.locator('[data-template]', { has: page.getByRole('link', { name, exact: true }) });
}

/** Returns where a time of a row is seen. @param middle of what is drawn, in CSS pixels from the top of the row. */
export async function pointOf(page: Page, name: string, time: number, middle = 17): Promise<[x: number, y: number]> {
  const box = await page.locator('.field canvas').boundingBox();
  const row = await rowOf(page, name).boundingBox();
  if (!box || !row) throw new Error('The timeline has no picture.');
  const { from, to } = await seenTimes(page);
  return [box.x + ((time - from) / (to - from)) * box.width, row.y + middle];
}

/** Returns which times are seen, by the URL. */
export async function seenTimes(page: Page) {
  const query = new URL(page.url()).searchParams;
  const from = Date.parse(query.get('from') ?? '');
  // A whole day stands in the URL without its end.
  return { from, to: query.has('to') ? Date.parse(query.get('to') ?? '') : from + 24 * hour };
}

/** Returns how long the time is that a URL shows. */
export function spanOf(url: URL): number {
  return Date.parse(url.searchParams.get('to') ?? '') - Date.parse(url.searchParams.get('from') ?? '');
}

/** Returns the time that is seen at a place. */
export async function seenTime(page: Page, x: number): Promise<number> {
  const box = await page.locator('.field canvas').boundingBox();
  const { from, to } = await seenTimes(page);
  return from + ((x - (box?.x ?? 0)) / (box?.width ?? 1)) * (to - from);
}

/** Waits until the next frame is drawn. */
export const nextFrame = 'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))';

/** Has fingers touch the screen. @param points where they are; none = they are lifted. */
export async function touch(
  devtools: CDPSession,
  type: 'touchStart' | 'touchMove' | 'touchEnd',
  points: readonly (readonly [number, number])[],
): Promise<void> {
  const touchPoints = points.map(([x, y], id) => ({ x, y, id }));
  await devtools.send('Input.dispatchTouchEvent', { type, touchPoints });
}

/** Reads the colour that the picture has at a time of a row. @param aside how far to the right of it, in CSS pixels. @param middle as `pointOf`. */
export async function pixelAt(page: Page, name: string, time: number, aside: number, middle?: number): Promise<string> {
  const [x, y] = await pointOf(page, name, time, middle);
  const box = await page.locator('.field canvas').boundingBox();
  return page.evaluate(`(() => {
    const context = document.querySelector('.field canvas').getContext('2d');
    const [red, green, blue] = context.getImageData(${x + aside - (box?.x ?? 0)}, ${y - (box?.y ?? 0)}, 1, 1).data;
    return 'rgb(' + red + ', ' + green + ', ' + blue + ')';
  })()`);
}

/** Returns what a colour of the styles comes to. */
export function colourOf(page: Page, name: string): Promise<string> {
  return page.evaluate(`(() => {
    const probe = document.body.appendChild(document.createElement('i'));
    probe.style.color = 'var(${name})';
    const { color } = getComputedStyle(probe);
    probe.remove();
    return color;
  })()`);
}
