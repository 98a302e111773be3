import { join } from 'node:path';
import { expect } from 'chai';
import { ConsoleWorld, describeInBrowser } from '../support/browser/console-world.ts';

/** A plugin of a file, whose kind of records the console has no line for. */
const holidays = join(import.meta.dirname, '../examples/plugins/holidays.js');

describeInBrowser('Records of a plugin in the console:', () => {
  let world: ConsoleWorld;
  before(async () => {
    world = await ConsoleWorld.create({ HORARIUM_PLUGINS: `built-in,${holidays}` });
    await world.addUser('vera', null, { 1: 'viewer' });
  });
  after(() => world[Symbol.asyncDispose]());

  const list = () => world.service.cli.command('holiday:list --format json');

  it('They are created, found, changed and deleted as all others are', async () => {
    const page = await world.signedIn({ view: '/manage' });
    await page.getByRole('link', { name: 'Holidays' }).click();
    await page.getByText('A day on which a company does not work.').waitFor();
    await page.getByRole('link', { name: 'New holiday' }).click();
    await page
      .getByRole('main')
      .getByLabel(/^Company/)
      .selectOption({ label: 'Acme' });
    await page.getByLabel(/^Name/).fill('Founders’ day');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByText('One field is not right.').waitFor();
    await page.getByLabel(/^On/).fill('2098-05-01T00:00');
    await page.getByText('1 more field').click();
    await page.getByLabel(/^Kind/).selectOption('public');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { level: 1, name: 'Founders’ day' }).waitFor();
    // The length of its name is computed by the plugin.
    await page.getByText('13', { exact: true }).waitFor();

    await page.keyboard.press('/');
    await page.getByLabel('Search everything').fill('founders');
    await page.getByRole('listbox').getByRole('option', { name: 'Founders’ day' }).click();
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel(/^Name/).fill('Day of the founders');
    await page.getByRole('button', { name: 'Save 1 change' }).click();
    await page.getByRole('heading', { level: 1, name: 'Day of the founders' }).waitFor();
    await page.getByRole('list', { name: 'Changes' }).getByText('Founders’ day').waitFor();

    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Day of the founders is deleted.').waitFor();
    await page.waitForURL(/\/manage\/holidays$/);
    expect((await list()).out.trim()).to.equal('[]');
    await page.context().close();
  });

  it('A viewer of their company sees them, and is offered no change', async () => {
    await world.post('/company', { code: 'globex', name: 'Globex' });
    const viewer = await world.signedIn({ login: 'vera', view: '/manage/holidays' });
    await viewer.getByRole('heading', { level: 1 }).waitFor();
    expect(await viewer.getByRole('link', { name: 'New holiday' }).count()).to.equal(0);
    await viewer.context().close();
  });

  it('What the plugins of calendars and event sources bring stands in the forms of those', async () => {
    const page = await world.signedIn({ view: '/manage/eventsources/new' });
    await page.getByLabel(/^Kind/).selectOption('changes-table');
    await page.getByLabel(/^Driver/).selectOption('pgsql');
    await page.getByLabel(/^Kind/).selectOption('webhook');
    await page.getByLabel(/^Driver/).waitFor({ state: 'detached' });
    await page.context().close();
  });
});
