import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { App } from '@horarium/core/plugin';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { newRow } from '#core/store/table';
import {
  ConsoleWorld,
  describeInBrowser,
  expectAccessible,
  password,
  viewports,
} from '../support/browser/console-world.ts';
import { follow } from '../support/browser/screen-walk.ts';
import { eventually } from '../support/mocha/eventually.ts';
import { temporaryFolder } from '../support/mocha/temporary-folder.ts';

describeInBrowser('Manage in the console:', () => {
  let world: ConsoleWorld;
  let folder: string;
  before(async () => {
    folder = temporaryFolder('plugin');
    writeFileSync(join(folder, 'package.json'), '{ "type": "module", "version": "2.3.4" }');
    writeFileSync(join(folder, 'packed.js'), 'export default { name: "packed", api: 1 };');
    world = await ConsoleWorld.create({ HORARIUM_PLUGINS: `built-in,${join(folder, 'packed.js')}` });
    await addApps(world, ['Záloha účtů', ...Array.from({ length: 10_000 }, (_, index) => `Report ${index}`)]);
  });
  after(async () => {
    await world[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });

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
    const app = page.locator('input[name="app_id"]');
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

  it('The members of a company are seen, added, changed and removed, and what was done is undone', async () => {
    const vera = await world.addUser('vera', 'viewer');
    const page = await world.signedIn({ view: '/manage/companies/1' });
    await page.getByText('No user is a member.').waitFor();
    const user = page.getByRole('combobox', { name: 'User' });
    await user.fill('ver');
    await page.getByRole('option', { name: 'vera' }).click();
    const add = page.getByRole('button', { name: 'Add member' });
    expect(await add.isDisabled()).to.equal(true);
    await page.getByLabel('Role of the new member').selectOption('viewer');
    await add.click();
    await page.getByRole('log').getByText('vera is a member.').waitFor();
    const changes = page.getByRole('list', { name: 'Changes' });
    await changes.getByText(/admin made vera .*Acme/).waitFor();
    const role = page.getByLabel('Role of vera');
    await role.selectOption('operator');
    await page.getByRole('log').getByText('vera is operator.').waitFor();
    const roleOf = async () => (await members())[0]?.role;
    const members = () => world.get(`/company/1/users.json`);
    expect(await roleOf()).to.equal('operator');
    await withValue(role, 'operator');
    await page.getByRole('link', { name: 'vera', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Remove vera' }).click();
    await page.getByText('No user is a member.').waitFor();
    expect(await members()).to.deep.equal([]);
    await page
      .getByRole('log')
      .locator('p', { hasText: 'vera is no member.' })
      .getByRole('button', { name: 'Undo' })
      .click();
    await withValue(page.getByLabel('Role of vera'), 'operator');
    expect((await members()).map(({ user_id }: { user_id: number }) => user_id)).to.deep.equal([vera]);
    // One who is a member already keeps the former role when adding is undone.
    await user.fill('ver');
    await page.getByRole('option', { name: 'vera' }).click();
    await page.getByLabel('Role of the new member').selectOption('manager');
    await add.click();
    await withValue(page.getByLabel('Role of vera'), 'manager');
    await page
      .getByRole('log')
      .locator('p', { hasText: 'vera is a member.' })
      .last()
      .getByRole('button', { name: 'Undo' })
      .click();
    await withValue(page.getByLabel('Role of vera'), 'operator');
    await page.context().close();
  });

  it('Members are seen by a member who may change nothing, and changed by an admin of the company', async () => {
    await world.addUser('mona', null, { 1: 'viewer' });
    await world.addUser('adam', null, { 1: 'admin' });
    const viewer = await world.signedIn({ login: 'mona', view: '/manage/companies/1' });
    await viewer.getByText('admin: also changes the company and its members').waitFor();
    for (const name of [/^Remove/, 'Add member'])
      expect(await viewer.getByRole('button', { name }).count()).to.equal(0);
    await viewer.context().close();
    const admin = await world.signedIn({ login: 'adam', view: '/manage/companies/1' });
    await admin.getByLabel('Role of mona').selectOption('manager');
    await admin.getByRole('log').getByText('mona is manager.').waitFor();
    await admin.getByRole('button', { name: 'Remove adam' }).click();
    await admin.getByRole('dialog').getByText('unable to undo it').waitFor();
    await admin.keyboard.press('Escape');
    await admin.getByRole('button', { name: 'Remove adam' }).waitFor();
    await admin.context().close();
  });

  it('The roles of a user are seen, assigned and taken away by who may grant them, and what was done is undone', async () => {
    const id = await world.addUser('rosa', 'viewer');
    await world.post(`/user/${id}/roles`, {
      roles: ['viewer', { name: 'user', expires_at: '2020-01-01T00:00:00Z' }],
    });
    const [expired] = await world.get(`/user/${id}/roles.json`);
    await world.addUser('arne', 'admin');
    const page = await world.signedIn({ login: 'arne', view: `/manage/users/${id}` });
    await page.getByRole('button', { name: 'Take away viewer' }).waitFor();
    const choice = page.getByLabel('New role');
    expect(await choice.locator('option').allTextContents()).to.deep.equal([
      'Choose a role',
      'admin: everything in every company',
      'editor: also changes topics',
      'user: sees apps, topics and users, and nothing of a company',
    ]);
    expect(await page.getByRole('button', { name: 'Assign role' }).isDisabled()).to.equal(true);
    await choice.selectOption('editor');
    await page.getByLabel('until').fill('2099-01-01T00:00');
    await page.getByRole('button', { name: 'Assign role' }).click();
    await page.getByText('until 1 Jan 2099').waitFor();
    await page.getByRole('button', { name: 'Take away viewer' }).click();
    await page.getByRole('button', { name: 'Take away viewer' }).waitFor({ state: 'detached' });
    const roles = async () =>
      (await world.get(`/user/${id}/roles.json`)).map((role: { name: string; expires_at: string | null }) =>
        [role.name, role.expires_at?.slice(0, 4)].join(' '),
      );
    expect(await roles()).to.deep.equal(['editor 2098', 'user 2020']);
    const undo = (sentence: string) =>
      page.getByRole('log').locator('p', { hasText: sentence }).getByRole('button', { name: 'Undo' });
    await undo('The role viewer is taken away.').click();
    await page.getByRole('button', { name: 'Take away viewer' }).waitFor();
    expect(await roles()).to.deep.equal(['editor 2098', 'user 2020', 'viewer ']);
    await undo('The role editor is assigned.').click();
    await page.getByRole('button', { name: 'Take away editor' }).waitFor({ state: 'detached' });
    expect(await world.get(`/user/${id}/roles.json`)).to.deep.include(expired);
    expect(await roles()).to.deep.equal(['user 2020', 'viewer ']);
    await page.goto(`${world.url}/manage/users/1`);
    await page.getByText('super admin: everything').waitFor();
    expect(await page.getByRole('button', { name: 'Assign role' }).count()).to.equal(0);
    await page.context().close();
  });

  it('A new user has a password in the form, and is made a member of a company on the page that follows', async () => {
    const page = await world.signedIn({ view: '/manage/users/new' });
    await page.getByLabel(/^Login/).fill('nina');
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByText('A member of no company.').waitFor();
    await page.getByRole('log').getByText('nina').waitFor();
    const add = page.getByRole('button', { name: 'Add to the company' });
    await page.getByRole('main').getByRole('combobox', { name: 'Company', exact: true }).fill('Acm');
    await page.getByRole('option', { name: 'Acme' }).click();
    expect(await add.isDisabled()).to.equal(true);
    await page.getByLabel('Role in the company').selectOption('operator');
    await add.click();
    const companies = page.getByRole('list', { name: 'Companies' });
    await companies.getByText('operator: also runs, pauses and retries').waitFor();
    await companies.getByRole('link', { name: 'Acme' }).click();
    await page.waitForURL(/\/manage\/companies\/1$/);
    const own = await world.signedIn({ login: 'nina' });
    await own.getByRole('heading', { level: 1 }).waitFor();
    await own.context().close();
    await page.context().close();
  });

  it('A click anywhere in a row of a list opens its record', async () => {
    const page = await world.signedIn({ view: '/manage/companies' });
    await page.getByRole('cell', { name: 'Acme', exact: true }).click();
    await page.waitForURL(/\/manage\/companies\/1$/);
    await page.context().close();
  });

  it('Settings say their value and who set it, and never a secret', async () => {
    const page = await world.signedIn({ view: '/manage' });
    await page.getByRole('link', { name: 'Settings' }).click();
    const set = page.getByRole('list', { name: 'Set', exact: true });
    await set.getByText('environment: HORARIUM_ADMIN_PASSWORD').waitFor();
    expect(await page.content()).not.to.include(password);
    await page.getByLabel('Find settings').fill('public_url');
    await set.waitFor({ state: 'detached' });
    const row = page.getByRole('list', { name: 'Defaults' }).getByRole('listitem');
    expect(await row.innerText()).to.include('The URL at which people and programs reach the service');
    await page.context().close();
  });

  it('Plugins say what they bring', async () => {
    const page = await world.signedIn({ view: '/manage/service/plugins' });
    const row = page.getByRole('listitem').filter({ hasText: 'executor-native' });
    await row.getByText('executors').waitFor();
    expect(await row.innerText()).to.match(/built in, version \d/);
    const added = page.getByRole('listitem').filter({ hasText: 'packed' });
    expect(await added.innerText()).to.include('not built in, version 2.3.4');
    await page.context().close();
  });

  it('Hosts, settings and plugins are shown to admins alone', async () => {
    const page = await world.signedIn({ login: 'vera', view: '/manage' });
    await page.getByRole('link', { name: 'Apps' }).waitFor();
    expect(await page.getByRole('link', { name: 'Settings' }).count()).to.equal(0);
    for (const name of ['settings', 'plugins']) {
      await page.goto(`${world.url}/manage/service/${name}`);
      await page.getByText(`vera may not read the ${name}: that takes the role admin.`).waitFor();
    }
    await page.goto(`${world.url}/manage/service/workers`);
    await page.getByText('Only admins see the workers.').waitFor();
    await page.context().close();
  });

  for (const viewport of viewports)
    it(`is accessible (${viewport.width} px)`, async () => {
      const page = await world.signedIn({ viewport, view: '/manage/apps?q=report' });
      await page.getByText('These are the best 100').waitFor();
      await expectAccessible(page);
      for (const [view, text] of [
        ['/manage', 'The service'],
        ['/manage/companies/1', 'Add member'],
        ['/manage/users/1', 'Roles everywhere'],
        ['/manage/service/workers', 'runs 0 of up to'],
        ['/manage/service/settings', 'Secrets are not shown.'],
        ['/manage/service/plugins', 'executor-native'],
      ] as const) {
        await follow(page, view);
        await page.getByText(text).first().waitFor();
        await expectAccessible(page);
        const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
        expect(overflow, view).to.be.at.most(0);
      }
      await page.context().close();
    });

  it('A worker whose process ends without a word is shown as lost, beside the one that takes its place', async () => {
    const page = await world.signedIn({ view: '/manage/service/workers' });
    await page.getByRole('heading', { level: 1, name: 'The worker is alive.' }).waitFor();
    await page.getByText(/^alive, since/).waitFor();
    await world.restart();
    await page.getByRole('heading', { level: 1, name: '1 of 2 workers is alive.' }).waitFor();
    await page.getByRole('img', { name: 'lost' }).waitFor();
    await page.getByText(/^lost, its jobs were marked lost/).waitFor();
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
