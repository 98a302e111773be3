import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import type { Page, Request } from 'playwright-core';
import { ConsoleWorld, describeInBrowser } from '../support/browser/console-world.ts';

/** How much a page may load before it shows the first screen, compressed with gzip. */
const maxBytes = 60_000;

describeInBrowser('The first load in the browser:', () => {
  let world: ConsoleWorld;
  before(async () => {
    world = await ConsoleWorld.create();
  });
  after(() => world[Symbol.asyncDispose]());

  /** The languages whose words a page has asked for. */
  const languagesOf = async (page: Page) =>
    (await page.evaluate<string[]>(`performance.getEntriesByType('resource').map(({ name }) => name)`))
      .map((url) => /\/(en|cs)-[^/]+\.js$/.exec(url)?.[1])
      .filter((language) => language !== undefined);

  for (const [locale, language, heading] of [
    ['en-GB', 'en', 'Sign in'],
    ['cs-CZ', 'cs', 'Přihlášení'],
    ['fr-FR', 'en', 'Sign in'],
  ] as const)
    it(`A browser in ${locale} loads the words of one language: ${language}`, async () => {
      const page = await world.open({ locale });
      await page.getByRole('heading', { level: 1, name: heading }).waitFor();
      expect(await page.locator('html').getAttribute('lang')).to.equal(language);
      expect(await languagesOf(page)).to.deep.equal([language]);
      await page.context().close();
    });

  it('Nothing is shown until the words are there, and they are asked for before the page has run', async () => {
    const page = await world.open({ view: '/icon.svg', locale: 'cs-CZ' });
    const words = Promise.withResolvers<() => Promise<void>>();
    const program = Promise.withResolvers<() => Promise<void>>();
    await page.route(/\/cs-[^/]+\.js$/, (route) => words.resolve(() => route.continue()));
    await page.route(/\/main-[^/]+\.js$/, (route) => program.resolve(() => route.continue()));
    const loaded = page.goto(world.url);
    const continueWords = await words.promise;
    await (await program.promise)();
    await loaded;
    expect(await page.locator('#console').innerText()).to.equal('');
    await continueWords();
    await page.getByRole('heading', { level: 1, name: 'Přihlášení' }).waitFor();
    await page.context().close();
  });

  it('Another language is loaded when it is chosen, without loading the page again', async () => {
    const page = await world.signedIn({ view: '/account' });
    await page.evaluate(`document.body.dataset.same = 'page'`);
    await page.getByRole('main').getByLabel('Language').selectOption({ label: 'Čeština' });
    await page.getByRole('heading', { level: 1, name: 'Jste admin.' }).waitFor();
    expect(await languagesOf(page)).to.deep.equal(['en', 'cs']);
    expect(await page.locator('html').getAttribute('lang')).to.equal('cs');
    expect(await page.locator('body').getAttribute('data-same')).to.equal('page');
    await page.context().close();
  });

  it('Where a language cannot be loaded the page says so, and stays in the former one', async () => {
    const page = await world.signedIn({ view: '/account' });
    await page.route(/\/cs-[^/]+\.js$/, (route) => route.abort());
    const choice = page.getByRole('main').getByLabel('Language');
    await choice.selectOption({ label: 'Čeština' });
    await page.getByRole('log').getByText('could not be loaded').waitFor();
    expect(await choice.inputValue()).to.equal('en');
    await page.getByRole('heading', { level: 1, name: 'You are admin.' }).waitFor();
    await page.context().close();
  });

  it(`The first screen takes at most ${maxBytes / 1000} kB, all of it compressed`, async () => {
    const page = await world.open();
    const requests: Request[] = [];
    page.on('request', (request) => requests.push(request));
    await page.reload();
    await page.getByRole('heading', { level: 1 }).waitFor();
    // The icon is of type other: the browser reads it beside the page.
    const files = requests.filter((request) => !['fetch', 'other'].includes(request.resourceType()));
    let bytes = 0;
    for (const file of files) {
      const response = await file.response();
      expect(response?.headers()['content-encoding'], file.url()).to.match(/^(?:br|gzip)$/);
      bytes += gzipSync((await response?.body()) ?? '', { level: 9 }).length;
    }
    expect(files.length).to.be.above(3);
    expect(bytes).to.be.below(maxBytes);
    await page.context().close();
  });
});
