import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { ConsoleWorld, describeInBrowser, expectAccessible, viewports } from '../support/browser/console-world.ts';
import { copyOf } from '../support/faults/forged-entry.ts';
import { eventually } from '../support/mocha/eventually.ts';

const hostile = `<b onclick=alert(1)>Rates</b> 'Q' \u202egnp`;

describeInBrowser('The audit log in the browser:', () => {
  let world: ConsoleWorld;
  let backup: number;

  before(async () => {
    world = await ConsoleWorld.create();
    await world.addUser('jana', null, { 1: 'manager' });
    await world.addUser('vera', null, { 1: 'viewer' });
    backup = await world.service.addTemplate('Backup', ['-c', 'exit 0'], { interval: 'none', timeout: 60 });
    await world.service.addTemplate(hostile, ['-c', 'exit 0'], { interval: 'none' });
    await change('timeout=120');
  });
  after(() => world[Symbol.asyncDispose]());

  const change = (field: string) => world.service.run('runtemplate:save', '--id', String(backup), '--set', field);
  const save = async (kind: string, record: object) => {
    const { code, err } = await world.service.cli.command(`${kind}:save --json -`, { input: JSON.stringify(record) });
    expect(code, err).to.equal(0);
  };
  const timeout = async () => (await world.service.run('runtemplate:get', String(backup))).timeout;
  const trail = () => `/audit?entity_type=RunTemplate&entity_id=${backup}`;
  const row = (page: Page, sentence: string) => page.getByRole('listitem').filter({ hasText: sentence }).first();

  it('Each entry is a sentence that says who changed what, and through which channel', async () => {
    const page = await world.signedIn({ view: '/audit' });
    const entry = row(page, 'tester on bench changed timeout of Backup from 1m to 2m');
    await entry.waitFor();
    expect(await entry.textContent()).to.include('on the command line · Acme');
    await row(page, 'tester on bench created the template Backup').waitFor();
    await row(page, 'made jana manager of Acme').waitFor();
    expect(await page.getByRole('heading', { level: 1 }).textContent()).to.match(/^\d+ changes today\./);
    await page.context().close();
  });

  it('A name stays text, whatever it holds', async () => {
    const page = await world.signedIn({ view: '/audit' });
    await row(page, `created the template ${hostile}`).waitFor();
    expect(await page.locator('main [onclick]').count()).to.equal(0);
    await page.context().close();
  });

  it('A change that another person makes appears without a reload, and waits while the pointer is on the list', async () => {
    const page = await world.signedIn({ view: trail() });
    await row(page, 'created it').waitFor();
    await page.mouse.move(1, 1);
    await change('priority=7');
    await row(page, 'changed priority from 0 to 7').waitFor();
    await row(page, 'created it').hover();
    await change('priority=8');
    await page.getByRole('button', { name: '1 change: show' }).waitFor();
    expect(await row(page, 'changed priority from 7 to 8').count()).to.equal(0);
    await page.getByRole('button', { name: 'change: show' }).click();
    await row(page, 'changed priority from 7 to 8').waitFor();
    await page.context().close();
  });

  it('Filters stand in the URL: the kind of record, the person and the period', async () => {
    const page = await world.signedIn({ view: '/audit' });
    await page.getByLabel('Kind of record').selectOption({ label: 'Users' });
    await row(page, 'created the user jana').waitFor();
    expect(await row(page, 'Backup').count()).to.equal(0);
    await page.getByLabel('Any time').selectOption({ label: 'Yesterday' });
    await page.getByRole('heading', { level: 1, name: 'No change.' }).waitFor();
    expect(new URL(page.url()).search).to.equal('?entity_type=User&period=yesterday');
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'No change.' }).waitFor();
    await page.goto(`${world.url}/audit?show=all`);
    const person = page.getByRole('combobox', { name: 'By' });
    await person.fill('admin');
    await person.press('Enter');
    await row(page, 'admin signed in').waitFor();
    await page.getByRole('heading', { level: 1, name: 'by admin.' }).waitFor();
    await page.context().close();
  });

  it('A pause says until when and what for, its end that a template was resumed, and the template is found by its name', async () => {
    const until = new Date(Date.now() + 7_200_000).toISOString();
    const { id } = await world.post('/pause/', { runtemplate_id: backup, until, reason: 'the disk is full' });
    const page = await world.signedIn({ view: '/audit' });
    await page.mouse.move(1, 1);
    await page.getByText(/admin paused Backup until (\w+ )?\d\d:\d\d: the disk is full/).waitFor();
    await world.post(`/pause/${id}.json`, { until: new Date(0).toISOString() });
    await row(page, 'admin resumed Backup').waitFor();
    expect(await row(page, 'admin resumed Backup').getByRole('button', { name: 'Undo' }).count()).to.equal(0);
    const record = page.getByRole('combobox', { name: 'Of one template' });
    await record.fill('back');
    await page.getByRole('option', { name: 'Backup' }).click();
    await page.getByRole('heading', { level: 1, name: 'of Backup.' }).waitFor();
    expect(new URL(page.url()).search).to.equal(`?entity_type=RunTemplate&entity_id=${backup}`);
    await page.getByRole('button', { name: 'Remove the filter: Backup' }).click();
    await page.getByLabel('Kind of record').selectOption({ label: 'Users' });
    await page.getByRole('combobox', { name: 'Of one user' }).waitFor();
    await page.context().close();
  });

  it('The keyboard moves to an entry and unfolds what it changed, with a secret masked', async () => {
    const type = { code: 'shop', name: 'Shop', fields: [{ keyword: 'SHOP_KEY', type: 'password' }] };
    await save('credential_type', type);
    const values = { SHOP_KEY: 'tops3cret' };
    await save('credential', { name: 'Shop of Acme', company_id: 1, credential_type_id: 1, values });
    const page = await world.signedIn({ view: '/audit?entity_type=Credential' });
    await row(page, 'created the credential Shop of Acme').waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('d');
    const table = page.getByRole('table', { name: 'What was changed' });
    await table.getByRole('row', { name: 'Name Shop of Acme' }).waitFor();
    expect(await page.content()).to.not.include('tops3cret');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'created the credential Shop of Acme' }).waitFor();
    await page.context().close();
  });

  it('A manager undoes a change after seeing what that does, and takes the undoing back', async () => {
    await change('timeout=300');
    const page = await world.signedIn({ login: 'jana', view: trail() });
    await row(page, 'changed timeout from 2m to 5m').focus();
    await page.keyboard.press('u');
    const dialog = page.getByRole('dialog', { name: 'Undo the change of Backup?' });
    await dialog.getByRole('row', { name: 'Timeout 5m 2m' }).waitFor();
    expect(await timeout()).to.equal(300);
    await page.keyboard.press('Enter');
    await page.getByRole('log').getByText('The change of Backup is undone.').waitFor();
    expect(await timeout()).to.equal(120);
    const changed = row(page, 'changed timeout from 2m to 5m');
    await changed.getByText(/^undone by jana \d\d:\d\d$/).waitFor();
    expect(await changed.getByRole('button', { name: 'Undo' }).count()).to.equal(0);
    await page.getByRole('log').getByRole('button', { name: 'Change again' }).click();
    await page.getByRole('log').getByText('Backup is changed again.').waitFor();
    expect(await timeout()).to.equal(300);
    await row(page, 'tester on bench changed timeout from 2m to 5m').getByRole('button', { name: 'Undo' }).waitFor();
    await page.context().close();
  });

  it('A change whose field was changed again since is not undone, and the page says who has done that', async () => {
    await change('timeout=301');
    await change('timeout=302');
    const page = await world.signedIn({ view: trail() });
    await row(page, 'from 5m to 301s').getByRole('button', { name: 'Undo' }).click();
    const refusal = page
      .getByRole('log')
      .getByText(
        /It cannot be undone: tester on bench has changed Timeout since, \d\d:\d\d\. Undo that change first\./,
      );
    await refusal.waitFor();
    expect(await timeout()).to.equal(302);
    await page.context().close();
  });

  it('A viewer reads the entries of the company, and is offered no undoing', async () => {
    const page = await world.signedIn({ login: 'vera', view: trail() });
    await row(page, 'tester on bench created it').waitFor();
    expect(await page.getByRole('button', { name: 'Undo' }).count()).to.equal(0);
    expect(await page.getByRole('heading', { name: 'Proof' }).count()).to.equal(0);
    await page.context().close();
  });

  it('The page of a template ends with its last changes, which lead to an entry and its proof', async () => {
    const page = await world.signedIn({ view: `/templates/${backup}` });
    const changes = page.getByRole('list', { name: 'Changes' });
    await changes.getByRole('link', { name: 'tester on bench changed priority from 7 to 8' }).click();
    await page
      .getByRole('heading', { level: 1, name: 'tester on bench changed priority of Backup from 7 to 8' })
      .waitFor();
    expect(await page.locator('.facts').textContent()).to.match(/Place in the chain\d+Hash[0-9a-f]{64}/);
    await page.getByRole('link', { name: 'all' }).click();
    await page.getByRole('heading', { level: 1, name: 'of Backup.' }).waitFor();
    await page.context().close();
  });

  it('Forged entries are named in the headline and marked, whatever they hold', async () => {
    await world.service.execute(
      copyOf(1, { nonce: "'forged'", actor: "'mallory'", changes: "'no json'", created_at: "'no time'" }),
    );
    await world.service.execute(copyOf(1, { nonce: "'odd'", actor: "'mallory'", entity_id: '0', changes: "'[1]'" }));
    await eventually('both are found', async () => {
      const entries = await world.service.run('auditlog:list', '--forged', 'true');
      return entries.length === 2;
    });
    const page = await world.signedIn({ view: '/audit' });
    await page.getByRole('link', { name: '2 entries are forged.' }).click();
    await row(page, 'mallory created the').filter({ hasText: 'forged' }).waitFor();
    await row(page, 'mallory created the').getByRole('link').click();
    await page.getByRole('alert').filter({ hasText: 'This entry is forged' }).waitFor();
    await page.context().close();
  });

  for (const viewport of viewports)
    it(`The list and an entry are accessible (${viewport.width} px)`, async () => {
      const page = await world.signedIn({ viewport, view: trail() });
      await row(page, 'created it').getByRole('button', { name: 'Details' }).click();
      await page.getByRole('table').waitFor();
      await expectAccessible(page);
      await page.getByRole('link', { name: 'created it' }).click();
      await page.getByRole('heading', { level: 1, name: 'created the template Backup' }).waitFor();
      await expectAccessible(page);
      await page.context().close();
    });
});
