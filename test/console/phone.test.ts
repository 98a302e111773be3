import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { ConsoleWorld, describeInBrowser, expectAccessible } from '../support/browser/console-world.ts';
import { addPastRuns } from '../support/browser/run-history.ts';
import { eventually } from '../support/mocha/eventually.ts';

const phone = { viewport: { width: 390, height: 664 }, hasTouch: true, isMobile: true };

describeInBrowser('The console on a phone:', () => {
  let world: ConsoleWorld;
  let template: number;
  let failed: number;
  before(async () => {
    world = await ConsoleWorld.create();
    const names = Array.from({ length: 12 }, (_, index) => [`OPTION_${index}`, { description: 'What it is for.' }]);
    const variables = JSON.stringify(Object.fromEntries(names));
    const words = ['--executable', '/bin/true', '--set', `environment=${variables}`];
    const app = await world.service.run('app:save', '--name', 'Report', ...words);
    const owner = ['--company-id', '1', '--app-id', String(app.id), '--interval', 'yearly'];
    template = (await world.service.run('runtemplate:save', '--name', 'Report of all countries', ...owner)).id;
    const runs = [{ start: Date.now() - 7_200_000, state: 'failed', attempts: [['failed', 'exit code 1']] }] as const;
    [failed = 0] = await addPastRuns(world.service, template, runs);
  });
  after(() => world[Symbol.asyncDispose]());

  const expectDialogInView = async (page: Page) => {
    const dialog = page.getByRole('dialog');
    await dialog.waitFor();
    const { scrolled, own, buttons, lefts } = await dialog.evaluate((element) => ({
      scrolled: element.scrollWidth - element.clientWidth,
      own: element.getBoundingClientRect().toJSON(),
      buttons: [...element.querySelectorAll('button')].map((button) => button.getBoundingClientRect().toJSON()),
      lefts: [...(element.firstElementChild?.children ?? [])].map((child) => child.getBoundingClientRect().left),
    }));
    expect(scrolled, 'what is cut at its right').to.equal(0);
    expect(own.left).to.be.at.least(0);
    expect(own.right).to.be.at.most(phone.viewport.width);
    expect(new Set(lefts), 'one column').to.have.property('size', 1);
    expect(buttons).to.have.length.of.at.least(2);
    for (const { left, right, top, bottom, height } of buttons) {
      expect(left).to.be.at.least(0);
      expect(right).to.be.at.most(phone.viewport.width);
      expect(top, 'within reach of the thumb').to.be.at.least(phone.viewport.height / 2);
      expect(bottom).to.be.at.most(phone.viewport.height);
      expect(height).to.be.at.least(44);
    }
  };

  it('Long lines of an output are broken so that all of them is read, unless one wishes otherwise', async () => {
    const long = `head -c 900 /dev/zero | tr '\\0' x; echo; printf 'a\\tb %0200d\\n' 7; echo 漢字$(printf '漢%.0s' $(seq 90))`;
    const script = `i=0; while [ $i -lt 120 ]; do ${long}; i=$((i+1)); done; echo the end`;
    const id = await world.service.addTemplate('Wordy', ['-c', script], { interval: 'none' });
    const job = await world.service.run('runtemplate:run', String(id));
    const page = await world.signedIn({ view: `/jobs/${job.id}`, ...phone });
    const box = page.locator('.lines');
    const end = page.locator('.line', { hasText: 'the end' });
    await page.getByText('361 lines').waitFor();
    const overflow = () => box.evaluate((element) => element.scrollWidth - element.clientWidth);
    const cut = () =>
      box.evaluate((element) =>
        [...element.querySelectorAll('.line')]
          .filter((line) => line.scrollHeight > line.clientHeight)
          .map((line) => line.textContent),
      );
    await eventually('nothing reaches beyond the box', async () => (await overflow()) === 0);
    expect(await cut()).to.deep.equal([]);
    const rows = await page
      .locator('.line', { hasText: 'xxx' })
      .first()
      .evaluate((line) => line.clientHeight / 20);
    expect(rows).to.be.above(15);
    await box.press('End');
    await end.waitFor();
    await eventually('its end is its last row', async () => {
      const [{ y = 0, height = 0 } = {}, own] = [(await end.boundingBox()) ?? {}, await box.boundingBox()];
      return Math.abs(y + height - ((own?.y ?? 0) + (own?.height ?? 0))) < 24;
    });
    expect(await cut()).to.deep.equal([]);
    await page.getByRole('button', { name: 'Break long lines', pressed: true }).click();
    await eventually('long lines reach beyond the box', async () => (await overflow()) > 1000);
    await page.context().close();
  });

  it('What can be done stands in a line at the foot of a run, and in two of a template', async () => {
    const page = await world.signedIn({ view: `/runs/${failed}`, ...phone });
    const bar = page.locator('.acts.head > :is(button, a)');
    for (const [view, first, lines] of [
      [`/runs/${failed}`, 'Run again', 1],
      [`/templates/${template}`, 'Run now', 2],
    ] as const) {
      await page.goto(`${world.url}${view}`);
      await bar.filter({ hasText: first }).first().waitFor();
      // What can be done with other values is known once the App is.
      await bar.filter({ hasText: 'other values' }).first().waitFor();
      const boxes = await Promise.all((await bar.all()).map((each) => each.boundingBox()));
      expect(boxes).to.have.length.of.at.least(2);
      expect(new Set(boxes.map((box) => `${box?.y} ${box?.height}`)), view).to.have.property('size', lines);
      for (const box of boxes) expect((box?.x ?? 0) + (box?.width ?? 0)).to.be.at.most(phone.viewport.width);
    }
    await page.context().close();
  });

  const dialogs: readonly (readonly [what: string, view: () => string, button: RegExp])[] = [
    ['Pause in the list of templates', () => '/templates', /^Pause: Report/],
    ['Pause on the page of a template', () => `/templates/${template}`, /^Pause/],
    ['Run again with other values', () => `/runs/${failed}`, /^Run again with other values/],
    ['Delete on the page of a record', () => '/manage/companies/1', /^Delete/],
  ];
  for (const [what, view, button] of dialogs)
    it(`${what}: the dialog has one column that the screen holds, and its buttons are in view at its foot`, async () => {
      const page = await world.signedIn({ view: view(), ...phone });
      await page.getByRole('button', { name: button }).first().click();
      await expectDialogInView(page);
      await expectAccessible(page);
      await page.context().close();
    });
});
