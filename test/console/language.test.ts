import { join } from 'node:path';
import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import { ConsoleWorld, describeInBrowser, expectAccessible, password } from '../support/browser/console-world.ts';
import { addPastRuns } from '../support/browser/run-history.ts';

/** A plugin of a file, whose kind of records has English words alone. */
const holidays = join(import.meta.dirname, '../examples/plugins/holidays.js');

const hour = 3_600_000;

describeInBrowser('Pages in Czech:', () => {
  let world: ConsoleWorld;
  let failed: number;

  before(async () => {
    world = await ConsoleWorld.create({ HORARIUM_PLUGINS: `built-in,${holidays}` });
    const backup = await world.service.addTemplate('Backup', ['-c', 'exit 0'], { interval: 'none' });
    const start = Math.floor(Date.now() / hour - 3) * hour;
    const run = {
      start,
      state: 'failed',
      reason: 'exit code 3 at 2026-01-02T03:04:05Z',
      attempts: [['failed', 'exit code 3']],
    } as const;
    await world.post('/pause', { runtemplate_id: backup, reason: 'The server moves' });
    [failed = 0] = await addPastRuns(world.service, backup, [run]);
  });
  after(() => world[Symbol.asyncDispose]());

  async function openInCzech(view: string, width = 1280): Promise<Page> {
    const page = await world.open({ view, locale: 'cs-CZ', viewport: { width, height: 844 } });
    await page.getByLabel('Jméno').fill('admin');
    await page.getByLabel('Heslo').fill(password);
    await page.keyboard.press('Enter');
    await page.getByRole('banner').waitFor();
    return page;
  }

  /** In which language screen readers read an element. */
  const languageOf = (of: Locator) => of.evaluate((element) => element.closest('[lang]')?.getAttribute('lang'));

  it('The fields of a form, and what can be chosen, are in Czech, and what the service says about them is marked as English', async () => {
    const page = await openInCzech('/templates/new');
    const form = page.locator('form.record-form');
    await form.getByLabel(/^Název/).waitFor();
    await form.getByLabel(/^Interval/).selectOption({ label: 'každý den' });
    await form.locator('details summary').click();
    await form.getByLabel(/^Překrývání/).selectOption({ label: 'povolit' });
    await form.getByLabel(/^Způsob spuštění/).selectOption('docker');
    await form.getByText('Nejvýše paměti', { exact: true }).waitFor();
    expect(await languageOf(form.getByText('Překrývání', { exact: true }))).to.equal('cs');
    expect(await languageOf(form.getByText('both run', { exact: true }))).to.equal('en');
    expect(await languageOf(form.getByText('Remarks for operators.'))).to.equal('en');
    expect(await form.locator('label [lang], legend[lang], option[lang]').count(), 'English labels').to.equal(0);
    await expectAccessible(page);
    await page.context().close();
  });

  it('A mistake beside a field is marked as English, and what the page says of the form is not', async () => {
    const page = await openInCzech('/manage/companies/new');
    await page.getByRole('heading', { level: 1, name: 'Nová firma' }).waitFor();
    await page.getByLabel(/^E-mail/).fill('nobody');
    await page.getByRole('button', { name: 'Vytvořit' }).click();
    const mistake = page.locator('.form-field.invalid .mistake bdi').first();
    await mistake.waitFor();
    expect(await languageOf(mistake)).to.equal('en');
    expect(await languageOf(page.getByRole('alert'))).to.equal('cs');
    await page.context().close();
  });

  it('The reason of a run is marked as English, and the times in it are not', async () => {
    const page = await openInCzech(`/runs/${failed}`);
    const reason = page.locator('.sub').locator('bdi').filter({ hasText: 'Exit code 3' });
    await reason.waitFor();
    expect(await languageOf(reason)).to.equal('en');
    expect(await languageOf(reason.locator('time'))).to.equal('cs');
    expect(await languageOf(page.locator('.attempts').getByText('exit code 3'))).to.equal('en');
    expect(await languageOf(page.getByRole('heading', { level: 1 }))).to.equal('cs');
    await expectAccessible(page);
    await page.context().close();
  });

  it('What a request was refused for is marked as English where the service says it, not where the page does', async () => {
    const page = await openInCzech('/manage/companies/9999');
    const refusal = page.getByRole('alert').locator('bdi');
    await refusal.waitFor();
    expect(await languageOf(refusal)).to.equal('en');
    await page.route('**/console/api/**', (route) => route.abort());
    await page.getByRole('link', { name: 'Šablony' }).first().click();
    await page.getByText('Služba neodpovídá.').first().waitFor();
    expect(await languageOf(page.getByText('Služba neodpovídá.').first())).to.equal('cs');
    await page.context().close();
  });

  it('Lists and filters are in Czech, and those of a plugin without Czech words are marked as English', async () => {
    const page = await openInCzech('/manage/apps', 390);
    await page.getByRole('heading', { level: 1, name: /^Aplikace/ }).waitFor();
    await page.getByLabel('Hledat aplikace podle názvu').waitFor();
    await page.getByLabel('Povoleno').selectOption({ label: 'Povoleno: ano' });
    await page.getByRole('columnheader', { name: 'Název' }).waitFor();
    await page.goto(`${world.url}/manage/pauses`);
    await page.getByRole('link', { name: 'pozastavení: Backup' }).click();
    await page.getByRole('heading', { level: 1, name: 'pozastavení: Backup' }).waitFor();
    await page.goto(`${world.url}/manage/holidays/new`);
    const form = page.locator('form.record-form');
    await form.getByText('Firma', { exact: true }).waitFor();
    expect(await languageOf(form.getByText('Firma', { exact: true }))).to.equal('cs');
    expect(await languageOf(form.getByText('On', { exact: true }))).to.equal('en');
    expect(await languageOf(page.getByRole('link', { name: 'Holidays' }))).to.equal('en');
    expect(await form.locator('option[lang=en]').allTextContents()).to.include('public');
    await expectAccessible(page);
    await page.context().close();
  });

  it('On English pages nothing needs a mark', async () => {
    const page = await world.signedIn({ view: '/templates/new' });
    await page.getByText('Remarks for operators.').waitFor({ state: 'attached' });
    expect(await page.locator('body [lang]').count()).to.equal(0);
    await page.context().close();
  });
});
