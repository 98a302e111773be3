import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import { addTemplates, ceilToSecond } from '../bench/harness/templates-due.ts';
import { ConsoleWorld, describeInBrowser, expectAccessible, viewports } from '../support/browser/console-world.ts';
import { addPastRuns, noonZone } from '../support/browser/run-history.ts';
import { eventually } from '../support/mocha/eventually.ts';

const minute = 60_000;

describeInBrowser('Now of templates that are on time again:', () => {
  let world: ConsoleWorld;
  let company: number;
  let failed: number;
  let late: number;
  let start: number;

  before(async () => {
    world = await ConsoleWorld.create({ HORARIUM_TIMEZONE: noonZone() });
    const { service } = world;
    const store = await service.openStore();
    // They start next within the hours that the page shows.
    const at = ceilToSecond(Date.now() + 60 * minute);
    [failed, late] = (await addTemplates(store, { count: 2, executor: 'external', at })) as [number, number];
    company = (await service.run('runtemplate:get', String(failed))).company_id;
    start = Date.now() - 10 * minute;
    const runsOf = (state: 'failed' | 'fulfilled_late') => [
      { start, end: start + minute, state, reason: 'exit code 2' },
      ...[2, 3, 4].map((after) => {
        const begin = start + after * minute;
        return { start: begin, end: begin + minute, state: 'fulfilled' as const };
      }),
    ];
    await addPastRuns(service, failed, runsOf('failed'), company);
    await addPastRuns(service, late, runsOf('fulfilled_late'), company);
    await eventually('they are counted', async () => (await world.get('/summary.json')).owed === 8);
  });
  after(() => world[Symbol.asyncDispose]());

  const rows = (page: Page, list: string): Locator => page.getByRole('list', { name: list }).locator('li[data-row]');

  it('The headline says that all is well, and since when', async () => {
    const page = await world.signedIn();
    const text = /^Everything is on time now\. One run failed at (?:yesterday )?\d\d:\d\d and has succeeded since\.$/;
    await page.getByRole('heading', { level: 1, name: text }).waitFor();
    expect(await page.getByText('Needs a person').count()).to.equal(0);
    await page.context().close();
  });

  it('What failed stands by itself with since when it is on time, and runs again from there', async () => {
    const page = await world.signedIn();
    const row = rows(page, 'Failed, and succeeded since');
    await row.getByText(/^succeeded since (?:yesterday )?\d\d:\d\d \(3 runs\)$/).waitFor();
    await row.getByText('Failed: exit code 2').waitFor();
    await row.getByRole('button', { name: 'Run again' }).waitFor();
    await rows(page, 'Done, but late')
      .getByText(/^succeeded since .* \(3 runs\)$/)
      .waitFor();
    await rows(page, 'Next').first().waitFor();
    expect((await rows(page, 'Next').allInnerTexts()).join()).not.to.match(/has failed|was late/);
    await page.context().close();
  });

  for (const viewport of viewports)
    it(`It is accessible (${viewport.width} px)`, async () => {
      const page = await world.signedIn({ viewport });
      await rows(page, 'Failed, and succeeded since').waitFor();
      await expectAccessible(page);
      await page.context().close();
    });

  it('What fails once more needs a person again', async () => {
    const page = await world.signedIn();
    await rows(page, 'Failed, and succeeded since').waitFor();
    await addPastRuns(
      world.service,
      failed,
      [{ start: start + 5 * minute, state: 'failed', reason: 'exit code 3' }],
      company,
    );
    await rows(page, 'Needs a person').getByText('Failed: exit code 3').waitFor();
    await page.getByRole('heading', { level: 1, name: 'One needs you.' }).waitFor();
    await page.context().close();
  });

  it('A bar of the strip shows the share of each state, and one failure among many', async () => {
    const slot = 15 * minute;
    const yesterday = Math.floor((Date.now() - 20 * 60 * minute) / slot) * slot + minute;
    const good = Array.from({ length: 60 }, (_each, at) => ({ start: yesterday + at, state: 'fulfilled' as const }));
    await addPastRuns(world.service, late, [{ start: yesterday + 60, state: 'failed' }, ...good], company);
    const page = await world.signedIn();
    const bar = page
      .locator('.strip i')
      .filter({ has: page.locator('.is-failed') })
      .first();
    const [failing, fulfilled] = [await box(bar.locator('.is-failed')), await box(bar.locator('.is-fulfilled'))];
    expect(failing.height).to.be.at.least(6);
    expect(fulfilled.height).to.be.above(3 * failing.height);
    expect(failing.y + failing.height).to.be.closeTo(fulfilled.y, 0.5);
    const ahead = page
      .locator('.strip i')
      .filter({ has: page.locator('.is-to_come') })
      .last();
    expect(await ahead.locator('b').count()).to.equal(1);
    await page.context().close();
  });

  for (const viewport of viewports)
    it(`The times beneath the strip stand apart, on both sides of now (${viewport.width} px)`, async () => {
      const page = await world.signedIn({ viewport });
      await page.locator('.now-scale').waitFor();
      const marks = await page.locator('.now-scale > :visible').all();
      const boxes = (await Promise.all(marks.map(box))).sort((one, other) => one.x - other.x);
      const present = await box(page.locator('.now-scale > b'));
      expect(boxes.length).to.be.at.least(4);
      expect(boxes.at(-1)?.x).to.be.above(present.x + present.width);
      const gaps = boxes.slice(1).map(({ x }, index) => x - (boxes[index]?.x ?? 0) - (boxes[index]?.width ?? 0));
      expect(Math.min(...gaps)).to.be.at.least(8);
      await page.context().close();
    });
});

async function box(of: Locator) {
  const found = await of.boundingBox();
  if (!found) throw new Error('It is not shown.');
  return found;
}
