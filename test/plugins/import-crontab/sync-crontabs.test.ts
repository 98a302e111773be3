import { RunTemplate } from '@horarium/core';
import { expect } from 'chai';
import { readCrontabs } from '../../../plugins/import-crontab/lines/read-crontabs.ts';
import { readExample, realFiles } from '../../support/formats/example-files.ts';
import { rejectionOf } from '../../support/mocha/rejection-of.ts';
import { actor, CrontabWorld, crontabFile, readOptions } from './crontab-world.ts';

describe('A sync of crontabs', () => {
  let world: CrontabWorld;
  beforeEach(async () => {
    world = await CrontabWorld.open();
  });

  for (const { name, text: crontab } of [
    { name: 'the example', text: readExample('crontabs/system') },
    ...realFiles('crontabs'),
  ])
    it(`changes nothing when ${name} is synced again`, async () => {
      await world.sync(crontab, { system: true });
      const before = await world.audit();
      const again = await world.sync(`# moved by a line\n${crontab}`, { system: true });
      expect(before).to.have.length.greaterThan(2);
      expect(await world.audit()).to.deep.equal(before);
      expect(again.filter((change) => !change.startsWith('unchanged'))).to.deep.equal([]);
    });

  it('gives templates codes that people can read', async () => {
    const changes = await world.sync('0 3 * * * /usr/bin/backup\n0 4 * * * /usr/bin/backup --all\n@daily tab\n');
    expect(changes).to.deep.equal(['added tab-backup', 'added tab-backup-2', 'added tab']);
  });

  it('keeps the template and the App of an edited line, with all that was set by hand', async () => {
    await world.sync('0 3 * * * backup\n0 4 * * * rotate\n');
    await world.core
      .records('RunTemplate')
      .save(actor, { max_attempts: 5, executor_options: { user: 'jana' } }, { id: 1 });
    const changes = await world.sync('FOO=bar\n0 5 * * * backup --all\n0 4 * * * rotate\n');
    expect(changes).to.deep.equal(['changed tab-backup', 'changed tab-rotate']);
    const [template] = await world.templates();
    expect(template).to.deep.include({ id: 1, cron: '0 5 * * *', max_attempts: 5, environment: { FOO: 'bar' } });
    expect((await world.apps()).map(({ id, arguments: args }) => [id, args.at(-1)])).to.deep.equal([
      [1, 'backup --all'],
      [2, 'rotate'],
    ]);
    await world.sync('0 5 * * * backup --all\n0 4 * * * rotate\n');
    expect((await world.templates())[0]?.environment).to.deep.equal({});
  });

  it('names the first line that cannot be saved, and writes none of the others', async () => {
    const lines = ['0 3 * * * backup', `HOME=/${'h'.repeat(4096)}`, '0 4 * * * rotate', '0 5 * * * clean'];
    const error = await rejectionOf(world.sync(`${lines.join('\n')}\n`));
    expect(error.message).to.match(/^tab, line 3: /);
    expect([await world.templates(), await world.apps()]).to.deep.equal([[], []]);
  });

  it('activates no more templates than a company may have, and writes none then', async () => {
    world = await CrontabWorld.open({ maxTemplates: 2 });
    const tooMany = world.sync('0 3 * * * backup\n0 4 * * * rotate\n0 5 * * * clean\n');
    expect(await rejectionOf(tooMany)).to.include({ code: 'conflict' });
    expect(await world.templates()).to.deep.equal([]);
    expect(await world.sync('0 3 * * * backup\n0 4 * * * rotate\n')).to.have.length(2);
  });

  it('switches off the templates of removed lines, and on again when they return', async () => {
    await world.sync('0 3 * * * backup\n0 4 * * * rotate\n');
    expect(await world.sync('0 4 * * * rotate\n')).to.deep.equal(['unchanged tab-rotate', 'removed tab-backup']);
    expect(await world.active()).to.deep.equal(['rotate']);
    expect(await world.sync('# nothing left\n')).to.deep.equal(['removed tab-rotate']);
    expect(await world.sync('# nothing left\n')).to.deep.equal([]);
    expect(await world.sync('0 3 * * * backup\n')).to.deep.equal(['restored tab-backup']);
    expect(await world.active()).to.deep.equal(['backup']);
  });

  it('leaves a template switched off that a person has switched off', async () => {
    await world.sync('0 3 * * * backup\n');
    await world.core.records('RunTemplate').save(actor, { active: false }, { id: 1 });
    expect(await world.sync('0 3 * * * backup\n')).to.deep.equal(['unchanged tab-backup']);
    expect(await world.sync('0 4 * * * backup\n')).to.deep.equal(['changed tab-backup']);
    expect(await world.active()).to.deep.equal([]);
  });

  it('takes back what was changed by hand of times and command', async () => {
    await world.sync('0 3 * * * backup\n');
    await world.core.records('RunTemplate').save(actor, { cron: '0 9 * * *' }, { id: 1 });
    expect(await world.sync('0 3 * * * backup\n')).to.deep.equal(['changed tab-backup']);
    expect((await world.templates())[0]).to.have.property('cron', '0 3 * * *');
  });

  it('goes on with the template that an earlier version imported, under its code', async () => {
    const { core } = world;
    const code = 'cron-6d5095cfc4ce210077caa94b2994391f-9db2020f62d4';
    const run = {
      executable: '/usr/bin/env',
      arguments: ['SHELL=/bin/bash', '/bin/bash', '-c', 'cat a'],
      stdin: 'b\n',
    };
    await core.records('App').save(actor, { name: 'shop: cat a', environment: { MAILTO: { type: 'text' } }, ...run });
    const fields = {
      name: 'shop: cat a (5 4 * * sun)',
      code,
      company_id: 1,
      app_id: 1,
      note: 'Imported from the crontab “shop”.',
    };
    await core
      .records('RunTemplate')
      .save(actor, { ...fields, interval: 'custom', cron: '5 4 * * sun', timezone: 'Asia/Tokyo' });
    const crontab = 'SHELL=/bin/bash\nCRON_TZ=Asia/Tokyo\nMAILTO=""\n5 4 * * sun web cat a%b\n';
    const shop = { file: 'shop', system: true };
    expect(await world.sync(crontab, shop)).to.deep.equal([`changed ${code}`]);
    expect(await world.sync(crontab, shop)).to.deep.equal([`unchanged ${code}`]);
    expect(await world.sync(crontab.replace('5 4', '6 4'), shop)).to.deep.equal([`changed ${code}`]);
    expect((await world.templates())[0]).to.deep.include({ id: 1, cron: '6 4 * * sun', app_id: 1 });
  });

  it('keeps the time zone that a sync has named, for later lines and those that return too', async () => {
    await world.sync('0 3 * * * backup\n', { timezone: 'Asia/Tokyo' });
    expect(await world.sync('0 3 * * * backup\n')).to.deep.equal(['unchanged tab-backup']);
    await world.sync('# none\n');
    expect(await world.sync('0 3 * * * backup\n0 4 * * * later\n')).to.deep.equal([
      'restored tab-backup',
      'added tab-later',
    ]);
    expect((await world.templates()).map(({ timezone }) => timezone)).to.deep.equal(['Asia/Tokyo', 'Asia/Tokyo']);
    await world.sync('0 3 * * * backup\n');
    expect(await world.sync('0 3 * * * backup\n', { timezone: 'Europe/Prague' })).to.deep.equal(['changed tab-backup']);
    expect((await world.templates())[0]).to.have.property('timezone', 'Europe/Prague');
  });

  it('runs lines by the zone of the machine that runs their crontab, also when that is taken over after a sync', async () => {
    const zone = async () => (await world.templates())[0]?.timezone;
    const machineTimezone = 'Asia/Tokyo';
    await world.sync('0 3 * * * backup\n', { machineTimezone });
    expect(await zone()).to.equal('Asia/Tokyo');
    await world.sync('0 3 * * * backup\n', { machineTimezone, timezone: 'Europe/Prague' });
    await world.sync('0 3 * * * backup\n', { machineTimezone });
    expect(await zone()).to.equal('Europe/Prague');
    await world.sync('0 3 * * * backup\n', { machineTimezone, isTakenOver: true });
    expect(await zone()).to.equal('Asia/Tokyo');
  });

  it('takes the time zone back that CRON_TZ has set, and that was set by hand', async () => {
    await world.sync('CRON_TZ=America/New_York\n0 3 * * * backup\n');
    expect(await world.sync('0 3 * * * backup\n')).to.deep.equal(['changed tab-backup']);
    expect((await world.templates())[0]).to.have.property('timezone', world.core.timezone);
    await world.core.records('RunTemplate').save(actor, { timezone: 'Asia/Tokyo' }, { id: 1 });
    expect(await world.sync('0 3 * * * backup\n')).to.deep.equal(['changed tab-backup']);
    expect((await world.templates())[0]).to.have.property('timezone', world.core.timezone);
  });

  it('leaves templates of other files and companies, and those made by hand, unchanged', async () => {
    await world.core.records('Company').save(actor, { code: 'other', name: 'Other' });
    await world.sync('0 3 * * * backup\n', { file: 'another' });
    await world.sync('0 3 * * * backup\n', { company: 'other' });
    const manual = { name: 'by hand', code: 'hand', app_id: 1, company_id: 1, interval: 'daily' };
    await world.core.records('RunTemplate').save(actor, manual);
    await world.sync('0 9 * * * x\n');
    expect(await world.sync('# nothing left\n')).to.deep.equal(['removed tab-x']);
    expect(await world.active()).to.have.lengthOf(3);
  });

  it('names lines by their commands, keeps names that a person has chosen, and renews its own', async () => {
    await world.sync('0 3 * * * backup\n0 4 * * * rotate\n');
    expect(await names()).to.deep.equal([
      ['backup', 'rotate'],
      ['backup', 'rotate'],
    ]);
    await world.core.records('RunTemplate').save(actor, { name: 'Night' }, { id: 1 });
    await world.sync('0 5 * * * backup --all\n0 5 * * * rotate  x\n');
    expect(await names()).to.deep.equal([
      ['Night', 'rotate x'],
      ['backup --all', 'rotate x'],
    ]);
  });

  it('names lines with the same command by what tells them apart: their schedule, their file or a number', async () => {
    await world.sync('0 3 * * * backup\n0 4 * * * backup\n0 5 * * * rotate\n');
    await world.sync('0 5 * * * rotate\n0 6 * * * rotate\n', { file: 'other' });
    await world.core.records('Company').save(actor, { code: 'another', name: 'Another' });
    await world.sync('0 5 * * * rotate\n', { file: 'other', company: 'another' });
    await world.sync('0 7 * * * list\n0 7 * * * list\n', { file: 'lists' });
    expect((await names())[0]).to.deep.equal([
      ...['backup (0 3 * * *)', 'backup (0 4 * * *)', 'rotate', 'rotate (other)', 'rotate (0 6 * * *)', 'rotate'],
      ...['list', 'list (2)'],
    ]);
    await world.sync('0 3 * * * backup\n30 4 * * * backup\n0 5 * * * rotate\n');
    expect((await names())[0]?.slice(0, 3)).to.deep.equal(['backup (0 3 * * *)', 'backup (30 4 * * *)', 'rotate']);
  });

  it('leaves the names of an earlier version as they are, until what they name changes', async () => {
    await world.sync('0 3 * * * backup\n0 4 * * * rotate\n');
    for (const [index, name] of ['backup', 'rotate'].entries()) {
      const former = { name: `tab: ${name} (0 ${3 + index} * * *)` };
      await world.core.records('RunTemplate').save(actor, former, { id: index + 1 });
      await world.core.records('App').save(actor, { name: `tab: ${name}` }, { id: index + 1 });
    }
    await world.sync('# moved\n0 3 * * * backup\nA=1\n0 4 * * * rotate\n');
    expect(await names()).to.deep.equal([
      ['tab: backup (0 3 * * *)', 'tab: rotate (0 4 * * *)'],
      ['tab: backup', 'tab: rotate'],
    ]);
    await world.sync('0 3 * * * backup --all\nA=1\n0 5 * * * rotate\n');
    expect(await names()).to.deep.equal([
      ['backup --all', 'rotate'],
      ['backup --all', 'tab: rotate'],
    ]);
  });

  const names = async () => [
    (await world.templates()).map(({ name }) => name),
    (await world.apps()).map(({ name }) => name),
  ];

  it('lets jobs run in the HOME of their user, and takes back where else they were let run', async () => {
    await world.sync('0 3 * * * backup\n');
    await world.core.records('RunTemplate').save(actor, { executor_options: { directory: '/srv' } }, { id: 1 });
    expect(await world.sync('0 3 * * * backup\n')).to.deep.equal(['changed tab-backup']);
    expect((await world.templates())[0]?.executor_options).to.have.property('directory', '~');
    expect(await world.sync('0 3 * * * backup\n')).to.deep.equal(['unchanged tab-backup']);
  });

  it('mails failures to whom MAILTO names, and leaves the other actions as they are, with their secrets', async () => {
    const told = async () =>
      (await world.templates())[0]?.on_failure.map(({ action, ...options }) => [action, options['to']]);
    await world.sync('MAILTO="ops@example.com,dev@example.com"\n0 3 * * * backup\n');
    expect(await told()).to.deep.equal([['email', 'ops@example.com, dev@example.com']]);
    const shown = (await world.core.forChannels.serialize(RunTemplate, await world.templates(), 'item')) as {
      on_failure?: object[];
    }[];
    const hook = { action: 'hook', token: 'a secret that is kept' };
    const on_failure = [hook, ...(shown[0]?.on_failure ?? []), { action: 'email', to: 'jana@example.com' }];
    await world.core.records('RunTemplate').save(actor, { on_failure } as object, { id: 1 });
    const [before] = await world.templates();
    expect(await world.sync('MAILTO=new@example.com\n0 3 * * * backup\n')).to.deep.equal(['changed tab-backup']);
    expect(await told()).to.deep.equal([
      ['hook', undefined],
      ['email', 'jana@example.com'],
      ['email', 'new@example.com'],
    ]);
    expect((await world.templates())[0]?.on_failure[0]).to.deep.equal(before?.on_failure[0]);
    await world.sync('MAILTO=""\n0 3 * * * backup\n');
    expect((await told())?.map(([, to]) => to)).to.deep.equal([undefined, 'jana@example.com']);
  });

  it('names what cron does and the service does not: mail to mailboxes of the machine, users that it lacks', () => {
    const crontab = 'MAILTO=root\n0 3 * * * nobody-of-that-name /usr/bin/backup\n0 4 * * * root x\n';
    const read = (text: string, mailRefusal: string | null) =>
      readCrontabs([crontabFile(text, { system: true })], { ...readOptions, mailRefusal }).notes;
    expect(read(crontab, null)).to.deep.equal([
      'tab: MAILTO=root sends no mail, because it is no address; write one, such as root@example.com.',
      'tab: this machine has no user nobody-of-that-name; its jobs fail unless the machine of their worker has one.',
    ]);
    expect(read('MAILTO=a@example.com\n@daily root x\n', 'no loaded plugin provides it')).to.deep.equal([
      'tab: MAILTO=a@example.com sends no mail: no loaded plugin provides it.',
    ]);
  });

  describe('with @reboot', () => {
    it('lets a line run once after each boot of its machine, and not after the one before it was taken over', async () => {
      await world.sync('@reboot up\n0 3 * * * backup\n');
      expect((await world.templates())[0]).to.include({ interval: 'none', cron: null, name: 'up' });
      await world.startAfter('first');
      expect(await world.jobs()).to.deep.equal([]);
      await world.startAfter('second', 'web2');
      expect(await world.jobs()).to.deep.equal([]);
      await Promise.all([world.startAfter('second'), world.startAfter('second')]);
      await world.startAfter('second');
      expect(await world.jobs()).to.deep.equal([1]);
      await world.sync('@reboot up\n0 4 * * * backup\n', { boot: 'second' });
      await world.startAfter('second');
      expect(await world.jobs()).to.deep.equal([1]);
    });

    it('runs no line that is removed, and one that comes back after the next boot only', async () => {
      await world.sync('@reboot up\n');
      await world.sync('# nothing\n');
      await world.startAfter('second');
      await world.sync('@reboot up\n', { boot: 'second' });
      await world.startAfter('second');
      expect(await world.jobs()).to.deep.equal([]);
      await world.startAfter('third');
      expect(await world.jobs()).to.deep.equal([1]);
    });

    it('lets a line wait that may not run, and says why', async () => {
      await world.sync('@reboot up\n');
      await world.core.records('Company').save(actor, { enabled: false }, { id: 1 });
      expect([...(await world.startAfter('second')).keys()]).to.deep.equal([1]);
      expect(await world.jobs()).to.deep.equal([]);
      await world.core.records('Company').save(actor, { enabled: true }, { id: 1 });
      expect(await world.startAfter('second')).to.have.property('size', 0);
      expect(await world.jobs()).to.deep.equal([1]);
    });

    it('keeps the template of a line that gets times in place of @reboot, and the other way', async () => {
      await world.sync('@reboot up\n');
      expect(await world.sync('0 3 * * * up\n')).to.deep.equal(['changed tab-up']);
      await world.startAfter('second');
      expect(await world.jobs()).to.deep.equal([]);
      expect(await world.sync('@reboot up\n', { boot: 'second' })).to.deep.equal(['changed tab-up']);
      await world.startAfter('third');
      expect(await world.jobs()).to.deep.equal([1]);
    });
  });

  it('gives an edited line an App of its own where another template runs the same one', async () => {
    await world.sync('0 3 * * * backup\n');
    const manual = { name: 'by hand', code: 'hand', app_id: 1, company_id: 1, interval: 'daily' };
    await world.core.records('RunTemplate').save(actor, manual);
    await world.sync('0 3 * * * backup --all\n');
    expect((await world.templates()).map(({ app_id }) => app_id)).to.deep.equal([2, 1]);
    expect((await world.apps())[0]?.arguments.at(-1)).to.equal('backup');
  });
});
