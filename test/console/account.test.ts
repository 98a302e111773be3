import { expect } from 'chai';
import type { Page } from 'playwright-core';
import {
  ConsoleWorld,
  describeInBrowser,
  expectAccessible,
  password,
  viewports,
} from '../support/browser/console-world.ts';

describeInBrowser('The own account in the browser:', () => {
  let world: ConsoleWorld;
  before(async () => {
    world = await ConsoleWorld.create();
    await world.addUser('jana', null, { 1: 'manager' });
    await world.addUser('petr', null, { 1: 'viewer' });
  });
  after(() => world[Symbol.asyncDispose]());

  const tokens = (page: Page) => page.getByRole('list', { name: 'Sessions and tokens' }).getByRole('listitem');

  async function typePasswords(page: Page, [old, next, again]: readonly [string, string, string]): Promise<void> {
    await page.getByLabel('Present password').fill(old);
    await page.getByLabel('New password', { exact: true }).fill(next);
    await page.getByLabel('New password again').fill(again);
    await page.keyboard.press('Enter');
  }

  it('The menu leads to the account, which says what its user may do', async () => {
    const page = await world.signedIn({ login: 'jana' });
    await page.locator('.account summary').click();
    await page.getByRole('link', { name: 'Your account' }).click();
    await page.getByRole('heading', { level: 1, name: 'You are jana.' }).waitFor();
    await page.getByText('manager: also changes templates and credentials').waitFor();
    await tokens(page).filter({ hasText: 'this browser' }).waitFor();
    await page.context().close();
  });

  it('A session of another browser is ended, and that browser asks for the password', async () => {
    const other = await world.signedIn({ login: 'jana', view: '/account' });
    await tokens(other).filter({ hasText: 'this browser' }).waitFor();
    const page = await world.signedIn({ login: 'jana', view: '/account' });
    const row = tokens(page).filter({ hasNotText: 'this browser' }).first();
    await row.getByRole('button', { name: 'End' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'End' }).click();
    await page.getByRole('log').getByText('has ended').waitFor();
    await other.reload();
    await other.getByLabel('Password', { exact: true }).waitFor();
    await page.context().close();
    await other.context().close();
  });

  it('A password is changed once the present one is right and the new one is typed twice alike', async () => {
    const other = await world.signedIn({ login: 'petr' });
    const page = await world.signedIn({ login: 'petr', view: '/account' });
    await typePasswords(page, [password, 'another long password', 'a different password']);
    await page.getByText('not the same').waitFor();
    await page.locator('[name="repeated"]:focus').waitFor();
    await typePasswords(page, ['not the present one', 'another long password', 'another long password']);
    await page.getByRole('alert').filter({ hasText: 'One field is not right.' }).waitFor();
    await page.getByText('old_password is wrong').waitFor();
    await page.locator('[name="old_password"]:focus').waitFor();
    await expectAccessible(page);
    await typePasswords(page, [password, 'another long password', 'another long password']);
    await page.getByRole('log').getByText('Your password is changed.').waitFor();
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'You are petr.' }).waitFor();
    await other.reload();
    await other.getByLabel('Login').fill('petr');
    await other.getByLabel('Password').fill(password);
    await other.keyboard.press('Enter');
    await other.getByRole('alert').filter({ hasText: 'password' }).waitFor();
    await page.context().close();
    await other.context().close();
  });

  it('The language and the colours that are chosen stay in this browser', async () => {
    const page = await world.signedIn({ view: '/account' });
    await page.getByRole('main').getByLabel('Language').selectOption({ label: 'Čeština' });
    await page.getByRole('heading', { level: 1, name: 'Jste admin.' }).waitFor();
    await page.getByRole('main').getByLabel('Barvy').selectOption({ label: 'tmavé' });
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'Jste admin.' }).waitFor();
    expect(await page.locator('html').getAttribute('data-scheme')).to.equal('dark');
    await page.context().close();
  });

  for (const viewport of viewports)
    it(`The account is accessible (${viewport.width} px)`, async () => {
      const page = await world.signedIn({ viewport, view: '/account' });
      await tokens(page).first().waitFor();
      await expectAccessible(page);
      await page.context().close();
    });
});
