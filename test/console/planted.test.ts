import { join } from 'node:path';
import { expect } from 'chai';
import { ConsoleWorld, describeInBrowser, signIn } from '../support/browser/console-world.ts';
import { addPlantedRecords, type PlantedRecords, planted } from '../support/browser/planted-records.ts';
import { addPastRuns } from '../support/browser/run-history.ts';
import { followRequests, viewPatterns, walkScreens } from '../support/browser/screen-walk.ts';
import { findOverflowing, findReordered } from '../support/browser/text-layout.ts';

/** A plugin whose records the console knows from its description alone. */
const holidays = join(import.meta.dirname, '../examples/plugins/holidays.js');

describeInBrowser('Planted texts in the console:', () => {
  let world: ConsoleWorld;
  let added: PlantedRecords;
  before(async () => {
    world = await ConsoleWorld.create({
      HORARIUM_PLUGINS: `built-in,${holidays}`,
      HORARIUM_OUTBOUND_NETWORKS: '127.0.0.1/32',
    });
    added = await addPlantedRecords(world);
    const hour = 3_600_000;
    const start = Math.floor(Date.now() / hour) * hour;
    await addPastRuns(world.service, 1, [
      { start: start - 5 * hour, state: 'fulfilled', attempts: [['succeeded', null]] },
      { start: start - 3 * hour, state: 'failed', reason: planted, attempts: [['failed', planted]] },
      { start: start - 2 * hour, state: 'missed', reason: planted },
    ]);
  });
  after(() => world[Symbol.asyncDispose]());

  it('Every kind of records takes them in its texts', () => {
    for (const [resource, names] of Object.entries(added.fields)) expect(names, resource).to.not.be.empty;
  });

  for (const width of [1280, 390]) {
    it(`Every screen shows them as text, in its place and within the page (${width} px)`, async () => {
      const { page, wrong, look } = await watched(width);
      const views = await walkScreens(page, async (view) => {
        await look(view);
        const edit = page.getByRole('button', { name: 'Edit' });
        if ((await edit.count()) === 0) return;
        await edit.click();
        await page.getByRole('button', { name: 'Cancel' }).waitFor();
        await look(`the form of ${view}`);
      });
      for (const pattern of viewPatterns()) {
        const isVisited = views.some((each) => pattern.test(each));
        expect(isVisited, String(pattern)).to.equal(true);
      }
      expect(wrong).to.deep.equal([]);
      await page.context().close();
    });

    it(`Messages, questions, results and what is found show them as text, too (${width} px)`, async () => {
      const { page, wrong, look } = await watched(width);
      const settled = followRequests(page);
      const go = async (view: string) => {
        await page.goto(world.url + view);
        await settled();
      };
      const message = (text: string) => page.getByRole('log').getByText(text).first();
      await page.keyboard.press('/');
      await page.getByLabel('Search everything').fill('taken');
      await page.getByRole('listbox').getByRole('option').first().waitFor();
      await look('what is found');

      await go('/templates/1');
      await page.getByRole('button', { name: 'Pause', exact: true }).click();
      await look('the question before a pause');
      await page.getByLabel('Why').fill(planted);
      await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).click();
      await message('is paused.').waitFor();
      await page.getByRole('button', { name: 'Deactivate' }).click();
      await message('is switched off.').waitFor();
      await look('messages');
      await message('is switched off.').getByRole('button', { name: 'Undo' }).click();
      await message('is switched on.').waitFor();

      await go('/');
      await look('Now with a pause');
      await go('/templates');
      await page.getByRole('button', { name: 'Resume' }).click();
      await message('is resumed.').waitFor();
      await page.locator('li[data-row]').first().focus();
      await page.keyboard.press('x');
      await page.getByRole('button', { name: 'Run (1)' }).click();
      await page.getByText(/^Done with/).waitFor();
      await look('the results of an action on rows');

      await go('/timeline');
      await page.locator('[data-template]').first().focus();
      await page.keyboard.press('ArrowLeft');
      await page.getByRole('region', { name: 'What it is about' }).getByRole('link').waitFor();
      await settled();
      await look('the card of the timeline');

      await go('/manage/apps/1');
      await page.getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('dialog').getByText('would delete').first().waitFor();
      await look('the question before a deletion');
      expect(wrong).to.deep.equal([]);
      await page.context().close();
    });
  }

  /** Opens a page of the administrator in which nothing planted may run, and a function that looks at how it is shown. */
  async function watched(width: number) {
    const page = await world.open({ viewport: { width, height: 844 } });
    const wrong: string[] = [];
    await page.exposeBinding('taken', ({ page: at }) => wrong.push(`a script ran on ${at.url()}`));
    page.on('dialog', (dialog) => void dialog.dismiss().then(() => wrong.push(`a dialog on ${page.url()}`)));
    await signIn(page, 'admin');
    await page.locator('h1').waitFor();
    const look = async (what: string) => {
      await page.evaluate("document.querySelectorAll('main details').forEach((each) => { each.open = true })");
      for (const text of await findReordered(page, [planted])) wrong.push(`${what}: reordered: ${text}`);
      for (const element of await findOverflowing(page)) wrong.push(`${what}: too wide: ${element}`);
      if ((await page.locator('body :is([onerror], [onload], script:not([src]))').count()) > 0)
        wrong.push(`${what}: markup`);
    };
    return { page, wrong, look };
  }
});
