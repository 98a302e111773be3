import { RunTemplate } from '@horarium/core';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { insertLedger } from '../bench/harness/task-ledger.ts';
import { addTemplates, ceilToSecond } from '../bench/harness/templates-due.ts';
import { ConsoleWorld, describeInBrowser } from '../support/browser/console-world.ts';
import { followRequests } from '../support/browser/screen-walk.ts';
import { eventually } from '../support/mocha/eventually.ts';

const count = 10_000;
/** The most elements that a page may have, however many records there are. */
const maxElements = 5000;
const hour = 3_600_000;

describeInBrowser('Ten thousand templates in the console:', () => {
  let world: ConsoleWorld;
  let firstTemplate: number;
  before(async () => {
    world = await ConsoleWorld.create();
    const store = await world.service.openStore();
    const at = ceilToSecond(Date.now() + 300 * 24 * hour);
    const ids = await addTemplates(store, { count, executor: 'external', at });
    firstTemplate = ids[0] as number;
    await world.service.execute(
      `update ${RunTemplate.table} set name = 'Report ' || printf('%05d', id - ${firstTemplate})`,
    );
    const url = world.service.cli.environment['HORARIUM_DATABASE_URL'] as string;
    const until = Math.floor(Date.now() / hour) * hour;
    await insertLedger({ url }, { firstTemplate, templates: count, windows: 3, until });
  });
  after(() => world[Symbol.asyncDispose]());

  const rows = (page: Page, list: string) => page.getByRole('list', { name: list }).locator('li[data-row]');

  const elements = (page: Page) => page.evaluate<number>("document.querySelectorAll('*').length");

  it('Templates are shown by pages, found by name and state, and acted on with a result for each', async () => {
    const page = await world.signedIn({ view: '/templates' });
    const list = rows(page, 'Templates');
    await list.nth(49).waitFor();
    const first = await list.first().innerText();
    await page.getByRole('link', { name: 'Older' }).click();
    await eventually('the next page is shown', async () => (await list.first().innerText()) !== first);
    expect(await elements(page)).to.be.below(maxElements);
    await page.getByLabel('Failed, missed, late').check();
    await eventually('templates that failed are shown', async () => (await list.count()) > 0);
    await page.goto(`${world.url}/templates`);
    await page.getByLabel('Find by name or code').fill('Report 0123');
    await eventually('ten templates are left', async () => (await list.count()) === 10);
    await list.first().getByRole('checkbox').click();
    await list
      .nth(9)
      .getByRole('checkbox')
      .click({ modifiers: ['Shift'] });
    await page.getByRole('button', { name: 'Deactivate (10)' }).click();
    await page.getByText('Done with all 10.').waitFor();
    const results = page.getByRole('region', { name: 'What became of each' }).getByRole('listitem');
    expect(await results.count()).to.equal(10);
    expect(await world.service.run('runtemplate:list', '--active', 'false')).to.have.length(10);
    await page.context().close();
  });

  it('Now and the runs are usable', async () => {
    const page = await world.signedIn();
    const settled = followRequests(page);
    await page.goto(world.url);
    await settled();
    expect(await elements(page)).to.be.below(maxElements);
    await page.getByRole('link', { name: 'Runs' }).first().click();
    await rows(page, 'Runs').nth(99).waitFor();
    await page.getByRole('link', { name: 'Older' }).click();
    await page.getByRole('link', { name: 'Newest' }).waitFor();
    await settled();
    expect(await rows(page, 'Runs').count()).to.equal(100);
    expect(await elements(page)).to.be.below(maxElements);
    await page.context().close();
  });

  it('The timeline has them all, and draws those that are seen', async () => {
    const page = await world.signedIn({ view: '/timeline' });
    await page.locator('[data-template]').first().waitFor();
    const find = page.getByLabel('Name');
    await eventually('all are counted', async () => /10,000/.test(await page.getByRole('main').innerText()));
    expect(await elements(page)).to.be.below(maxElements);
    await find.fill('Report 09999');
    const last = page.locator('[data-template]', { hasText: 'Report 09999' });
    await last.waitFor();
    await eventually('the others are gone', async () => (await page.locator('[data-template]').count()) === 1);
    await find.fill('');
    await page.locator('[data-template]').first().focus();
    await page.keyboard.press('End');
    await page.mouse.move(640, 500);
    await page.mouse.wheel(0, 10_000_000);
    await last.waitFor();
    expect(await elements(page)).to.be.below(maxElements);
    await page.context().close();
  });

  it('The search, a filter and a field of a form find one by its name', async () => {
    const page = await world.signedIn({ view: '/runs' });
    await rows(page, 'Runs').first().waitFor();
    await page.keyboard.press('/');
    await page.getByLabel('Search everything').fill('report 09876');
    await page.getByRole('dialog').getByRole('option', { name: 'Report 09876' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    const filter = page.getByRole('main').getByRole('combobox', { name: 'Template' });
    await filter.fill('report 04321');
    await page.getByRole('option', { name: 'Report 04321' }).click();
    await eventually('the runs of that one are left', async () => {
      const texts = await rows(page, 'Runs').allInnerTexts();
      return texts.length > 0 && texts.every((text) => text.includes('Report 04321'));
    });
    await page.goto(`${world.url}/manage/maintenancewindows/new`);
    const field = page.getByRole('main').getByLabel(/^Runtemplate|^Run template|^Template/);
    await field.fill('report 00077');
    await page.getByRole('option', { name: 'Report 00077' }).click();
    expect(await field.inputValue()).to.equal('Report 00077');
    expect(await elements(page)).to.be.below(maxElements);
    await page.context().close();
  });
});
