import { writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { ConsoleWorld, describeInBrowser, expectAccessible, viewports } from '../support/browser/console-world.ts';
import { readExample } from '../support/formats/example-files.ts';

const tab = ['0 3 * * * /usr/local/bin/backup --all', 'CRON_TZ=America/New_York', '* * * * * /bin/false', ''].join(
  '\n',
);

describeInBrowser('The first visit of the console:', () => {
  let world: ConsoleWorld;
  beforeEach(async () => {
    world = await ConsoleWorld.create();
    await world.service.cli.command('company:delete 1');
  });
  afterEach(() => world[Symbol.asyncDispose]());

  const fileOf = async (name: string, text: string) => {
    const path = join(world.service.cli.folder, name);
    await writeFile(path, text);
    return path;
  };

  it('An empty store shows three ways to begin, and fills itself with the demonstration', async () => {
    const page = await world.signedIn();
    await page.getByRole('heading', { level: 1, name: 'Nothing is scheduled yet.' }).waitFor();
    await page.getByRole('heading', { name: 'Three ways to begin' }).waitFor();
    for (const way of ['Import a crontab', 'Import an application definition', 'Make one job'])
      await page.getByRole('link', { name: way }).waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Fill with a demonstration' }).click();
    await page.getByText('The demonstration runs.').waitFor();
    await page.getByRole('heading', { name: 'Three ways to begin' }).waitFor({ state: 'detached' });
    await page.goto(`${world.url}/templates`);
    await page.getByRole('link', { name: 'Send invoices (always fails)' }).waitFor();
    await page.context().close();
  });

  it('A crontab that is dropped shows what would happen, and then becomes templates', async () => {
    const page = await world.signedIn();
    await page.getByRole('heading', { name: 'Three ways to begin' }).waitFor();
    const file = `new File([${JSON.stringify(tab)}], 'web1.tab')`;
    const dropped = await page.evaluateHandle(
      `(() => { const data = new DataTransfer(); data.items.add(${file}); return data; })()`,
    );
    await page.locator('.drop').dispatchEvent('drop', { dataTransfer: dropped });
    await page.getByRole('heading', { name: 'Import a crontab' }).waitFor();
    await page.getByLabel('Name of file 1').fill('web1');
    await page.getByRole('button', { name: 'Show what would happen' }).click();
    await page.getByText('company is required', { exact: true }).waitFor();
    await page.getByLabel(/^Company/).fill('Acme Inc.');
    await page.getByRole('button', { name: 'Show what would happen' }).click();
    await page.getByRole('cell', { name: '/usr/local/bin/backup --all' }).waitFor();
    const { username } = userInfo();
    expect(await page.locator('.notes li').allTextContents()).to.deep.equal([
      'The company Acme Inc. is new.',
      `The jobs run as the user ${username}, as all native jobs do.`,
      'The time zone of the schedules is Europe/Prague, that of the service; and America/New_York, which CRON_TZ names.',
    ]);
    await expectAccessible(page);
    expect(await world.service.run('runtemplate:list')).to.deep.equal([]);
    await page.getByRole('button', { name: 'Import these 2' }).click();
    await page.getByText('2 templates imported from web1.').waitFor();
    await page.getByRole('link', { name: 'false' }).first().waitFor();
    await page.goto(`${world.url}/audit`);
    await page.getByText('set crontab of').first().waitFor();
    expect(await page.getByRole('button', { name: 'Undo' }).count()).to.equal(0);
    await page.context().close();
  });

  for (const viewport of viewports)
    it(`What an import would do is led to, says all of each line, and has the button behind it (${viewport.width} px)`, async () => {
      const isPhone = viewport.width < 800;
      const page = await world.signedIn({ view: '/begin/crontab', viewport, hasTouch: isPhone, isMobile: isPhone });
      const lines = Array.from({ length: 20 }, (_, index) => `${index} 3 * * * /usr/local/bin/backup --disk ${index}`);
      const paste = page.getByLabel('Or paste it');
      await paste.fill(lines.join('\n'));
      expect(await paste.evaluate((area) => area.scrollHeight - area.clientHeight)).to.be.at.most(0);
      expect(await page.getByText('Drop files here').isVisible()).to.equal(!isPhone);
      const show = page.getByRole('button', { name: 'Show what would happen' });
      await show.click();
      const mistake = page.getByText('company is required', { exact: true });
      await mistake.waitFor();
      await page.getByLabel(/^Company/).fill('Acme');
      await mistake.waitFor({ state: 'detached' });
      await page.getByText('One field is not right.').waitFor({ state: 'detached' });
      await show.click();
      const heading = page.getByRole('heading', { name: 'What would happen' });
      await heading.and(page.locator(':focus')).waitFor();
      expect((await heading.boundingBox())?.y).to.be.within(0, viewport.height / 2);
      const row = page.locator('.report tbody tr').first();
      for (const text of ['0 3 * * *', '/usr/local/bin/backup --disk 0'])
        await row.getByText(text, { exact: true }).waitFor();
      expect(await row.locator('time').count()).to.be.at.least(2);
      for (const time of await row.locator('time').all()) expect(await time.isVisible()).to.equal(true);
      const last = await page.locator('.report tbody tr').last().boundingBox();
      const button = await page.getByRole('button', { name: 'Import these 20' }).boundingBox();
      expect(button?.y).to.be.above((last?.y ?? 0) + (last?.height ?? 0));
      await expectAccessible(page);
      await page.getByLabel(/^Company/).press('Enter');
      await heading.and(page.locator(':focus')).waitFor();
      expect(await world.service.run('runtemplate:list')).to.deep.equal([]);
      await page.getByRole('button', { name: 'Import these 20' }).click();
      await page.getByText('20 templates imported from what you pasted.').waitFor();
      await page.context().close();
    });

  it('A line that cannot be read is named, and is right once it was edited in a pasted crontab', async () => {
    const page = await world.signedIn({ view: '/begin/crontab' });
    await page.getByLabel('Or paste it').fill('61 3 * * * backup');
    await page.getByLabel(/^Company/).fill('Acme');
    await page.getByRole('button', { name: 'Show what would happen' }).click();
    await page.getByRole('alert').filter({ hasText: 'pasted, line 1' }).waitFor();
    await page.getByLabel('Or paste it').fill('59 3 * * * backup');
    await page.getByRole('button', { name: 'Show what would happen' }).click();
    await page.getByRole('button', { name: 'Import it' }).waitFor();
    await page.context().close();
  });

  it('An application definition becomes an app', async () => {
    const page = await world.signedIn({ view: '/begin' });
    await page.getByRole('link', { name: 'Import a calendar' }).waitFor();
    await expectAccessible(page);
    const path = await fileOf('wait.app.json', readExample('app-definitions/wait.app.json'));
    await page.locator('input[type="file"]').setInputFiles(path);
    await page.getByRole('heading', { name: 'Import an application definition' }).waitFor();
    await page.getByRole('button', { name: 'Show what would happen' }).click();
    await page.getByRole('button', { name: 'Import it' }).click();
    await page.getByText('1 app imported from wait.app.json.').waitFor();
    expect(await world.service.run('app:list')).to.have.length(1);
    await page.context().close();
  });

  it('One form makes a job with its company, and says beside a field what is wrong with it', async () => {
    const page = await world.signedIn({ view: '/begin/job', viewport: { width: 390, height: 800 } });
    await page.getByLabel(/^Name/).fill('Night backup');
    await page.getByLabel(/^Command/).fill('echo saved');
    await page.getByLabel(/^Cron/).fill('61 3 * * *');
    await page.getByLabel(/^Company/).fill('Acme');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('alert').waitFor();
    await page.locator('[name="cron"][aria-invalid="true"]:focus').waitFor();
    await page.getByLabel(/^Cron/).fill('0 3 * * *');
    await page.getByText('At 03:00.').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { level: 1, name: 'Night backup' }).waitFor();
    await page.context().close();
  });

  it('A viewer reads that administrators add jobs, and has no button', async () => {
    await world.post('/company', { code: 'acme', name: 'Acme' });
    await world.addUser('vera', 'viewer');
    const page = await world.signedIn({ login: 'vera' });
    await page.getByText('administrators add jobs').waitFor();
    expect(await page.locator('.drop').count()).to.equal(0);
    await page.context().close();
  });
});
