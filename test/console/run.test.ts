import { expect } from 'chai';
import { ConsoleWorld, describeInBrowser, expectAccessible, viewports } from '../support/browser/console-world.ts';
import { eventually } from '../support/mocha/eventually.ts';

/** Markup, quotes and a mark that reverses what follows, as names that must stay text. */
const hostile = `<script>document.title='owned'</script> "Q" \u202egnp`;

const script = `echo "TIMEOUT is $TIMEOUT"; printf 'no,total' > invoices.csv
  if [ "$TIMEOUT" -lt 10 ]; then echo 'database is locked' >&2; exit 75; fi; echo '31 invoices written'`;

/** A text of several lines, one of them to differ. */
const noteOf = (line: string) =>
  ['first', 'second', 'third', line, 'fifth', 'sixth', 'seventh', 'eighth line'].join('\n');

describeInBrowser('A run in the browser:', () => {
  let world: ConsoleWorld;
  let template: number;
  /** A Task that failed after a change, with successes before it. */
  let failed: number;

  before(async () => {
    world = await ConsoleWorld.create();
    const { service } = world;
    await world.addUser('petr', null, { 1: 'manager' });
    await world.addUser('olga', null, { 1: 'operator' });
    await world.addUser('vera', null, { 1: 'viewer' });
    const variables = {
      TIMEOUT: { type: 'integer', description: 'Seconds that it waits.' },
      PIN: { type: 'password' },
    };
    const files = [{ name: 'csv', path: '\\\\.csv$' }];
    const settings = [
      `environment=${JSON.stringify(variables)}`,
      `artifacts=${JSON.stringify(files).replaceAll('\\\\\\\\', '\\\\')}`,
    ].flatMap((setting) => ['--set', setting]);
    const words = ['--arguments', '-c', '--arguments', script];
    const app = await service.run('app:save', '--name', 'Invoices', '--executable', '/bin/sh', ...words, ...settings);
    const identity = [
      '--note',
      noteOf('fourth'),
      '--name',
      `Invoices ${hostile}`,
      '--company-id',
      '1',
      '--app-id',
      String(app.id),
    ];
    const schedule = ['--interval', 'custom', '--cron', '*/4 * * * * *', '--set', 'environment={"TIMEOUT":"30"}'];
    template = (await service.run('runtemplate:save', ...identity, ...schedule)).id;
    // On a busy machine a window may pass before its job starts: such a Task fails for another reason.
    const first = async (state: string, reason: string) => {
      const { id } = await eventually(`a Task is ${state}`, async () => {
        const found = await service.run('task:list', '--runtemplate-id', String(template), '--state', state);
        return found.find((task: { readonly reason: string }) => task.reason.includes(reason));
      });
      return id as number;
    };
    await first('fulfilled', 'in time');
    const save = ['runtemplate:save', '--id', String(template)];
    const change = ['--note', noteOf('4th'), '--set', 'environment={"TIMEOUT":"5"}'];
    await service.run(...(save as [string]), '--as', 'petr', ...change);
    failed = await first('failed', 'exit code 75');
    await service.run(...(save as [string]), '--cron', '0 0 1 1 *');
  });
  after(() => world[Symbol.asyncDispose]());

  const open = (login = 'admin', query = '') => world.signedIn({ login, view: `/runs/${failed}${query}` });

  it('It says what happened, why, and what was changed since the last success', async () => {
    const page = await open();
    await page.getByRole('heading', { level: 1, name: 'failed' }).waitFor();
    await page.getByText('Exit code 75.', { exact: true }).waitFor();
    const since = page.getByRole('region', { name: 'Since the last success' });
    const change = since.getByRole('listitem').filter({ hasText: 'TIMEOUT' });
    await change.waitFor();
    expect(await change.count()).to.equal(1);
    expect(await change.textContent()).to.match(/TIMEOUT 30 → 5.*petr, by the command line/s);
    await page.locator('.line.error', { hasText: 'database is locked' }).waitFor();
    expect(await page.title()).to.include('Invoices <script>');
    await page.context().close();
  });

  it('Of a long text that was changed, the part that differs is shown, and its lines beneath', async () => {
    const page = await open();
    const since = page.getByRole('region', { name: 'Since the last success' });
    const summary = since.locator('summary', { hasText: /^Note/ });
    expect(await summary.innerText()).to.equal(
      'Note first second third fourth fifth sixth seventh eighth line → first second third 4th fifth sixth seventh eighth line',
    );
    await summary.click();
    const lines = since.locator('pre.change');
    expect(await lines.locator('del').allTextContents()).to.deep.equal(['− fourth\n']);
    expect(await lines.locator('ins').allTextContents()).to.deep.equal(['+ 4th\n']);
    expect(await lines.textContent()).to.match(/^ {2}first\n {2}second\n {2}third\n− fourth\n\+ 4th\n {2}fifth\n/);
    await expectAccessible(page);
    await page.context().close();
  });

  it('A run that has ended before its deadline was due', async () => {
    const { service } = world;
    const daily = await service.addDailyTemplate('Daily', 'exit 3');
    const failedTask = async () => (await service.tasks(daily)).find(({ state }) => state === 'failed');
    const { id } = await eventually('its Task has failed', failedTask);
    const page = await world.signedIn({ view: `/runs/${id}` });
    await page.getByText(/Exit code 3.*It was due by/).waitFor();
    await page.context().close();
  });

  it('Its files are downloaded, and its history is that of the audit log', async () => {
    const page = await open();
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'invoices.csv' }).click();
    expect((await download).suggestedFilename()).to.equal('invoices.csv');
    await page.getByText('History in the audit log').click();
    await page.locator('.history li', { hasText: 'the run → failed' }).waitFor();
    await page.context().close();
  });

  it('Those who may only read see no button that changes something', async () => {
    const page = await open('vera');
    await page.locator('.line.error').waitFor();
    await page.getByRole('region', { name: 'Since the last success' }).waitFor();
    const buttons = await page.getByRole('main').getByRole('button').allTextContents();
    expect(buttons.filter((text) => /Run|Waive|Cancel|Undo/.test(text))).to.deep.equal([]);
    await page.context().close();
  });

  it('It runs again with other values; a value that is refused is named beside its field', async () => {
    const page = await open('olga');
    await page.getByRole('button', { name: 'Run again with other values…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('It becomes the next attempt of this run.').waitFor();
    await dialog.getByLabel('TIMEOUT').fill('soon');
    await dialog.getByRole('button', { name: 'Run again' }).click();
    await dialog.getByText(/TIMEOUT must be/).waitFor();
    expect(await dialog.getByLabel('TIMEOUT').inputValue()).to.equal('soon');
    await dialog.getByLabel('Further values').fill('PIN=a secret of olga');
    await dialog.getByLabel('TIMEOUT').fill('7');
    await dialog.getByRole('button', { name: 'Run again' }).click();
    await page.getByRole('heading', { name: 'Output of attempt 2' }).waitFor();
    await page.locator('.line', { hasText: 'TIMEOUT is 7' }).waitFor();
    await page.getByRole('listitem').filter({ hasText: '2 ·' }).filter({ hasText: 'on request, by olga' }).waitFor();
    await page.getByRole('button', { name: /^1 ·/ }).click();
    await page.locator('.line', { hasText: 'TIMEOUT is 5' }).waitFor();
    expect(new URL(page.url()).searchParams.has('attempt')).to.equal(true);
    await page.context().close();
  });

  it('A template is run with other values on its page, beside its windows', async () => {
    const page = await world.signedIn({ login: 'olga', view: `/templates/${template}` });
    await page.getByRole('button', { name: 'Run with other values…' }).click();
    const dialog = page.getByRole('dialog', { name: /^Run .*Invoices/ });
    await dialog.getByLabel('TIMEOUT').fill('9');
    await dialog.getByRole('button', { name: 'Run now' }).click();
    await page
      .getByRole('log')
      .getByText(/Invoices .* has been started\./)
      .waitFor();
    const [job] = await world.service.run('job:list', '--limit', '1');
    expect(job.task_id).to.equal(null);
    expect((await world.service.run('job:get', String(job.id))).environment).to.deep.include({ TIMEOUT: '9' });
    await page.context().close();
  });

  it('Its dialog has the variables of the app, and those that are secret are not shown as they are typed', async () => {
    const page = await open();
    await page.getByRole('button', { name: 'Run again with other values…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Seconds that it waits.').waitFor();
    expect(await dialog.getByLabel('TIMEOUT').getAttribute('placeholder')).to.equal('5');
    expect(await dialog.getByLabel('PIN').getAttribute('type')).to.equal('password');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.context().close();
  });

  it('The change that broke it is undone, and R runs it again, late but fulfilled', async () => {
    const page = await open('petr');
    await page.getByRole('button', { name: 'Undo: environment' }).click();
    await page.getByText(/^The change of \u2068Invoices .*\u2069 is undone\./).waitFor();
    const { environment } = await world.service.run('runtemplate:get', String(template));
    expect(environment).to.deep.equal({ TIMEOUT: '30' });
    await page
      .getByRole('region', { name: 'Since the last success' })
      .getByText(/undone by petr/)
      .waitFor();
    await page.keyboard.press('r');
    await page.getByRole('heading', { level: 1, name: 'late' }).waitFor();
    await page.locator('.line', { hasText: '31 invoices written' }).waitFor();
    await page.context().close();
  });

  it('An open run says what it waits for, and is waived for a reason', async () => {
    const id = await world.service.addDailyTemplate('Later', 'true', { delay: 36_000 });
    const [task] = await eventually('its Task is made', async () => {
      const tasks = await world.service.tasks(id);
      return tasks.length > 0 && tasks;
    });
    const page = await world.signedIn({ login: 'olga', view: `/runs/${task.id}` });
    await page.getByRole('heading', { level: 1, name: 'to come' }).waitFor();
    await page.getByRole('button', { name: 'Why?' }).waitFor();
    await page.keyboard.press('w');
    const why = page.getByRole('region', { name: 'Why?' });
    await why.getByRole('listitem').filter({ hasText: 'the Task is owed' }).waitFor();
    await page.keyboard.press('Escape');
    await why.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Waive…' }).click();
    await page.getByLabel('Reason').fill('the shop is closed');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'waived' }).waitFor();
    await page.getByText('Waived by olga: the shop is closed.', { exact: true }).waitFor();
    await page.context().close();
  });

  it('A run moves by itself while another person stops it', async () => {
    const id = await world.service.addDailyTemplate('Long', 'echo begun; sleep 600', { max_attempts: 1 });
    const [job] = await eventually('its job runs', async () => {
      const jobs = await world.service.jobs(id);
      return jobs[0]?.state === 'running' && jobs;
    });
    const page = await world.signedIn({ login: 'vera', view: `/runs/${job.task_id}` });
    await page.getByRole('heading', { level: 1, name: 'running' }).waitFor();
    const other = await world.signedIn({ login: 'olga', view: `/runs/${job.task_id}` });
    await other.getByRole('button', { name: 'Cancel…' }).click();
    await other.getByLabel('Reason').fill('it hangs');
    await other.getByRole('button', { name: 'Cancel the run' }).click();
    await page.getByRole('heading', { level: 1, name: 'cancelled' }).waitFor();
    await page.getByText('it hangs').first().waitFor();
    await other.context().close();
    await page.context().close();
  });

  it('What does not exist is said by the API', async () => {
    const page = await world.signedIn({ view: '/runs/999999' });
    expect(await page.getByRole('alert').textContent()).to.match(/999999/);
    await page.context().close();
  });

  for (const viewport of viewports)
    it(`It is accessible (${viewport.width} px)`, async () => {
      const page = await world.signedIn({ viewport, view: `/runs/${failed}?why=1&times=1&find=is` });
      await page.locator('.line mark').first().waitFor();
      await page.getByRole('region', { name: 'This template' }).waitFor();
      await expectAccessible(page);
      const width = await page.evaluate<number>('document.documentElement.scrollWidth');
      expect(width).to.be.at.most(viewport.width);
      await page.context().close();
    });
});
