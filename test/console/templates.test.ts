import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { ConsoleWorld, describeInBrowser, expectAccessible, viewports } from '../support/browser/console-world.ts';
import { addPastRuns } from '../support/browser/run-history.ts';
import { eventually } from '../support/mocha/eventually.ts';

const daily = { interval: 'daily' };

describeInBrowser('The list of templates in the browser:', () => {
  let world: ConsoleWorld;
  let backup: number;
  before(async () => {
    world = await ConsoleWorld.create();
    await world.addUser('olga', null, { 1: 'operator' });
    backup = await world.service.addTemplate('Backup', ['-c', 'true'], daily);
    await world.service.addTemplate('Long', ['-c', 'sleep 600'], { interval: 'yearly' });
    for (let number = 10; number < 64; number++)
      await world.service.addTemplate(`Report ${number}`, ['-c', 'true'], { interval: 'yearly' });
  });
  after(() => world[Symbol.asyncDispose]());

  const row = (page: Page, name: string) =>
    page.getByRole('list', { name: 'Templates' }).locator('li[data-row]').filter({ hasText: name });
  const pauses = () => world.service.run('pause:list');

  it('P asks why and until when a template is paused, and its jobs wait until then', async () => {
    const page = await world.signedIn({ login: 'olga', view: '/templates' });
    await row(page, 'Backup').focus();
    await page.keyboard.press('p');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Pause', exact: true }).click();
    expect(await dialog.getByRole('alert').textContent()).to.equal('Fill in what is required.');
    expect(await page.getByLabel('Why required').getAttribute('aria-invalid')).to.equal('true');
    await page.keyboard.type('new disk');
    await dialog.getByLabel('For').selectOption({ label: '2 hours' });
    await page.getByLabel('Windows that pass meanwhile').selectOption({ label: 'all run afterwards' });
    await page.getByRole('button', { name: 'Pause', exact: true }).click();
    await page.getByText('Backup is paused.').waitFor();
    const [pause] = await pauses();
    expect(pause).to.include({ runtemplate_id: backup, reason: 'new disk', catch_up: 'all' });
    expect(Date.parse(pause.until) - Date.now()).to.be.within(7_000_000, 7_200_000);
    await page.getByRole('log').getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Backup is resumed.').waitFor();
    expect((await pauses())[0].ended_at).to.be.a('string');
    await page.context().close();
  });

  it('A pause takes until a time of the zone of the reader, whose times the sentences of the service have', async () => {
    const name = 'Sweep';
    const id = await world.service.addTemplate(name, ['-c', 'true'], { interval: 'none' });
    const page = await world.signedIn({ login: 'olga', view: `/templates/${id}`, timezoneId: 'Asia/Tokyo' });
    await page.getByRole('button', { name: 'Pause', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: `Pause ${name}` });
    await dialog.getByLabel('Why').fill('new disk');
    await dialog.getByLabel('For').selectOption({ label: 'until a time' });
    await dialog.getByLabel(/^Until required/).fill('2031-02-03T04:05');
    await dialog.getByRole('button', { name: 'Pause', exact: true }).click();
    await page.getByText(`${name} is paused.`).waitFor();
    const pause = (await pauses()).find(({ runtemplate_id }: { runtemplate_id: number }) => runtemplate_id === id);
    expect(pause.until).to.equal('2031-02-02T19:05:00.000Z');
    await page
      .getByText(/paused by olga until 2031-02-03 04:05/)
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByText('Sweep is resumed. Windows that are still open run at once.').waitFor();
    await world.service.cli.command(`runtemplate:delete ${id}`);
    await page.context().close();
  });

  it('The changes of a template are those of its App and of its pauses, too', async () => {
    const { app_id } = await world.service.run('runtemplate:get', String(backup));
    await world.post(`/app/${app_id}.json`, { description: 'copies all' });
    const page = await world.signedIn({ view: `/templates/${backup}` });
    const changes = page.getByRole('list', { name: 'Changes' });
    await changes.getByText(/admin set description of .* to copies all/).waitFor();
    await changes.getByText(/olga .*paused Backup/).waitFor();
    await page.context().close();
  });

  it('A pause that holds others too is ended after a question, and by no action on several templates', async () => {
    await world.post('/pause', { company_id: 1, reason: 'the office moves' });
    const page = await world.signedIn({ login: 'olga', view: '/templates?name=Backup' });
    const only = row(page, 'Backup');
    await only.getByRole('button', { name: 'Resume: Backup' }).waitFor();
    await only.focus();
    await page.keyboard.press('x');
    await page.getByRole('button', { name: 'Resume (1)' }).click();
    await page.getByText('is paused together with Acme: resume that by itself.').waitFor();
    await page.reload();
    await only.getByRole('button', { name: 'Resume: Backup' }).click();
    const dialog = page.getByRole('dialog', { name: 'Resume Acme?' });
    await dialog.getByText('The pause that holds Backup holds others too.').waitFor();
    await dialog.getByRole('button', { name: 'Resume' }).click();
    await page.getByText('Acme is resumed.').waitFor();
    await eventually('it has ended', async () =>
      (await pauses()).every((pause: { ended_at: string | null }) => pause.ended_at),
    );
    await page.context().close();
  });

  it('R runs a template now, and Undo cancels that', async () => {
    const page = await world.signedIn({ login: 'olga', view: '/templates?name=Long' });
    await row(page, 'Long').focus();
    await page.keyboard.press('r');
    await page.getByText('Long has been started.').waitFor();
    await page.getByRole('log').getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Long is being cancelled.').waitFor();
    await eventually('it is cancelled', async () => {
      const [job] = await world.service.run('job:list', '--limit', '1');
      return job.state === 'cancelled';
    });
    await page.context().close();
  });

  it('A message leads to the run that it is about, offers Undo until that has ended, and goes with its view', async () => {
    const page = await world.signedIn({ login: 'olga', view: '/templates?name=Backup' });
    await row(page, 'Backup').getByRole('button', { name: 'Run: Backup' }).click();
    const message = page.getByRole('log').locator('p', { hasText: 'Backup has been started.' });
    // It stays while the pointer is over it.
    await message.hover();
    await message.getByRole('button', { name: 'Undo' }).waitFor({ state: 'detached' });
    await message.getByRole('link', { name: 'Show the run' }).click();
    await page.waitForURL(/\/jobs\/\d+$/);
    await page.getByRole('navigation', { name: 'Path' }).getByRole('link', { name: 'Backup' }).waitFor();
    expect(await page.getByRole('log').textContent()).to.equal('');
    await page.context().close();
  });

  for (const viewport of viewports)
    it(`The newest message alone is seen, and covers nothing of the page (${viewport.width} px)`, async () => {
      const page = await world.signedIn({ viewport, view: `/templates/${backup}` });
      const messages = page.getByRole('log').locator('p');
      const expectInStrip = async () => {
        const own = await messages.last().boundingBox();
        const strip = await page.locator(viewport.width < 800 ? 'header' : 'footer').boundingBox();
        expect(own?.y).to.equal(strip?.y);
        expect(own?.height).to.be.at.most((strip?.height ?? 0) + 1);
      };
      await page.getByRole('button', { name: 'Deactivate' }).click();
      await messages.first().hover();
      await expectInStrip();
      await page.getByRole('button', { name: 'Activate', exact: true }).click();
      await messages.nth(1).waitFor();
      expect(await messages.nth(0).isVisible()).to.equal(false);
      expect(await messages.nth(1).textContent()).to.include('Backup is switched on.');
      await page.mouse.wheel(0, 300);
      await expectInStrip();
      await page.context().close();
    });

  it('A template is switched off on its page, and on again by Undo', async () => {
    const page = await world.signedIn({ view: `/templates/${backup}` });
    await page.getByRole('button', { name: 'Deactivate' }).click();
    await page.getByText('Backup is switched off.').waitFor();
    await page.getByRole('log').getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Backup is switched on.').waitFor();
    expect((await world.service.run('runtemplate:get', String(backup))).active).to.equal(true);
    await page.context().close();
  });

  it('Older templates are on a page of their own, from which Back leads to the newest', async () => {
    const page = await world.signedIn({ view: '/templates' });
    const list = page.getByRole('list', { name: 'Templates' });
    await list.locator('li[data-row]').nth(49).waitFor();
    await page.getByRole('link', { name: 'Older' }).click();
    await list.locator('li[data-row]').nth(5).waitFor();
    expect(await list.locator('li[data-row]').count()).to.equal(6);
    await page.goBack();
    await list.locator('li[data-row]').nth(49).waitFor();
    await page.context().close();
  });

  for (const timezone of ['Pacific/Kiritimati', 'Pacific/Honolulu'])
    it(`The last day of a template is today in its own zone (${timezone})`, async () => {
      const id = await world.service.addTemplate(`Far ${timezone}`, ['-c', 'true'], { interval: 'yearly', timezone });
      const start = Date.now();
      await addPastRuns(world.service, id, [{ start, state: 'fulfilled' }]);
      const format = { weekday: 'short', day: 'numeric', month: 'short', timeZone: timezone } as const;
      const date = new Intl.DateTimeFormat('en-GB', format).format(start).replace(',', '');
      const page = await world.signedIn({ view: `/templates?name=${timezone}` });
      const bar = row(page, timezone).locator('rect').last().locator('title');
      await eventually('the strip ends today', async () => (await bar.textContent()) === `${date}: 1 on time`);
      await page.goto(`${world.url}/templates/${id}`);
      await page.getByRole('img', { name: `${date}: 100% of 1 on time` }).waitFor();
      expect(await page.locator('.day-calendar [role=img]').count()).to.equal(91);
      await page.context().close();
    });
});

describeInBrowser('What a template runs:', () => {
  let world: ConsoleWorld;
  let template: number;
  let app: number;
  before(async () => {
    world = await ConsoleWorld.create();
    await world.addUser('max', 'user', { 1: 'manager' });
    await world.addUser('vera', null, { 1: 'viewer' });
    const { service } = world;
    const variables = { DATABASE: { default: 'main' }, HOST: { default: 'db1' }, PIN: { type: 'password' } };
    const args = ['--dbname={DATABASE}', '--host', '{HOST}', '--pin={PIN}', 'all of it'];
    const words = args.flatMap((word) => ['--arguments', word]);
    const settings = ['--set', `environment=${JSON.stringify(variables)}`];
    const program = ['--executable', '/usr/bin/pg_dump', ...words, ...settings];
    app = (await service.run('app:save', '--name', 'Dump', ...program)).id;
    const values = ['--set', 'environment={"HOST":"db2","PIN":"1234-secret"}'];
    const identity = ['--name', 'Nightly dump', '--company-id', '1', '--app-id', String(app), '--interval', 'daily'];
    template = (await service.run('runtemplate:save', ...identity, ...values)).id;
  });
  after(() => world[Symbol.asyncDispose]());

  const line = "/usr/bin/pg_dump --dbname={DATABASE} --host {HOST} --pin={PIN} 'all of it'";

  for (const view of ['', '/edit'])
    it(`It stands on its page, with placeholders for its values (/templates/1${view})`, async () => {
      const page = await world.signedIn({ view: `/templates/${template}${view}` });
      const command = page.getByRole('region', { name: 'What it runs' });
      await command.getByText(line, { exact: true }).waitFor();
      expect(await page.content()).to.not.include('1234-secret');
      await expectAccessible(page);
      await command.getByRole('link', { name: 'Change the command' }).click();
      await page.getByRole('heading', { level: 1, name: 'Dump' }).waitFor();
      await page.getByLabel(/^Executable/).fill('/usr/bin/pg_dump');
      await page.getByRole('button', { name: 'Cancel' }).click();
      await page.getByRole('button', { name: 'Edit' }).waitFor();
      const used = page.getByRole('region', { name: 'Templates that run it' });
      await used.getByRole('link', { name: 'Nightly dump' }).click();
      await page.getByRole('heading', { level: 1, name: 'Nightly dump' }).waitFor();
      await page.context().close();
    });

  it('Managers read it without a link that changes it, and those who see no Apps read nothing of it', async () => {
    const manager = await world.signedIn({ login: 'max', view: `/templates/${template}` });
    const command = manager.getByRole('region', { name: 'What it runs' });
    await command.getByText(line, { exact: true }).waitFor();
    expect(await command.getByRole('link').allTextContents()).to.deep.equal(['Dump']);
    await manager.context().close();
    const viewer = await world.signedIn({ login: 'vera', view: `/templates/${template}` });
    await viewer.getByRole('heading', { name: 'Details' }).waitFor();
    expect(await viewer.getByText('/usr/bin/pg_dump').count()).to.equal(0);
    await viewer.context().close();
  });
});

describeInBrowser('What is next of a template:', () => {
  let world: ConsoleWorld;
  let template: number;
  before(async () => {
    world = await ConsoleWorld.create();
    template = await world.service.addTemplate('Often', ['-c', 'true'], { interval: 'custom', cron: '*/3 * * * * *' });
  });
  after(() => world[Symbol.asyncDispose]());

  it('It never lies in the past on the page of a run and in the list, though many windows begin', async () => {
    const task = await eventually('a run has ended', async () => {
      const [found] = await world.service.run('task:list', '--state', 'fulfilled', '--limit', '1');
      return found;
    });
    const run = await world.signedIn({ view: `/runs/${task.id}` });
    const list = await world.signedIn({ view: '/templates' });
    const next = run.locator('dt', { hasText: /^Next$/ }).locator('+ dd time');
    const listed = list.locator('.health time');
    for (const place of [next, listed]) {
      await place.waitFor();
      const seen = new Set<string>();
      await eventually('several windows were next', async () => {
        expect(await place.textContent()).to.match(/^(in \d+ s|now)$/);
        return seen.add((await place.getAttribute('datetime')) ?? '').size > 3;
      });
    }
    await run.context().close();
    await list.context().close();
  });

  it('While it is paused, its page and the list say until when, and which windows do not run', async () => {
    const until = new Date(Date.now() + 9_000_000);
    const { id } = await world.post('/pause', { runtemplate_id: template, reason: 'new disk', until });
    const page = await world.signedIn({ view: `/templates/${template}` });
    await page.getByText(/It is paused: windows that are due before .*\d\d:\d\d do not run then\./).waitFor();
    expect(await page.locator('table.windows tbody tr').count()).to.equal(10);
    expect(await page.locator('table.windows td', { hasText: /^paused$/ }).count()).to.equal(10);
    await page.goto(`${world.url}/templates`);
    await page
      .locator('.health')
      .getByText(/paused until .*\d\d:\d\d/)
      .waitFor();
    await world.post(`/pause/${id}.json`, { until: new Date(0) });
    await page.locator('.health time').waitFor();
    await page.context().close();
  });
});
