import { Company } from '@horarium/core/plugin';
import { expect } from 'chai';
import { newRow } from '#core/store/table';
import { ConsoleWorld, describeInBrowser, expectAccessible, viewports } from '../support/browser/console-world.ts';

const many = 10_000;

describeInBrowser('The choice of the company in the header:', () => {
  let world: ConsoleWorld;
  before(async () => {
    world = await ConsoleWorld.create();
    for (const name of ['Globex', 'Initech']) await world.post('/company', { code: name.toLowerCase(), name });
    await world.addUser('olga', null, { 1: 'viewer' });
    await world.addUser('petr', null, { 1: 'viewer', 2: 'operator' });
  });
  after(() => world[Symbol.asyncDispose]());

  it('Few companies are all shown once it is opened, and none is read before', async () => {
    const page = await world.open({ view: '/manage' });
    const read: string[] = [];
    page.on('request', (request) => request.url().includes('/companies.json') && read.push(request.url()));
    await page.getByLabel('Login').fill('admin');
    await page.getByLabel('Password').fill('correct horse battery');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1 }).waitFor();
    const button = page.getByRole('button', { name: 'Company: All companies' });
    await button.waitFor();
    expect(read).to.deep.equal([]);
    await button.click();
    const options = page.getByRole('listbox').getByRole('option');
    await options.nth(3).waitFor();
    expect(await options.allTextContents()).to.deep.equal(['All companies', 'Acme', 'Globex', 'Initech']);
    await options.filter({ hasText: 'Globex' }).click();
    await page.getByRole('button', { name: 'Company: Globex' }).waitFor();
    expect(new URL(page.url()).searchParams.get('company')).to.equal('2');
    await page.context().close();
  });

  it('Members choose among their companies, and those of one have nothing to choose', async () => {
    const page = await world.signedIn({ login: 'petr' });
    await page.getByRole('button', { name: 'Company: All companies' }).click();
    const options = page.getByRole('listbox').getByRole('option');
    await options.nth(2).waitFor();
    expect(await options.allTextContents()).to.deep.equal(['All companies', 'Acme', 'Globex']);
    await page.context().close();
    const other = await world.signedIn({ login: 'olga' });
    await other.locator('h1').waitFor();
    expect(await other.getByRole('button', { name: /^Company/ }).count()).to.equal(0);
    await other.context().close();
  });

  describe('Among ten thousand', () => {
    before(async () => {
      const store = await world.service.openStore();
      await store.transaction(async (tables) => {
        const now = await tables.now();
        for (let start = 0; start < many; start += 1000) {
          const names = Array.from({ length: 1000 }, (_, index) => `Client ${start + index}`);
          const rows = names.map((name) =>
            newRow(Company, { name, code: name.replace(' ', '-'), created_at: now, updated_at: now }),
          );
          await tables.of(Company).insert(rows);
        }
      });
    });

    it('the keyboard finds one by its words, and Escape leaves the one that is chosen', async () => {
      const page = await world.signedIn({ view: '/runs' });
      const button = page.getByRole('button', { name: /^Company/ });
      await button.focus();
      await page.keyboard.press('Enter');
      const input = page.getByRole('combobox', { name: 'Company' });
      await page.getByRole('listbox').getByRole('option').nth(20).waitFor();
      await expectAccessible(page);
      await page.keyboard.type('9877 client');
      await page.keyboard.press('Enter');
      await page.locator('button:focus', { hasText: 'Company: Client 9877' }).waitFor();
      await page.reload();
      await page.getByRole('button', { name: 'Company: Client 9877' }).focus();
      await page.keyboard.press('Enter');
      await page.getByRole('listbox').getByRole('option').nth(20).waitFor();
      expect(await input.inputValue()).to.equal('Client 9877');
      await page.keyboard.type('no such company');
      await page.getByText('Nothing was found.').waitFor();
      await page.keyboard.press('Escape');
      await page.locator('button:focus', { hasText: 'Company: Client 9877' }).waitFor();
      await page.keyboard.press('Enter');
      await page.getByRole('option', { name: 'All companies' }).waitFor();
      await page.keyboard.press('Enter');
      await page.locator('button:focus', { hasText: 'Company: All companies' }).waitFor();
      expect(new URL(page.url()).search).to.equal('');
      await page.context().close();
    });

    for (const viewport of viewports)
      it(`it is accessible (${viewport.width} px)`, async () => {
        const page = await world.signedIn({ viewport });
        const menu = page.getByRole('button', { name: 'Menu' });
        if (await menu.isVisible()) await menu.click();
        await page.getByRole('button', { name: /^Company/ }).click();
        await page.getByRole('combobox', { name: 'Company' }).fill('client 42');
        const option = page.getByRole('option', { name: /^Client 42 / });
        await option.waitFor();
        await expectAccessible(page);
        const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
        expect(overflow).to.be.at.most(0);
        await option.click();
        await page.getByRole('button', { name: 'Company: Client 42', exact: true }).waitFor();
        await page.context().close();
      });
  });
});
