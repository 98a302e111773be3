import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { ConsoleWorld, describeInBrowser, expectAccessible, viewports } from '../support/browser/console-world.ts';
import { eventually } from '../support/mocha/eventually.ts';

const hostile = `<b onclick=alert(1)>Rates</b> 'Q' \u202egnp`;

describeInBrowser('The list of runs in the browser:', () => {
  let world: ConsoleWorld;
  let backup: number;

  before(async () => {
    world = await ConsoleWorld.create();
    const { service } = world;
    await world.addUser('olga', null, { 1: 'operator' });
    await world.addUser('vera', null, { 1: 'viewer' });
    backup = await service.addTemplate('Backup', ['-c', 'echo no disk >&2; exit 3'], daily);
    await service.run('backfill', String(backup), '--from', day(-3), '--to', day(-1));
    const rates = await service.addTemplate(hostile, ['-c', 'echo done'], { ...daily, overlap: 'allow' });
    await service.run('backfill', String(rates), '--from', day(-100), '--to', day(-1));
    await service.run('runtemplate:run', String(rates));
    await eventually('all have ended', async () => {
      const open = await service.run('task:list', '--state', 'open,running', '--limit', '1');
      return open.length === 0;
    });
  });
  after(() => world[Symbol.asyncDispose]());

  const rows = (page: Page) => page.getByRole('list', { name: 'Runs' }).getByRole('listitem');

  it('Each row says what happened to which run, and names stay text', async () => {
    const page = await world.signedIn({ view: '/runs' });
    await page.getByRole('heading', { level: 1, name: '103 runs' }).waitFor();
    const row = rows(page).filter({ hasText: 'Backup' }).first();
    await row.filter({ hasText: 'Acme' }).waitFor();
    expect(await row.textContent()).to.match(/Backup.*Acme.*failed at .*exit code 3/);
    expect(await rows(page).filter({ hasText: hostile }).count()).to.be.greaterThan(0);
    expect(await rows(page).locator('[onclick]').count()).to.equal(0);
    await page.context().close();
  });

  it('Filters stand in the URL, and a template is found by its name', async () => {
    const page = await world.signedIn({ view: '/runs' });
    await page.getByLabel('Any state').selectOption({ label: 'failed' });
    await page.getByRole('heading', { level: 1, name: '3 runs, failed' }).waitFor();
    await page.getByLabel('Any time').selectOption({ label: 'Yesterday' });
    await page.getByRole('heading', { level: 1, name: '1 run, failed, yesterday' }).waitFor();
    expect(new URL(page.url()).search).to.equal('?state=failed&period=yesterday');
    await page.reload();
    await page.getByRole('heading', { level: 1, name: '1 run, failed, yesterday' }).waitFor();
    await page.goto(`${world.url}/runs`);
    const field = page.getByRole('combobox', { name: 'Template' });
    await field.fill('Backup');
    await field.press('Enter');
    await page.getByRole('heading', { level: 1, name: '3 runs, Backup' }).waitFor();
    await page.context().close();
  });

  it('Older runs are on a page of their own, from which Back leads to the newest', async () => {
    const page = await world.signedIn({ view: '/runs' });
    await rows(page).nth(99).filter({ hasText: 'Acme' }).waitFor();
    const first = await rows(page).first().textContent();
    await page.getByRole('link', { name: 'Older' }).click();
    await eventually('the other three are shown', async () => (await rows(page).count()) === 3);
    expect(await page.getByRole('link', { name: 'Older' }).count()).to.equal(0);
    await page.goBack();
    await rows(page).nth(99).waitFor();
    expect(await rows(page).first().textContent()).to.equal(first);
    await page.context().close();
  });

  it('The keyboard moves to a row, opens it, its output and why, and Back returns to the row', async () => {
    const page = await world.signedIn({ view: `/runs?runtemplate_id=${backup}` });
    await rows(page).nth(2).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('o');
    await page.locator('.line', { hasText: 'no disk' }).waitFor();
    await page.locator('main:focus').waitFor();
    await page.goBack();
    await page.locator('li[data-row]:focus').waitFor();
    await page.keyboard.press('w');
    await page.locator('.sub', { hasText: 'Exit code 3' }).waitFor();
    await page.getByRole('button', { name: 'Why?' }).waitFor({ state: 'detached' });
    expect(await page.getByRole('region', { name: 'Why?' }).count(), 'what the page says already').to.equal(0);
    await page.goBack();
    await page.locator('li[data-row]:focus').waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'failed' }).waitFor();
    await page.locator('.line', { hasText: 'no disk' }).waitFor();
    await page.keyboard.press('o');
    await page.locator('#output :focus').filter({ hasText: 'no disk' }).waitFor();
    await page.context().close();
  });

  it('Runs are picked by key and with Shift, run again together, and the result of each is said', async () => {
    const page = await world.signedIn({ login: 'olga', view: `/runs?runtemplate_id=${backup}` });
    await rows(page).nth(2).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await page.getByText('1 selected').waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('X');
    await page.getByText('3 selected').waitFor();
    expect(new URL(page.url()).searchParams.get('picked')?.split(',').length).to.equal(3);
    expect(await page.getByRole('button', { name: /^Waive/ }).count()).to.equal(0);
    await page.getByRole('button', { name: 'Run again (3)' }).click();
    const results = page.getByRole('region', { name: 'What became of each' });
    await results.getByText('Done with all 3.').waitFor();
    expect(await results.getByRole('listitem').count()).to.equal(3);
    await eventually('they have run again', async () => (await world.service.jobs(backup)).length === 6);
    await page.context().close();
  });

  it('R runs a failed run again, and what is refused is said by the API', async () => {
    const pause = await world.service.run('pause:save', '--company-id', '1', '--reason', 'disk change');
    const page = await world.signedIn({ login: 'olga', view: `/runs?runtemplate_id=${backup}` });
    await rows(page).nth(2).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('r');
    await page.getByRole('log').getByText('disk change').waitFor();
    await world.service.cli.command(`pause:delete ${pause.id}`);
    await page.keyboard.press('r');
    await page
      .getByRole('log')
      .getByText(/^Backup, .* runs again\./)
      .waitFor();
    await eventually('it has run again', async () => (await world.service.jobs(backup)).length === 7);
    await page.context().close();
  });

  it('A run that comes while the pointer is on the list waits until it is asked for', async () => {
    const page = await world.signedIn({ view: '/runs?period=today' });
    await page.getByText('No run is like that').waitFor();
    await page.goto(`${world.url}/runs`);
    await rows(page).first().hover();
    const first = await rows(page).first().textContent();
    await world.service.addDailyTemplate('Newest', 'true');
    await page.getByRole('button', { name: /changes?: show/ }).waitFor();
    expect(await rows(page).first().textContent()).to.equal(first);
    await page.getByRole('button', { name: /changes?: show/ }).click();
    await rows(page).first().filter({ hasText: 'Newest' }).waitFor();
    await page.context().close();
  });

  it('Runs that no window owed are a list of their own', async () => {
    const page = await world.signedIn({ view: '/runs' });
    await page.getByRole('link', { name: 'Ad hoc runs' }).click();
    await page.getByRole('heading', { level: 1, name: '1 ad hoc run' }).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'succeeded' }).waitFor();
    await page.locator('.line', { hasText: 'done' }).waitFor();
    await page.context().close();
  });

  it('Those who may only read can pick nothing and run nothing', async () => {
    const page = await world.signedIn({ login: 'vera', view: '/runs' });
    await rows(page).first().waitFor();
    expect(await page.getByRole('checkbox').count()).to.equal(0);
    expect(await page.getByRole('button', { name: /^Run again/ }).count()).to.equal(0);
    await page.context().close();
  });

  for (const viewport of viewports)
    it(`It is accessible (${viewport.width} px)`, async () => {
      const page = await world.signedIn({ viewport, view: '/runs?period=range' });
      await rows(page).first().waitFor();
      await rows(page).first().getByRole('checkbox').check();
      await expectAccessible(page);
      const width = await page.evaluate<number>('document.documentElement.scrollWidth');
      expect(width).to.be.at.most(viewport.width);
      await page.context().close();
    });
});

const daily = { interval: 'custom', cron: '0 0 * * *', timezone: 'Europe/Prague' };

/** Writes the date that many days from now. */
function day(offset: number): string {
  const at = new Date(Date.now() + offset * 24 * 60 * 60 * 1000);
  return new Intl.DateTimeFormat('sv-SE', { timeZone: daily.timezone, dateStyle: 'short' }).format(at);
}
