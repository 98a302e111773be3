import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { password } from './service.ts';

/** A Chromium of its own, whose files go with it. */
export interface BenchBrowser extends AsyncDisposable {
  readonly browser: Browser;
}

/** Starts the Chromium that HORARIUM_TEST_CHROMIUM names. */
export async function openBrowser(): Promise<BenchBrowser> {
  const home = await mkdtemp(join(tmpdir(), 'horarium-bench-'));
  const executablePath = process.env['HORARIUM_TEST_CHROMIUM'] as string;
  const browser = await chromium.launch({ executablePath, env: { HOME: home }, args: ['--no-sandbox'] });
  return {
    browser,
    async [Symbol.asyncDispose]() {
      await browser.close();
      await rm(home, { recursive: true, force: true });
    },
  };
}

/** Signs in as the first user on the page that is shown. */
export async function signInOn(page: Page): Promise<void> {
  await page.getByLabel('Login').fill('admin');
  await page.getByLabel('Password').fill(password);
  await page.keyboard.press('Enter');
  await page.getByRole('banner').waitFor();
}

/** Signs in, and returns what makes a context one of the same session with an empty cache. */
export async function signedInContext(browser: Browser, origin: string): Promise<BrowserContextOptions> {
  const page = await browser.newPage();
  await page.goto(origin);
  await signInOn(page);
  const storageState = await page.context().storageState();
  await page.context().close();
  return { storageState };
}
