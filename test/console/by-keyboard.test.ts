import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { ConsoleWorld, describeInBrowser, password } from '../support/browser/console-world.ts';
import { addPastRuns } from '../support/browser/run-history.ts';
import { eventually } from '../support/mocha/eventually.ts';

const hour = 3_600_000;

describeInBrowser('A new user with a keyboard alone:', () => {
  for (const width of [1280, 390]) {
    let world: ConsoleWorld;
    beforeEach(async () => {
      world = await ConsoleWorld.create();
    });
    afterEach(() => world[Symbol.asyncDispose]());

    it(`They find the run that fails, read its output, see what changed and undo it (${width} px)`, async () => {
      const { service } = world;
      await service.run(
        ...(['app:save', '--name', 'Export', '--executable', '/bin/sh'] as const),
        ...['--arguments', '-c', '--arguments', 'echo "cannot reach $TARGET"; test "$TARGET" = shop'],
        ...['--environment', JSON.stringify({ TARGET: {} })],
      );
      const template = ['--name', 'Orders', '--company-id', '1', '--app-id', '1', '--set', 'interval=yearly'];
      await service.run('runtemplate:save', ...template, '--environment', JSON.stringify({ TARGET: 'shop' }));
      const start = Math.floor(Date.now() / hour) * hour - 3 * hour;
      await addPastRuns(service, 1, [{ start, state: 'fulfilled', attempts: [['succeeded', null]] }]);
      await service.run('runtemplate:save', '--id', '1', '--environment', JSON.stringify({ TARGET: 'nowhere' }));
      const [task] = await addPastRuns(service, 1, [
        { start: Date.now() - 60_000, state: 'failed', reason: 'exit code 1' },
      ]);
      await world.post('/job', { task_id: task });
      await eventually('it has failed again', async () =>
        (await service.jobs(1)).some(({ state }) => state === 'failed'),
      );

      const page = await signedIn(width);
      await page.locator('[data-row]').getByText('Orders').first().waitFor();
      await page.keyboard.press('j');
      await page.keyboard.press('o');
      await page.getByText('cannot reach nowhere').first().waitFor();
      await tabTo(page, /^Undo/);
      await page.keyboard.press('Enter');
      await page.getByRole('log').getByText('The change of Orders is undone.').waitFor();
      expect((await service.run('runtemplate:get', '1')).environment).to.deep.equal({ TARGET: 'shop' });
      await page.context().close();
    });

    it(`They make a template with the form (${width} px)`, async () => {
      await world.post('/app', { name: 'Backup', executable: '/bin/true' });
      const page = await signedIn(width);
      await page.keyboard.press('g');
      await page.keyboard.press('m');
      await page.waitForURL(/\/templates$/);
      await page.getByRole('link', { name: 'New template' }).waitFor();
      await tabTo(page, /^New template/);
      await page.keyboard.press('Enter');
      await page.getByLabel(/^Name/).waitFor();
      await tabTo(page, /^Name/);
      await page.keyboard.type('Nightly backup');
      await tabTo(page, /^App/);
      await page.keyboard.type('Backup');
      await tabTo(page, /^Company/);
      await page.keyboard.type('Acme');
      await tabTo(page, /^Interval/);
      await page.keyboard.type('every day');
      await tabTo(page, /^Create/);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name: 'Nightly backup' }).waitFor();
      const { interval, app_id } = await world.service.run('runtemplate:get', '1');
      expect({ interval, app_id }).to.deep.equal({ interval: 'daily', app_id: 1 });
      await page.context().close();
    });

    /** Signs in with keys. */
    async function signedIn(of: number): Promise<Page> {
      const page = await world.open({ viewport: { width: of, height: 844 } });
      await page.getByLabel('Login').and(page.locator(':focus')).waitFor();
      await page.keyboard.type('admin');
      await page.keyboard.press('Tab');
      await page.keyboard.type(password);
      await page.keyboard.press('Enter');
      await page.locator('header').waitFor();
      await page.locator('h1').waitFor();
      return page;
    }
  }
});

/** Presses Tab until an element of the page with such a name has the focus, at most once around the page. */
async function tabTo(page: Page, name: RegExp): Promise<void> {
  const named = page.getByRole('main').locator(':focus');
  for (let pressed = 0; pressed < 200; pressed++) {
    await page.keyboard.press('Tab');
    if ((await named.count()) === 0) continue;
    const label = await page.evaluate<string>(`(() => {
      const { ariaLabel, labels, textContent } = document.activeElement;
      return ariaLabel ?? labels?.[0]?.textContent ?? textContent;
    })()`);
    if (name.test(label.trim())) return;
  }
  throw new Error(`Tab leads to nothing that is called ${name}.`);
}
