import { expect } from 'chai';
import {
  ConsoleWorld,
  describeInBrowser,
  expectAccessible,
  password,
  signIn,
  viewports,
} from '../support/browser/console-world.ts';
import { follow } from '../support/browser/screen-walk.ts';

/** A name as an attacker chooses it: markup, quotes, and a mark that turns the direction of the text. */
const planted = `<script>document.title='taken'</script>"'\u202Etxt`;

describeInBrowser('Records in the console:', () => {
  let world: ConsoleWorld;
  before(async () => {
    world = await ConsoleWorld.create();
    const { service } = world;
    await service.run('app:save', '--code', 'backup', '--name', 'Backup', '--executable', '/bin/true');
    await service.run('company:save', '--code', 'globex', '--name', 'Globex');
    await world.addUser('vera', 'viewer', { 1: 'viewer' });
    await world.addUser('max', 'user', { 1: 'manager' });
  });
  after(() => world[Symbol.asyncDispose]());

  it('A form names what is wrong beside its field, and saves once it is right', async () => {
    const page = await world.signedIn({ view: '/templates/new' });
    await page.getByLabel(/^Name/).fill(planted);
    await page.getByLabel(/^App/).selectOption({ label: 'Backup' });
    await page
      .getByRole('main')
      .getByLabel(/^Company/)
      .selectOption({ label: 'Acme' });
    await page.getByLabel(/^Interval/).selectOption('custom');
    await page.getByLabel(/^Cron/).fill('61 2 * * *');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByText('One field is not right.').waitFor();
    expect(await page.getByLabel(/^Cron/).getAttribute('aria-invalid')).to.equal('true');
    await page.getByLabel(/^Cron/).fill('0 2 * * *');
    await page.getByText('At 02:00.').waitFor();
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { level: 1, name: planted }).waitFor();
    expect(await page.title()).to.not.equal('taken');
    await page.context().close();
  });

  it('Two people who change one record see both changes side by side, and overwrite nothing unseen', async () => {
    const page = await world.signedIn({ view: '/manage/companies/2' });
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel(/^Name/).fill('Globex of one');
    await page.getByLabel(/^Code/).fill('globex-1');
    await world.service.run('company:save', '--id', '2', '--name', 'Globex of another', '--email', 'other@example.com');
    await page.getByRole('button', { name: 'Save 2 changes' }).click();
    const conflict = page.getByRole('alert').filter({ hasText: 'It was changed meanwhile' });
    expect(await conflict.textContent())
      .to.include('Globex of another')
      .and.to.include('Globex of one');
    await conflict.getByLabel('Globex of one').check();
    await conflict.getByRole('button', { name: 'Go on with these' }).click();
    await page.getByRole('button', { name: 'Save 2 changes' }).click();
    await page.getByRole('heading', { level: 1, name: 'Globex of one' }).waitFor();
    const saved = await world.service.run('company:get', '2');
    expect(saved).to.include({ name: 'Globex of one', code: 'globex-1', email: 'other@example.com' });
    await page.context().close();
  });

  it('A session that ends while a form is open is begun again over it, and what was typed is saved', async () => {
    const page = await world.signedIn({ view: '/manage/apps/1' });
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel(/^Name/).fill('Backup of everything');
    await page.context().clearCookies();
    await page.getByRole('button', { name: 'Save 1 change' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Your session has ended').waitFor();
    await dialog.getByLabel('Password').fill(password);
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    expect(await page.getByLabel(/^Name/).inputValue()).to.equal('Backup of everything');
    await page.getByRole('button', { name: 'Save 1 change' }).click();
    await page.getByRole('heading', { level: 1, name: 'Backup of everything' }).waitFor();
    await page.context().close();
  });

  it('The command is changed in the field that the page of its template leads to, which the form of the App begins with', async () => {
    const id = await world.service.addTemplate('Heartbeat', ['-c', 'echo heartbeat'], { interval: 'none' });
    const page = await world.signedIn({ view: `/templates/${id}` });
    await page.getByRole('link', { name: 'Change the command' }).click();
    const line = page.locator('input:focus');
    await line.waitFor();
    expect(await line.inputValue()).to.equal('echo heartbeat');
    expect((await line.boundingBox())?.y).to.be.within(60, 660);
    const names = await page.locator('.form-field > label > span:first-child').allTextContents();
    expect(names.slice(0, 4)).to.deep.equal(['Name', 'Executable', 'Arguments', 'UUID']);
    await line.fill('echo "two words"');
    await page.keyboard.press('Enter');
    await page.locator('dd', { hasText: `-c 'echo "two words"'` }).waitFor();
    expect(new URL(page.url()).search).to.equal('');
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByText(/^\d+ more fields$/).click();
    await page.getByText('Fewer fields', { exact: true }).click();
    await page.getByText(/^\d+ more fields$/).waitFor();
    await page.goto(`${page.url().replace(/\?.*/, '')}?edit=1&field=oci_image`);
    await page.locator('input[name="oci_image"]:focus').waitFor();
    await page.context().close();
  });

  it('A form speaks of templates and runs, and names a choice as its input does', async () => {
    const page = await world.signedIn({ view: '/manage/pauses/new' });
    await page.getByLabel(/^Template/).waitFor();
    await page.getByLabel(/^Windows that pass meanwhile/).selectOption({ label: 'all run afterwards' });
    expect(await page.getByRole('main').textContent()).to.not.match(/Task|run ?template|null =/i);
    await page.goto(`${world.url}/templates/new`);
    await page.getByText('Required with the interval “by a cron pattern”').waitFor();
    expect(await page.getByRole('main').textContent()).to.not.match(/Task|run ?template|null =/i);
    await page.context().close();
  });

  it('A save whose response is lost is sent again, and done once', async () => {
    const page = await world.signedIn({ view: '/manage/topics/new' });
    const statuses: number[] = [];
    await page.route('**/console/api/topic', async (route) => {
      const response = await route.fetch();
      statuses.push(response.status());
      if (statuses.length === 1) await route.abort();
      else await route.fulfill({ response });
    });
    await page.getByLabel(/^Name/).fill('Lost and found');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { level: 1, name: 'Lost and found' }).waitFor();
    expect(statuses).to.deep.equal([201, 201]);
    expect(await world.service.run('topic:list')).to.have.length(1);
    await page.context().close();
  });

  it('A change that is made elsewhere appears without a reload, and moves nothing under the pointer', async () => {
    const page = await world.signedIn({ view: '/manage/companies' });
    await page.getByRole('link', { name: 'acme' }).waitFor();
    await page.mouse.move(0, 0);
    await world.service.run('company:save', '--code', 'initech', '--name', 'Initech');
    await page.getByRole('link', { name: 'initech' }).hover();
    await world.service.run('company:save', '--code', 'hooli', '--name', 'Hooli');
    const button = page.getByRole('button', { name: /changes?: show/ });
    await button.waitFor();
    expect(await page.getByRole('link', { name: 'hooli' }).count()).to.equal(0);
    await button.click();
    await page.getByRole('link', { name: 'hooli' }).waitFor();
    await page.context().close();
  });

  it('A deletion says what goes with the record, and does nothing when it is closed', async () => {
    const page = await world.signedIn({ view: '/manage/companies/1' });
    await page.getByRole('button', { name: 'Delete' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('would delete Company 1').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(await world.service.run('company:get', '1')).to.include({ name: 'Acme' });
    await page.context().close();
  });

  it('A viewer sees no buttons that change something, and a manager those of the own company alone', async () => {
    const viewer = await world.signedIn({ login: 'vera', view: '/templates/1' });
    await viewer.getByRole('heading', { level: 1, name: planted }).waitFor();
    await viewer.getByText('Next windows').waitFor();
    for (const name of ['Run now', 'Pause', 'Edit', 'Deactivate'])
      expect(await viewer.getByRole('button', { name }).count(), name).to.equal(0);
    await viewer.getByRole('link', { name: 'Templates' }).first().click();
    await viewer.getByRole('link', { name: planted }).waitFor();
    expect(await viewer.getByRole('link', { name: 'New template' }).count()).to.equal(0);
    expect(await viewer.getByRole('main').getByRole('checkbox').count()).to.equal(0);
    for (const view of ['/templates/new', '/templates/1/edit', '/manage/companies/new']) {
      await viewer.goto(world.url + view);
      await viewer.getByText('You may not change this.').waitFor();
      expect(await viewer.getByRole('main').getByRole('textbox').count(), view).to.equal(0);
    }
    await viewer.goto(`${world.url}/begin/crontab`);
    await viewer.getByText('administrators add jobs').waitFor();
    expect(await viewer.getByRole('main').getByRole('textbox').count()).to.equal(0);
    await viewer.context().close();
    const manager = await world.signedIn({ login: 'max', view: '/manage/companies' });
    await manager.getByRole('link', { name: 'acme' }).waitFor();
    expect(await manager.getByRole('link', { name: 'globex' }).count()).to.equal(0);
    await manager.getByRole('link', { name: 'Templates' }).first().click();
    await manager.getByRole('link', { name: 'New template' }).waitFor();
    expect(await manager.getByRole('link', { name: 'Import' }).count()).to.equal(0);
    await manager.context().close();
  });

  it('A viewer of one company reads nothing of an App, which only its id could name', async () => {
    await world.addUser('iva', null, { 1: 'viewer' });
    const page = await world.signedIn({ login: 'iva', view: '/templates/1' });
    await page.getByText('Executor').waitFor();
    expect(await page.getByRole('main').textContent()).to.not.match(/app 1/i);
    await page.context().close();
  });

  it('A secret is never shown, and stays when another value is saved', async () => {
    await world.service.run(
      'credential_type:save',
      ...['--code', 'db', '--name', 'Database'],
      ...[
        '--fields',
        JSON.stringify([
          { keyword: 'DB_PASSWORD', type: 'password' },
          { keyword: 'DB_USER', type: 'string' },
        ]),
      ],
    );
    await world.service.run(
      'credential:save',
      ...['--name', 'Shop', '--company-id', '1', '--credential-type-id', '1'],
      ...['--values', JSON.stringify({ DB_PASSWORD: 'open-sesame', DB_USER: 'shop' })],
    );
    const page = await world.signedIn({ view: '/manage/credentials/1' });
    await page.getByRole('button', { name: 'Edit' }).click();
    const field = page.locator('input[type=password]');
    expect(await field.inputValue()).to.equal('');
    await page.getByRole('textbox', { name: 'DB_USER' }).fill('shop2');
    await page.getByRole('button', { name: 'Save 1 change' }).click();
    await page.getByRole('button', { name: 'Edit' }).waitFor();
    expect(await page.content()).to.not.include('open-sesame');
    expect((await world.service.run('credential:get', '1')).values).to.deep.equal({
      DB_PASSWORD: '••••••••',
      DB_USER: 'shop2',
    });
    await page.context().close();
  });

  it('The search finds a record by its name, and Enter opens it', async () => {
    const page = await world.signedIn();
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.keyboard.press('/');
    await page.getByLabel('Search everything').fill('acm');
    await page.getByRole('listbox').getByRole('option', { name: 'Acme' }).first().waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/manage\/companies\/1$/);
    await page.context().close();
  });

  for (const viewport of viewports)
    it(`The pages of records are accessible (${viewport.width} px)`, async () => {
      const page = await world.open({ viewport, view: '/manage' });
      await signIn(page, 'admin');
      await page.getByRole('link', { name: 'Credentials' }).waitFor();
      await expectAccessible(page);
      for (const [view, ready] of [
        ['/manage/companies', 'acme'],
        ['/manage/companies/1', 'Edit'],
        ['/templates/new', 'more fields'],
        ['/templates', 'New template'],
        ['/templates/1', 'Next windows'],
      ] as const) {
        await follow(page, view);
        await page.getByRole('main').getByText(ready).first().waitFor();
        await expectAccessible(page);
      }
      await page.context().close();
    });
});
