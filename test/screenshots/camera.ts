import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { temporaryFolder } from '../support/mocha/temporary-folder.ts';
import { password } from './stopped-service.ts';
import { login, type StoryIds } from './story.ts';
import type { PicturedView } from './views.ts';

/** How pages look in a picture. */
export interface Appearance {
  readonly scheme: 'light' | 'dark';
  readonly width: number;
}

/** Every way in which pages look: both schemes, on a laptop and on a phone. */
export const appearances: readonly Appearance[] = (['light', 'dark'] as const).flatMap((scheme) =>
  [1280, 390].map((width) => ({ scheme, width })),
);

/** Names the file of a picture. */
export function pictureOf(view: string, { scheme, width }: Appearance): string {
  return `${view}-${scheme}-${width}.png`;
}

interface Taking {
  readonly folder: string;
  /** Whether a picture shows all of a page; else it shows the first screen. */
  readonly isWhole: boolean;
  /** Called with the name of each file. */
  onTaken(file: string): void;
}

interface CameraOptions {
  readonly executablePath: string;
  readonly url: string;
  readonly now: number;
  readonly ids: StoryIds;
  /** Closes Chromium, so that what waits for it fails. */
  readonly signal: AbortSignal;
}

/** Takes pictures of the pages of a service with Chromium, at one time, in one zone and language. */
export class Camera implements AsyncDisposable {
  readonly #browser: Browser;
  readonly #options: CameraOptions;
  readonly #userAgent: string;
  /** What ends with it. */
  readonly #opened: AsyncDisposableStack;

  private constructor(browser: Browser, options: CameraOptions, userAgent: string, opened: AsyncDisposableStack) {
    this.#browser = browser;
    this.#options = options;
    this.#userAgent = userAgent;
    this.#opened = opened;
  }

  /** @throws once the signal stops it. */
  static async open(options: CameraOptions): Promise<Camera> {
    const { executablePath, signal } = options;
    signal.throwIfAborted();
    await using opening = new AsyncDisposableStack();
    const home = temporaryFolder('camera');
    opening.defer(() => rmSync(home, { recursive: true, force: true, maxRetries: 10 }));
    // What Chromium writes to the folder of its user is removed with it.
    const env = { ...process.env, HOME: home } as Readonly<Record<string, string>>;
    const args = ['--no-sandbox', '--font-render-hinting=none'];
    // Playwright would end the process at once, and leave the folders of the service and of Chromium.
    const signals = { handleSIGHUP: false, handleSIGINT: false, handleSIGTERM: false };
    const browser = await chromium.launch({ executablePath, env, args, ...signals });
    opening.defer(() => browser.close());
    signal.throwIfAborted();
    signal.addEventListener('abort', () => void browser.close());
    const page = await browser.newPage();
    const userAgent = await page.evaluate<string>('navigator.userAgent');
    await page.close();
    // The pages name the browser of a session: that of a person has a window.
    return new Camera(browser, options, userAgent.replace('Headless', ''), opening.move());
  }

  /** Takes a picture of each view. */
  async take(appearance: Appearance, views: readonly PicturedView[], { folder, isWhole, onTaken }: Taking) {
    await using context = await this.#visit(appearance);
    for (const view of [...views].sort((a, b) => Number(b.signedOut ?? false) - Number(a.signedOut ?? false))) {
      const page = await context.newPage();
      const requests = new Requests(page);
      await page.goto(`${this.#options.url}${view.path(this.#options.ids)}`);
      if (!view.signedOut && (await isSignedOut(page))) await signIn(page);
      await page.locator('h1').first().waitFor();
      await requests.settled();
      await view.act?.(page);
      await requests.settled();
      if (isWhole && view.act === undefined) {
        await showWhole(page);
        await requests.settled();
      }
      const file = pictureOf(view.name, appearance);
      await page.screenshot({
        path: join(folder, file),
        animations: 'disabled',
        caret: 'hide',
      });
      await page.close();
      onTaken(file);
    }
  }

  async #visit({ scheme, width }: Appearance): Promise<BrowserContext & AsyncDisposable> {
    const { url, now } = this.#options;
    const context = await this.#browser.newContext({
      colorScheme: scheme,
      viewport: { width, height: width < 800 ? 844 : 860 },
      // A phone has a finger in place of a pointer.
      ...(width < 800 && { isMobile: true, hasTouch: true }),
      userAgent: this.#userAgent,
      locale: 'en-GB',
      timezoneId: 'Europe/Prague',
      reducedMotion: 'reduce',
    });
    await context.clock.setFixedTime(now);
    // Pages set their clock by the header Date, which Node writes by the time of the machine.
    await context.route(`${url}/console/api/**`, async (route) => {
      if (route.request().headers()['accept'] === 'text/event-stream') return route.continue();
      const response = await route.fetch();
      await route.fulfill({ response, headers: { ...response.headers(), date: new Date(now).toUTCString() } });
    });
    return context;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#opened.disposeAsync();
  }
}

/** The requests of a page that are not answered yet, but for streams, which end with the page. */
class Requests {
  readonly #page: Page;
  readonly #open = new Set<unknown>();

  constructor(page: Page) {
    this.#page = page;
    page.on('request', (request) => request.resourceType() !== 'eventsource' && this.#open.add(request));
    page.on('requestfinished', (request) => this.#open.delete(request));
    page.on('requestfailed', (request) => this.#open.delete(request));
  }

  /** Resolves when the page has shown several frames since it last waited for an answer. */
  async settled(): Promise<void> {
    for (let frames = 0; frames < 8; frames = this.#open.size > 0 ? 0 : frames + 1)
      await this.#page.evaluate('new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 20)))');
  }
}

/** Makes the window as high as the page, so that what stays at its foot stands there. */
async function showWhole(page: Page): Promise<void> {
  const { width, height } = page.viewportSize() as { width: number; height: number };
  const whole = await page.evaluate<number>('document.documentElement.scrollHeight');
  await page.setViewportSize({ width, height: Math.max(height, whole) });
}

async function isSignedOut(page: Page): Promise<boolean> {
  const form = page.getByLabel('Login');
  await form.or(page.getByRole('banner')).first().waitFor();
  return form.isVisible();
}

async function signIn(page: Page): Promise<void> {
  await page.getByLabel('Login').fill(login);
  await page.getByLabel('Password').fill(password);
  await page.keyboard.press('Enter');
  await page.getByRole('banner').waitFor();
}
