import { expect } from 'chai';
import type { Page } from 'playwright-core';
import {
  ConsoleWorld,
  describeInBrowser,
  expectAccessible,
  password,
  signIn,
  viewports,
} from '../support/browser/console-world.ts';

describeInBrowser('A session in the browser:', () => {
  let world: ConsoleWorld;
  before(async () => {
    world = await ConsoleWorld.create();
  });
  after(() => world[Symbol.asyncDispose]());

  it('A user who signs in sees the view of the URL, and reloading keeps the session', async () => {
    const page = await world.open({ view: '/?company=1' });
    await signIn(page, 'admin');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'Nothing is scheduled yet.' }).waitFor();
    expect(new URL(page.url()).search).to.equal('?company=1');
    await page.context().close();
  });

  it('A first visit asks for nothing that is refused', async () => {
    const page = await world.browser.newPage();
    const refused: string[] = [];
    page.on('response', (response) => {
      if (response.status() >= 400) refused.push(response.url());
    });
    await page.goto(world.url);
    await page.getByLabel('Login').waitFor();
    expect(refused).to.deep.equal([]);
    await page.close();
  });

  it('A wrong password is refused in the form, which keeps the login', async () => {
    const page = await world.open();
    await page.getByLabel('Login').fill('admin');
    await page.getByLabel('Password').fill('wrong');
    await page.keyboard.press('Enter');
    expect(await page.getByRole('alert').textContent()).to.include('password');
    expect(await page.getByLabel('Login').inputValue()).to.equal('admin');
    await page.context().close();
  });

  it('Signing out shows the form, and Back shows nothing of the page', async () => {
    const page = await world.signedIn();
    await signOut(page);
    await page.getByLabel('Password').waitFor();
    expect(await page.getByRole('banner').count()).to.equal(0);
    expect(await page.context().cookies()).to.deep.equal([]);
    await page.goBack().catch(() => null);
    expect(await page.getByRole('banner').count()).to.equal(0);
    await page.context().close();
  });

  it('A change of the password ends the sessions of other browsers, whose pages ask for it and stay as they were', async () => {
    await world.addUser('petra', 'viewer');
    const page = await world.signedIn({ login: 'petra' });
    await page.getByRole('heading', { level: 1 }).waitFor();
    await world.post('/user/2', { password: 'another correct horse' });
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Your session has ended').waitFor();
    expect(await page.locator('main h1').count()).to.equal(1);
    await dialog.getByLabel('Password').fill('another correct horse');
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await page.context().close();
  });

  it('Another user who signs in over the page of the last one sees nothing of it', async () => {
    const page = await world.signedIn({ view: '/manage/companies/1' });
    await page.getByRole('heading', { level: 1, name: 'Acme' }).waitFor();
    await page.context().clearCookies();
    await page.getByRole('button', { name: 'Delete' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Login').fill('petra');
    await dialog.getByLabel('Password').fill('another correct horse');
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('heading', { level: 1, name: 'Nothing is scheduled yet.' }).waitFor();
    expect(new URL(page.url()).pathname).to.equal('/');
    expect(await page.getByRole('heading', { name: 'Acme' }).count()).to.equal(0);
    await page.context().close();
  });

  it('Another user who signs in after the last one has signed out begins at Now, with the own rights alone', async () => {
    await world.addUser('vera', 'viewer', { 1: 'viewer' });
    const page = await world.signedIn({ view: '/templates?company=1' });
    await page.getByRole('link', { name: 'New template' }).waitFor();
    await signOut(page);
    await signIn(page, 'vera');
    await page.getByRole('heading', { level: 1, name: 'Nothing is scheduled yet.' }).waitFor();
    expect(new URL(page.url()).pathname + new URL(page.url()).search).to.equal('/');
    await page.getByRole('link', { name: 'Templates' }).click();
    await page.getByText('There is no such template').waitFor();
    expect(await page.getByRole('link', { name: 'New template' }).count()).to.equal(0);
    await signOut(page);
    await signIn(page, 'admin');
    await page.getByRole('link', { name: 'Templates' }).click();
    await page.getByRole('link', { name: 'New template' }).waitFor();
    await page.context().close();
  });

  it('Signing out discards what is typed, about which the browser does not ask', async () => {
    const page = await world.signedIn({ view: '/manage/companies/new' });
    const dialogs: string[] = [];
    page.on('dialog', (dialog) => {
      dialogs.push(dialog.type());
      void dialog.accept();
    });
    await page.getByLabel('Code').fill('draft');
    await signOut(page);
    await signIn(page, 'admin');
    await page.getByRole('heading', { level: 1, name: 'Nothing is scheduled yet.' }).waitFor();
    expect(dialogs).to.deep.equal([]);
    await page.context().close();
  });

  it('A page that waits while another user signs in on another page of the browser begins again as that user', async () => {
    const page = await world.signedIn({ view: '/manage/companies/1' });
    await page.getByRole('heading', { level: 1, name: 'Acme' }).waitFor();
    const other = await page.context().newPage();
    await other.goto(world.url);
    await signOut(other);
    await signIn(other, 'vera');
    await page.getByRole('heading', { level: 1, name: 'Nothing is scheduled yet.' }).waitFor();
    await page.locator('details.account summary', { hasText: 'vera' }).waitFor();
    await page.context().close();
  });

  it('A page follows changes again after the service was restarted', async () => {
    const page = await world.signedIn({ view: '/manage/companies' });
    await page.getByRole('link', { name: 'acme' }).waitFor();
    await page.mouse.move(0, 0);
    await world.restart();
    await world.service.run('company:save', '--code', 'after', '--name', 'After the restart');
    await page.getByRole('link', { name: 'after' }).waitFor();
    await page.context().close();
  });

  it('Each screen has a key and a URL, and Back leads to the one before', async () => {
    const page = await world.signedIn();
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('m');
    await page.waitForURL(/\/templates$/);
    await page.keyboard.press('g');
    await page.keyboard.press('s');
    await page.waitForURL(/\/manage$/);
    await page.goBack();
    await page.waitForURL(/\/templates$/);
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).getByText('next row').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.context().close();
  });

  it('The menu of the account closes by Escape, by a click elsewhere, and when it has led to a view', async () => {
    const page = await world.signedIn();
    const menu = page.locator('details.account summary');
    const link = page.getByRole('link', { name: 'Your account' });
    await menu.click();
    await link.focus();
    await page.keyboard.press('Escape');
    await link.waitFor({ state: 'hidden' });
    expect(await menu.evaluate((element) => element === element.ownerDocument.activeElement)).to.equal(true);
    await menu.click();
    await page.getByRole('heading', { level: 1 }).click();
    await link.waitFor({ state: 'hidden' });
    await menu.click();
    await link.click();
    await page.waitForURL(/\/account$/);
    await link.waitFor({ state: 'hidden' });
    await page.context().close();
  });

  it('On a phone the header is one line, and its menu leads to the screens and to the account', async () => {
    const page = await world.signedIn({ viewport: { width: 390, height: 844 } });
    const header = page.getByRole('banner');
    await header.getByRole('button', { name: 'Search' }).waitFor();
    expect((await header.boundingBox())?.height).to.be.below(70);
    expect(await header.getByRole('link', { name: 'Timeline' }).isVisible()).to.equal(false);
    const menu = header.getByRole('button', { name: 'Menu' });
    await menu.press('Enter');
    await header.getByRole('link', { name: 'Timeline' }).press('Enter');
    await page.waitForURL(/\/timeline$/);
    await header.getByRole('link', { name: 'Timeline' }).waitFor({ state: 'hidden' });
    await menu.click();
    await header.getByText('admin').click();
    await header.getByRole('link', { name: 'Your account' }).click();
    await page.getByRole('heading', { level: 1, name: 'You are admin.' }).waitFor();
    await page.context().close();
  });

  it('A user who prefers Czech reads Czech, and may choose English', async () => {
    const page = await world.open({ locale: 'cs-CZ' });
    await page.getByLabel('Heslo').waitFor();
    await page.getByLabel('Jméno').fill('admin');
    await page.getByLabel('Heslo').fill(password);
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Šablony' }).waitFor();
    expect(await page.locator('html').getAttribute('lang')).to.equal('cs');
    await page.locator('details.account summary').click();
    await page.getByLabel('Jazyk').selectOption('en');
    await page.getByRole('link', { name: 'Templates' }).waitFor();
    await page.context().close();
  });

  for (const viewport of viewports)
    it(`The form and the frame are accessible (${viewport.width} px)`, async () => {
      const page = await world.open({ viewport });
      await page.getByLabel('Password').waitFor();
      await expectAccessible(page);
      await signIn(page, 'admin');
      await page.getByRole('heading', { level: 1 }).waitFor();
      await expectAccessible(page);
      await page.context().close();
    });
});

async function signOut(page: Page): Promise<void> {
  await page.locator('details.account summary').click();
  await page.getByRole('button', { name: 'Sign out' }).click();
}
