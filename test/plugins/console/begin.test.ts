import { userInfo } from 'node:os';
import { App, AuditLog, Company, RunTemplate, text } from '@horarium/core';
import { importRoute } from '@horarium/core/plugin';
import { expect } from 'chai';
import { importOf } from '#core/plugin/import/file-import';
import { consoleRoutes } from '../../../plugins/console/server/routes.ts';
import { appImporter } from '../../../plugins/import-app-definition/app-importer.ts';
import { crontabRoute } from '../../../plugins/import-crontab/import/crontab-import.ts';
import { readExample } from '../../support/formats/example-files.ts';
import { HttpService } from '../../support/http/http-service.ts';
import { Page } from '../../support/http/page.ts';

const password = 'correct horse stable';
const extraRoutes = [...consoleRoutes, crontabRoute, importRoute(importOf(appImporter))];
const tab = '0 3 * * * /usr/local/bin/backup --all\n*/5 * * * * /bin/false\n';

describe('The ways to begin', () => {
  let service: HttpService;
  let page: Page;

  beforeEach(async () => {
    service = await new HttpService({ sessions: true, extraRoutes }).start();
    Object.assign(service.core.executor, { options: { user: text(32), directory: text(4096) } });
    page = await new Page(service).open();
  });
  afterEach(() => service.stop());

  const rowsOf = () =>
    service.core.store.read(async (tables) => ({
      companies: await tables.of(Company).find({ order: [['id', 'asc']] }),
      apps: await tables.of(App).find(),
      templates: await tables.of(RunTemplate).find({ order: [['id', 'asc']] }),
    }));
  const crontab = (text: string, { name = 'web1', ...options }: Record<string, unknown> = {}) => ({
    files: [{ name, text }],
    company: 'Žlutá & spol.',
    ...options,
  });

  it('import a crontab and make its company, after a dry run that shows the same and changes nothing', async () => {
    const before = await rowsOf();
    const shown = await page.post('/imports/crontab?dry_run=true', crontab(tab));
    expect(shown.status, shown.text).to.equal(200);
    expect(shown.json.rows.map((row: { result: string; runtemplate: string }) => [row.result, row.runtemplate])).to.eql(
      [
        ['added', 'web1-backup'],
        ['added', 'web1-false'],
      ],
    );
    expect(await rowsOf()).to.deep.equal(before);
    const done = await page.post('/imports/crontab', crontab(tab));
    expect(done.json).to.deep.equal(shown.json);
    const { companies, templates } = await rowsOf();
    expect(companies.at(-1)).to.include({ code: 'zluta-spol', name: 'Žlutá & spol.' });
    expect(templates.map(({ company_id, cron }) => [company_id, cron])).to.deep.equal([
      [companies.at(-1)?.id, '0 3 * * *'],
      [companies.at(-1)?.id, '*/5 * * * *'],
    ]);
  });

  it('say of a crontab that its company is new, as whom jobs run whose lines name no user, and in which time zones', async () => {
    const { username: user } = userInfo();
    Object.assign(service.core.executor, { usualUser: () => 'jobs' });
    const notesOf = async (text: string, options = {}) =>
      (await page.post('/imports/crontab', crontab(text, options))).json.notes;
    const zone = `The time zone of the schedules is ${service.core.timezone}, that of the service.`;
    expect(await notesOf('CRON_TZ=Asia/Tokyo\n0 3 * * * /bin/true\n')).to.deep.equal([
      'The company Žlutá & spol. is new.',
      'The jobs run as the user jobs, as all native jobs do.',
      'The time zone of the schedules is Asia/Tokyo, which CRON_TZ names.',
    ]);
    expect(await notesOf(tab, { name: 'web2', user })).to.deep.equal([zone]);
    expect(await notesOf('@reboot /bin/true\n', { name: 'web3', user })).to.deep.equal([]);
  });

  it('follow a crontab that is imported again under its name, and leave those of other names alone', async () => {
    await page.post('/imports/crontab', crontab(tab));
    await page.post('/imports/crontab', crontab('@daily other\n', { name: 'web2' }));
    const { json } = await page.post('/imports/crontab', crontab('0 4 * * * /usr/local/bin/backup --all\n'));
    expect(json.rows.map((row: { result: string }) => row.result)).to.deep.equal(['changed', 'removed']);
    const { companies, templates } = await rowsOf();
    expect(companies).to.have.length(1);
    expect(templates.map(({ cron, active }) => [cron, active])).to.deep.equal([
      ['0 4 * * *', true],
      ['*/5 * * * *', false],
      ['@daily', true],
    ]);
  });

  it('name the line that is wrong, and each wrong option, and import nothing then', async () => {
    const { status, json } = await page.post('/imports/crontab', crontab('0 3 * * * fine\n61 3 * * * wrong\n'));
    expect([status, json.detail]).to.satisfy(
      ([code, detail]: [number, string]) => code === 422 && /web1, line 2: .*\nNothing was changed\.$/s.test(detail),
    );
    const options = await page.post('/imports/crontab', { files: [], user: 7, colour: 'red' });
    expect(options.json.errors.map(({ field }: { field: string }) => field)).to.have.members([
      'files',
      'user',
      'colour',
      'company',
    ]);
    const control = await page.post('/imports/crontab', crontab(tab, { name: 'web1\u0000' }));
    expect(control.json.errors.map(({ field }: { field: string }) => field)).to.deep.equal(['files[0].name']);
    expect((await page.post('/imports/crontab', [])).status).to.equal(400);
    expect((await rowsOf()).templates).to.deep.equal([]);
  });

  it('import application definitions, all of them or none', async () => {
    const file = (name: string) => ({ name, text: readExample(`app-definitions/${name}.app.json`) });
    const broken = await page.post('/imports/app', { files: [file('wait'), { name: 'broken', text: '{' }] });
    expect([broken.status, (await rowsOf()).apps]).to.deep.equal([422, []]);
    const { json } = await page.post('/imports/app', { files: [file('wait'), file('invoices')] });
    expect(json.rows.map((row: { result: string }) => row.result)).to.deep.equal(['created', 'created']);
    expect((await rowsOf()).apps).to.have.length(2);
  });

  it('make one job of a command, in the company that is named or in a new one', async () => {
    const job = { name: 'Backup', command: 'backup "$HOME"', cron: '0 3 * * *', company: 'Acme Inc.' };
    const made = await page.post('/console/job', job);
    expect([made.status, made.json.id], made.text).to.deep.equal([200, 1]);
    await page.post('/console/job', { ...job, company: 'acme-inc', timezone: 'Asia/Tokyo' });
    const { companies, apps, templates } = await rowsOf();
    expect(companies.map(({ code }) => code)).to.deep.equal(['acme-inc']);
    expect(apps[0]).to.deep.include({ executable: '/bin/sh', arguments: ['-c', 'backup "$HOME"'] });
    expect(templates.map(({ timezone }) => timezone)).to.deep.equal([service.core.timezone, 'Asia/Tokyo']);
    const refused = await page.post('/console/job', { ...job, cron: 'at noon', company: 'Nowhere' });
    expect([refused.status, refused.json.errors[0].field]).to.deep.equal([422, 'cron']);
    expect((await rowsOf()).companies).to.have.length(1);
  });

  it('fill an empty store with the demonstration, and no other', async () => {
    expect((await page.post('/console/demo', {})).status).to.equal(204);
    expect((await rowsOf()).templates.length).to.be.greaterThan(4);
    expect((await page.post('/console/demo', {})).status).to.equal(409);
  });

  it('are closed to those who may not write what they make, and say nothing of companies that they may not see', async () => {
    await page.post('/console/job', { name: 'Backup', command: 'backup', cron: '@daily', company: 'Acme Inc.' });
    await page.post('/console/job', { name: 'Secret', command: 'backup', cron: '@daily', company: 'Globex' });
    const { companies } = await rowsOf();
    const acme = companies.find(({ code }) => code === 'acme-inc')?.id as number;
    const memberOf = async (login: string, role: string) => {
      const user_id = await service.core.addUser(login, password, 'user');
      await service.requestAsAdmin(`/company/${acme}/user`, { method: 'POST', body: { user_id, role } });
      const own = new Page(service);
      await own.signIn(login, password);
      return own;
    };
    const audited = () => service.core.store.read((tables) => tables.of(AuditLog).count([], 1000));
    const [viewer, manager] = [await memberOf('vera', 'viewer'), await memberOf('max', 'manager')];
    const before = await audited();
    for (const company of ['Acme Inc.', 'Globex', 'Nowhere']) {
      expect((await viewer.post('/imports/crontab', crontab(tab, { company }))).status).to.equal(403);
      expect((await viewer.post('/console/job', { name: 'x', command: 'x', cron: '@daily', company })).status).to.equal(
        403,
      );
    }
    const [known, unknown] = await Promise.all(
      ['Globex', 'Nowhere'].map((company) => manager.post('/imports/crontab', crontab(tab, { company }))),
    );
    expect(known?.json.detail).to.equal(unknown?.json.detail);
    expect((await manager.post('/console/demo', {})).status).to.equal(403);
    expect(await audited()).to.equal(before);
    // The same line in a crontab of another company is no news for a manager of this one.
    await page.post('/imports/crontab', crontab(tab, { company: 'Globex', name: 'theirs' }));
    const dryRun = (by: Page) => by.post('/imports/crontab?dry_run=true', crontab(tab, { company: 'Acme Inc.' }));
    expect((await dryRun(page)).text).to.include('theirs');
    expect((await dryRun(manager)).text).to.not.include('theirs');
  });

  it('are described to pages with the fields of their options', async () => {
    const { json } = await page.request('/console/model');
    expect(json.imports.map(({ name }: { name: string }) => name)).to.have.members(['crontab', 'app']);
    const [{ fields }] = json.imports.filter(({ name }: { name: string }) => name === 'crontab');
    expect(fields[0]).to.include({ name: 'company', type: 'text', required: true });
    expect(json.job_fields.map(({ name }: { name: string }) => name)).to.include('command');
  });
});
