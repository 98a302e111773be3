import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import {
  ConsoleWorld,
  describeInBrowser,
  expectAccessible,
  password,
  viewports,
} from '../support/browser/console-world.ts';
import { eventually } from '../support/mocha/eventually.ts';

/** A name that a page must show as it is: markup, quotes, and a mark that turns the direction of what follows. */
const planted = `<script>document.title = "1"</script> 'x' \u202e`;

describeInBrowser('Now in the browser:', () => {
  let world: ConsoleWorld;
  let mail: number;
  let slow: number;
  /** Once it is there, the job of Mail succeeds whatever its environment is. */
  let repaired: string;

  before(async () => {
    world = await ConsoleWorld.create();
    const { service } = world;
    repaired = join(service.cli.folder, 'repaired');
    mail = await addBrokenTemplate();
    [slow] = await Promise.all([
      service.addDailyTemplate('Slow', 'sleep 600', { deadline: '+1s', allow_late: true }),
      service.addDailyTemplate('Long', 'sleep 600'),
      service.addDailyTemplate('Longer', 'sleep 600'),
      service.addDailyTemplate(planted, 'exit 3'),
    ]);
    await save('user:save', { login: 'vera', password });
    await service.run('companyuser:save', '--company-id', '1', '--login', 'vera', '--role', 'viewer');
    const states = async () => Object.groupBy(await service.run('task:list'), ({ state }: { state: string }) => state);
    await eventually('two runs have failed', async () => (await states())['failed']?.length === 2);
    await eventually('three run', async () => (await states())['running']?.length === 3);
  });
  after(() => world[Symbol.asyncDispose]());

  const save = async (command: string, fields: object) => {
    const { json, err } = await world.service.cli.run([command, '--json', '-', '--format', 'json'], {
      input: JSON.stringify(fields),
    });
    if (!json) throw new Error(err);
    return json;
  };

  /** Adds the template Mail, which succeeds, is changed then, and fails in the window that begins after that. */
  async function addBrokenTemplate(): Promise<number> {
    const { service } = world;
    const script = `test "$MODE" = sound || test -e ${repaired}`;
    const environment = { MODE: { type: 'text' } };
    const app = await save('app:save', { name: 'mail', executable: '/bin/sh', arguments: ['-c', script], environment });
    const fields = { name: 'Mail', company_id: 1, app_id: app.id, timezone: 'UTC', environment: { MODE: 'sound' } };
    const { id } = await save('runtemplate:save', { ...fields, interval: 'none' });
    await service.run('runtemplate:run', String(id));
    await eventually('it has succeeded', async () => (await service.jobs(id))[0].state === 'succeeded');
    for (let ahead = 3000; ; ahead *= 2) {
      const at = new Date(Date.now() + ahead);
      const cron = `${at.getUTCSeconds()} ${at.getUTCMinutes()} ${at.getUTCHours()} * * *`;
      await save('runtemplate:save', { id, interval: 'custom', cron });
      const changed = await save('runtemplate:save', { id, environment: { MODE: `broken ${ahead}` } });
      if (Date.parse(changed.next_scheduled_at) < Date.now() + 2 * ahead) return id;
    }
  }

  const rowOf = (page: Page, list: string, name: string): Locator =>
    page.getByRole('list', { name: list }).locator('li[data-row]').filter({ hasText: name });
  const needing = (page: Page, name: string) => rowOf(page, 'Needs a person', name);

  it('The headline says how many runs were on time and how many need a person', async () => {
    const page = await world.signedIn();
    await page.getByRole('heading', { level: 1, name: '0 of 3 on time today. Three need you.' }).waitFor();
    await page.getByText('Three are running.').waitFor();
    await page.context().close();
  });

  it('A name with markup, quotes and a mark of direction is shown as it is', async () => {
    const page = await world.signedIn();
    const row = needing(page, '<script>');
    expect(await row.getByRole('link').first().textContent()).to.equal(planted);
    expect(await row.textContent()).to.include('Failed: exit code 3');
    expect(await page.title()).to.equal('Horarium');
    await page.context().close();
  });

  it('The change since the last success is shown, undone by a button, and saved again by another', async () => {
    const page = await world.signedIn();
    const row = needing(page, 'Mail');
    await row.getByText(/MODE sound → broken \d+/).waitFor();
    await row.getByRole('button', { name: 'Undo the change' }).click();
    await page.getByText('The change of Mail is undone.').waitFor();
    const mode = async () => (await world.service.run('runtemplate:get', String(mail))).environment.MODE;
    expect(await mode()).to.equal('sound');
    await row.getByText(/MODE sound → broken \d+, undone by admin \d\d:\d\d/).waitFor();
    const button = row.getByRole('button', { name: 'Undo the change' });
    await button.waitFor({ state: 'detached' });
    await page.getByRole('log').getByRole('button', { name: 'Change again' }).click();
    await page.getByText('Mail is changed again.').waitFor();
    expect(await mode()).to.match(/^broken/);
    await button.waitFor();
    await page.context().close();
  });

  it('A change that was undone stays so when the page is opened again, and is not offered for undoing', async () => {
    const page = await world.signedIn();
    const row = needing(page, 'Mail');
    await row.getByRole('button', { name: 'Undo the change' }).click();
    await page.getByText('The change of Mail is undone.').waitFor();
    await page.reload();
    await row.getByText(/MODE sound → broken \d+, undone by admin \d\d:\d\d/).waitFor();
    expect(await row.getByRole('button', { name: 'Undo the change' }).count()).to.equal(0);
    await row.getByRole('link', { name: 'Mail', exact: true }).click();
    const change = page.getByRole('region', { name: 'Since the last success' }).getByRole('listitem');
    await change
      .filter({ hasText: /MODE sound → broken/ })
      .getByText(/undone by admin \d\d:\d\d/)
      .waitFor();
    expect(await change.filter({ hasText: /→ sound/ }).count()).to.equal(0);
    await page.context().close();
  });

  it('Why is unfolded by a key, with the conditions once one is unmet: what another person has switched off is switched on', async () => {
    const page = await world.signedIn();
    const row = needing(page, 'Mail');
    await row.focus();
    await page.keyboard.press('w');
    const conditions = row.getByRole('heading', { name: 'What it takes to run' });
    await row.getByRole('heading', { name: 'Since the last success' }).waitFor();
    expect(await conditions.count()).to.equal(0);
    await world.service.run('runtemplate:save', '--id', String(mail), '--active', 'false');
    await row.getByText(/The run template is not active/).waitFor();
    await row.getByRole('button', { name: 'Switch on' }).click();
    await page.getByText('Mail is switched on.').waitFor();
    await conditions.waitFor({ state: 'detached' });
    // The button is gone, and the row has its focus.
    await page.locator('li[data-row]:focus', { hasText: 'Mail' }).waitFor();
    await page.context().close();
  });

  it('Rows are reached by keys, and Enter opens the run', async () => {
    const page = await world.signedIn();
    await needing(page, 'Mail').waitFor();
    for (let step = 0; step < 3; step++) await page.keyboard.press('j');
    const opened = await page.evaluate<string>("document.activeElement.querySelector('[data-open]').pathname");
    expect(opened).to.match(/^\/runs\/\d+$/);
    await page.keyboard.press('Enter');
    await page.waitForURL(`${world.url}${opened}`);
    await page.context().close();
  });

  it('A failed run that runs again with success no longer needs a person', async () => {
    const page = await world.signedIn();
    writeFileSync(repaired, '');
    const row = needing(page, 'Mail');
    await row.focus();
    await page.keyboard.press('r');
    await page.getByText('Mail runs again.').waitFor();
    // It keeps its place while it has the focus.
    await row.getByText('Solved meanwhile.').waitFor();
    await page.getByRole('heading', { level: 1, name: 'Two need you.' }).waitFor();
    await page.getByRole('button', { name: '1 change: show' }).first().click();
    await row.waitFor({ state: 'detached' });
    await rowOf(page, 'Done, but late', 'Mail').waitFor();
    await page.context().close();
  });

  it('A running attempt is cancelled with a reason, after a question that leaves it running at first', async () => {
    const page = await world.signedIn();
    const row = rowOf(page, 'Running', 'Longer');
    await row.getByText(/\d+ s · due by/).waitFor();
    await row.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Keep it running' }).click();
    await row.locator('button:focus', { hasText: 'Cancel' }).waitFor();
    await row.getByRole('button', { name: 'Cancel' }).click();
    await page.getByLabel('Reason').fill('not today');
    await page.keyboard.press('Enter');
    await page.getByText('Longer is being cancelled.').waitFor();
    await row.getByText('has ended').waitFor();
    const [job] = await world.service.run('job:list', '--state', 'cancelled');
    expect(job.reason).to.include('not today');
    await page.context().close();
  });

  it('An overdue run is waived for a reason', async () => {
    const page = await world.signedIn();
    const row = needing(page, 'Slow');
    await row.getByRole('button', { name: 'Waive' }).click();
    await page.getByLabel('Reason').fill('holiday');
    await page.getByRole('button', { name: 'Waive the run' }).click();
    await page.getByText('Slow is waived.').waitFor();
    await page.getByRole('list', { name: 'Running' }).getByRole('button', { name: 'Cancel… Slow' }).click();
    await page.getByLabel('Reason').fill('holiday');
    await page.getByRole('button', { name: 'Cancel the run' }).click();
    const state = async () => (await world.service.tasks(slow))[0].state;
    await eventually('its Task is cancelled', async () => (await state()) === 'cancelled');
    await page.context().close();
  });

  it('What failed stands apart while it is paused, with who paused it, and is resumed there', async () => {
    const page = await world.signedIn();
    await needing(page, '<script>').waitFor();
    await page.mouse.move(0, 0);
    const [{ id }] = await world.service.run('runtemplate:list', '--name', planted);
    await world.post('/pause', { runtemplate_id: id, reason: 'new disk' });
    const apart = rowOf(page, 'Failed, and paused', '<script>');
    await apart.getByText('paused by admin until resumed, “new disk”').waitFor();
    await needing(page, '<script>').waitFor({ state: 'detached' });
    expect(await apart.getByRole('button', { name: 'Run again' }).count()).to.equal(0);
    await apart.getByRole('button', { name: 'Resume' }).click();
    await needing(page, '<script>').waitFor();
    await page.context().close();
  });

  it('A pause that another person makes appears, is ended by a button, and made again by Undo', async () => {
    const page = await world.signedIn();
    await page.getByRole('heading', { name: 'Next' }).waitFor();
    await world.service.cli.run(['pause', '--for=2h', '--template', String(mail), '--reason=new disk']);
    const row = rowOf(page, 'paused', 'Mail');
    await row.getByText(/by .* until .*, “new disk”$/).waitFor();
    await row.getByRole('button', { name: 'Resume' }).click();
    await page.getByText('Mail is resumed.').waitFor();
    // The list shows at once what the reader has done, though the pointer is in it.
    await row.waitFor({ state: 'detached' });
    await page.getByRole('log').getByRole('button', { name: 'Undo' }).click();
    await row.getByText('“new disk”').waitFor();
    await page.context().close();
  });

  it('A bar of the strip is chosen by keys or the pointer, tells its counts, and leads to its time', async () => {
    const page = await world.signedIn();
    const strip = page.getByRole('slider', { name: /^The last 24 hours/ });
    await strip.focus();
    const said = async () => (await strip.getAttribute('aria-valuetext')) ?? '';
    const present = await said();
    await page.keyboard.press('ArrowLeft');
    // A quarter of an hour may have ended since the runs did.
    expect(`${present}; ${await said()}`).to.match(/\d\d:\d\d – \d\d:\d\d: .*\d failed/);
    await page.keyboard.press('Home');
    expect(await said()).to.match(/\d\d:\d\d – \d\d:\d\d: nothing$/);
    await page.keyboard.press('End');
    await strip.hover({ position: { x: 3, y: 3 } });
    await page.locator('.tip').getByText('nothing').waitFor();
    await page.keyboard.press('Enter');
    const { pathname, searchParams } = new URL(page.url());
    expect(pathname).to.equal('/timeline');
    const span = Date.parse(searchParams.get('to') ?? '') - Date.parse(searchParams.get('from') ?? '');
    expect(span).to.equal(2.25 * 3_600_000);
    await page.context().close();
  });

  it('A viewer sees what there is, and no button that changes anything', async () => {
    const page = await world.signedIn({ login: 'vera' });
    await needing(page, '<script>').getByRole('link', { name: 'Output' }).waitFor();
    await rowOf(page, 'paused', 'Mail').waitFor();
    const names = await page.getByRole('main').getByRole('button').allInnerTexts();
    expect(new Set(names)).to.deep.equal(new Set(['Why?']));
    await page.context().close();
  });

  for (const viewport of viewports)
    it(`It is accessible with what is known unfolded (${viewport.width} px)`, async () => {
      const page = await world.signedIn({ viewport });
      await needing(page, '<script>').getByRole('button', { name: 'Why?' }).click();
      await page.getByText('Since it was made: it has never succeeded').waitFor();
      await expectAccessible(page);
      await page.context().close();
    });
});
