import { App } from '@horarium/core/plugin';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { newRow } from '#core/store/table';
import { appearances, ConsoleWorld, describeInBrowser, expectAccessible } from '../support/browser/console-world.ts';
import { eventually } from '../support/mocha/eventually.ts';

describeInBrowser('Manage in the console:', () => {
  let world: ConsoleWorld;
  before(async () => {
    world = await ConsoleWorld.create();
    await addApps(world, ['Záloha účtů', ...Array.from({ length: 10_000 }, (_, index) => `Report ${index}`)]);
  });
  after(() => world[Symbol.asyncDispose]());

  it('A list of ten thousand records finds those with the words that are typed, and keeps them in the URL', async () => {
    const page = await world.signedIn({ view: '/manage/apps' });
    await page.getByRole('heading', { level: 1, name: 'Apps 10000+' }).waitFor();
    await page.getByLabel('Find apps by name').fill('uctu zaloha');
    await page.getByRole('heading', { level: 1, name: 'Apps 1', exact: true }).waitFor();
    expect(new URL(page.url()).search).to.equal('?q=uctu+zaloha');
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'Apps 1', exact: true }).waitFor();
    await page.getByRole('row').nth(1).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Záloha účtů' }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: 'Apps 1', exact: true }).waitFor();
    expect(await page.getByLabel('Find apps by name').inputValue()).to.equal('uctu zaloha');
    await page.getByLabel('Find apps by name').fill('no such thing');
    await page.getByText('There are no such apps.').waitFor();
    await page.context().close();
  });

  it('A search with more records than it shows says so, and shows one that is saved meanwhile', async () => {
    const page = await world.signedIn({ view: '/manage/apps?q=report' });
    await page.getByText('These are the best 100; with more words one finds fewer.').waitFor();
    await page.getByLabel('Find apps by name').fill('newest');
    await page.getByText('There are no such apps.').waitFor();
    await world.service.run('app:save', '--code', 'newest', '--name', 'Newest', '--executable', '/bin/true');
    await page.getByRole('link', { name: 'newest', exact: true }).waitFor();
    await page.context().close();
  });

  it('A form finds the record that a field refers to by words of its name, with the keyboard alone', async () => {
    const page = await world.signedIn({ view: '/templates/new' });
    await page.getByLabel(/^Name/).fill('Accounts');
    const app = page.getByRole('combobox', { name: /^App/ });
    await app.focus();
    await page.getByRole('option', { name: 'Report 0', exact: true }).waitFor();
    await expectAccessible(page);
    await app.pressSequentially('uctu');
    await page.keyboard.press('Enter');
    await withValue(app, 'Záloha účtů');
    await page
      .getByRole('main')
      .getByLabel(/^Company/)
      .selectOption({ label: 'Acme' });
    await page.getByLabel(/^Interval/).selectOption('none');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { level: 1, name: 'Accounts' }).waitFor();
    expect(await world.service.run('runtemplate:get', '1')).to.include({ app_id: 1 });
    await page.getByRole('link', { name: 'Edit' }).click();
    await withValue(page.getByRole('combobox', { name: /^App/ }), 'Záloha účtů');
    await page.context().close();
  });

  for (const appearance of appearances)
    it(`is accessible, ${appearance.colorScheme} at ${appearance.viewport?.width} px`, async () => {
      const page = await world.signedIn({ ...appearance, view: '/manage/apps?q=report' });
      await page.getByText('These are the best 100').waitFor();
      await expectAccessible(page);
      await page.context().close();
    });
});

/** Stores apps with these names, in their order. */
async function addApps({ service }: ConsoleWorld, names: readonly string[]): Promise<void> {
  const store = await service.openStore();
  await store.transaction(async (tables) => {
    const now = await tables.now();
    const rows = names.map((name) => newRow(App, { name, executable: '/bin/true', created_at: now, updated_at: now }));
    for (let start = 0; start < rows.length; start += 1000)
      await tables.of(App).insert(rows.slice(start, start + 1000));
  });
}

/** Waits until an input has a value. */
async function withValue(input: ReturnType<Page['getByRole']>, value: string): Promise<void> {
  await eventually(`the value ${value}`, async () => (await input.inputValue()) === value);
}
