import axe from 'axe-core';
import { expect } from 'chai';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { ServiceWorld } from '../faults/service-world.ts';
import { checkedFetch } from '../http/checked-fetch.ts';
import type { SpawnedProgram } from '../program/spawned-program.ts';

const executablePath = process.env['HORARIUM_TEST_CHROMIUM'];

/** Describes tests that need a browser; without Chromium they are skipped by name. */
export function describeInBrowser(title: string, tests: () => void): void {
  // Each file has a `describe` of its own, also where one process runs several.
  (executablePath === undefined ? describe.skip : describe)(title, tests);
}

/**
 * Parts of Chromium that are switched off. For each window it loads two pages of its address bar in processes of their own, which
 * no test sees, and which take as much of the processor as the console. The rest is what Playwright switches off itself, by the
 * option whose place this one takes.
 */
const disabledFeatures = [
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
];

/** The password of every user of such a world. */
export const password = 'correct horse battery';

type Started = Awaited<ReturnType<ServiceWorld['startService']>>;

export interface Visitor extends BrowserContextOptions {
  /** @default admin */
  readonly login?: string;
  /** The view that is opened. @default Now */
  readonly view?: string;
}

/**
 * A service process with the console, and a browser in which users have pages of it. What a page reports as a mistake, such as
 * an error of a script or a breach of its policy, fails the test when the world is closed.
 */
export class ConsoleWorld implements AsyncDisposable {
  readonly service: ServiceWorld;
  readonly url: string;
  readonly browser: Browser;
  /** What pages have reported as a mistake. */
  readonly mistakes: string[] = [];

  #program: SpawnedProgram;
  readonly #options: readonly string[];

  private constructor(service: ServiceWorld, started: Started, browser: Browser, options: readonly string[]) {
    this.service = service;
    this.url = new URL(started.url).origin;
    this.browser = browser;
    this.#program = started.service;
    this.#options = options;
  }

  /**
   * Creates a world with the company 1, Acme, its service process and a browser.
   * @param settings environment variables `HORARIUM_…`.
   * @param options of the command `serve`.
   */
  static async create(
    settings: Readonly<Record<string, string>> = {},
    options: readonly string[] = [],
  ): Promise<ConsoleWorld> {
    const service = await ServiceWorld.create('sqlite', { ...settings, HORARIUM_ADMIN_PASSWORD: password });
    const started = await service.startService(...options);
    // What Chromium writes to the folder of its user goes with that of the world.
    const env = { ...process.env, HOME: service.cli.folder } as Readonly<Record<string, string>>;
    const args = ['--no-sandbox', `--disable-features=${disabledFeatures.join()}`];
    const browser = await chromium.launch({ ...(executablePath && { executablePath }), env, args });
    return new ConsoleWorld(service, started, browser, options);
  }

  /** Kills the service process and starts another one at the same address. */
  async restart(): Promise<void> {
    this.#program.process.kill('SIGKILL');
    await this.#program.ended;
    const { service } = await this.service.startService('--port', new URL(this.url).port, ...this.#options);
    this.#program = service;
  }

  /** Sends a request to the API as the administrator. @returns the JSON of the response. @throws Error unless it succeeds. */
  // biome-ignore lint/suspicious/noExplicitAny: the JSON of a response may have any shape.
  post(path: string, body: object): Promise<any> {
    return this.#request(path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
  }

  /** Reads from the API as the administrator. @returns the JSON of the response. @throws Error unless it succeeds. */
  // biome-ignore lint/suspicious/noExplicitAny: the JSON of a response may have any shape.
  get(path: string): Promise<any> {
    return this.#request(path, { method: 'GET' });
  }

  async #request(path: string, init: Parameters<typeof checkedFetch>[1] & object) {
    const response = await checkedFetch(`${this.url}/api/v1${path}`, {
      ...init,
      headers: { ...init.headers, Authorization: basicAuthorization('admin', password) },
    });
    if (!response.ok) throw new Error(`${init.method} ${path}: ${response.status} ${await response.text()}`);
    return response.json();
  }

  /**
   * Adds a user with the password of all.
   * @param role in the whole service; null = none.
   * @param memberships the roles in companies, by their ids.
   * @returns the id.
   */
  async addUser(
    login: string,
    role: string | null,
    memberships: Readonly<Record<number, string>> = {},
  ): Promise<number> {
    const { id } = await this.post('/user', { login, email: `${login}@example.com`, password });
    if (role !== null) await this.post(`/user/${id}/roles?replace=true`, { roles: [role] });
    for (const [company, own] of Object.entries(memberships))
      await this.post(`/company/${company}/user`, { user_id: id, role: own });
    return id;
  }

  /** Opens a page of a browser of its own, in which no user has signed in. */
  async open({ login: _login, view = '/', ...context }: Visitor = {}): Promise<Page> {
    const browser = await this.browser.newContext({ locale: 'en-GB', timezoneId: 'Europe/Prague', ...context });
    const page = await browser.newPage();
    page.on('pageerror', (error) => this.mistakes.push(error.stack ?? error.message));
    page.on('console', (message) => {
      // The browser itself reports each response with an error: tests look at what the page makes of them.
      const isResponse = message.text().startsWith('Failed to load resource');
      if (message.type() === 'error' && !isResponse) this.mistakes.push(message.text());
    });
    await page.goto(`${this.url}${view}`);
    return page;
  }

  /** Opens a page and signs in. */
  async signedIn(visitor: Visitor = {}): Promise<Page> {
    const page = await this.open(visitor);
    await signIn(page, visitor.login ?? 'admin');
    return page;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.browser.close();
    await this.service[Symbol.asyncDispose]();
    expect(this.mistakes).to.deep.equal([]);
  }
}

function basicAuthorization(login: string, secret: string): string {
  return `Basic ${Buffer.from(`${login}:${secret}`).toString('base64')}`;
}

/** Types a login and the password, and waits for the page behind the form. */
export async function signIn(page: Page, login: string): Promise<void> {
  await page.getByLabel('Login').fill(login);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('banner').waitFor();
}

const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/** The rules that another scheme may break: all others look at what both have. */
const colourRules = axe.getRules(['cat.color']).filter((rule) => rule.tags.some((tag) => tags.includes(tag)));

/** Checks a page against WCAG 2.2 AA by axe-core, in the light scheme, and its colours in the dark one, too. */
export async function expectAccessible(page: Page): Promise<void> {
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(axe.source);
  const light = await violationsOf(page, { type: 'tag', values: tags });
  await page.emulateMedia({ colorScheme: 'dark' });
  const dark = await violationsOf(page, { type: 'rule', values: colourRules.map(({ ruleId }) => ruleId) });
  await page.emulateMedia({ colorScheme: 'light' });
  expect({ light, dark }).to.deep.equal({ light: [], dark: [] });
}

async function violationsOf(page: Page, runOnly: axe.RunOnly): Promise<string[]> {
  const run = `axe.run(document, ${JSON.stringify({ runOnly })})`;
  const { violations } = await page.evaluate<{ violations: axe.Result[] }>(run);
  return violations.map(({ id, help, nodes }) => `${id}: ${help}\n${nodes.map(({ html }) => `  ${html}`).join('\n')}`);
}

/** The views are shown at each of these sizes. */
export const viewports = [1280, 390].map((width) => ({ width, height: 844 }));
