import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { TestCli } from '../../support/program/test-cli.ts';

const units = `# /usr/lib/systemd/system/backup.timer
[Unit]
Description=Nightly backup

[Timer]
OnCalendar=*-*-* 02:30:00
OnCalendar=Sat 12:00
RandomizedDelaySec=5min
Persistent=true

[Install]
WantedBy=timers.target

# /usr/lib/systemd/system/backup.service
[Unit]
ConditionACPower=true

[Service]
Type=oneshot
User=nobody
WorkingDirectory=/srv
Environment=LEVEL=9 "NAME=the shop"
TimeoutStartSec=1h
Nice=10
ExecStartPre=-/usr/bin/sync-clock
ExecStart=/usr/bin/backup --name "\${NAME}"
`;

describe('timer:sync', () => {
  let cli: TestCli;
  before(async () => {
    cli = new TestCli();
    await cli.command('migrate');
    await cli.command('company:save --code acme --name Acme');
  });
  after(() => cli[Symbol.dispose]());

  const sync = async (text: string, more = '') => {
    writeFileSync(join(cli.folder, 'units'), text);
    const { code, out, err } = await cli.command(
      `timer:sync units --company acme --machine web1 --format json ${more}`.trim(),
    );
    const rows: Readonly<Record<string, unknown>>[] = code === 0 ? JSON.parse(out) : [];
    return { code, rows, notes: err.split('\n').slice(0, -1) };
  };

  it('makes a run template of each OnCalendar, with the user, directory, variables and limits of the service', async () => {
    const { rows, notes } = await sync(units);
    expect(rows.map(({ result, schedule, user, runtemplate }) => [result, schedule, user, runtemplate])).to.deep.equal([
      ['added', '*-*-* 02:30:00', 'nobody', 'backup'],
      ['added', 'Sat 12:00', 'nobody', 'backup-2'],
    ]);
    expect(notes).to.deep.equal([
      'backup.timer: each of its 2 OnCalendar has a run template of its own; they may run beside each other.',
      'backup.service: ConditionACPower, Nice have no effect here.',
      '2 added.',
      'systemd still runs them until you stop that: systemctl disable --now backup.timer',
    ]);
    const { json } = await cli.command('runtemplate:get backup-2 --format json');
    expect(json).to.deep.include({
      interval: 'custom',
      cron: '0 12 * * 6',
      jitter: 300,
      catch_up: 'latest',
      timeout: 3600,
      executor_options: { user: 'nobody', directory: '/srv' },
      environment: { LEVEL: '9' },
      crontab: 'web1:backup.timer',
    });
    const app = (await cli.command(`app:get ${json.app_id} --format json`)).json;
    expect(app.arguments.slice(-4)).to.deep.equal([
      'NAME=the shop',
      '/bin/sh',
      '-c',
      '{ /usr/bin/sync-clock; true; } && /usr/bin/backup --name "${NAME}"',
    ]);
  });

  it('runs timers of this machine by its time zone, as systemd does', async () => {
    writeFileSync(join(cli.folder, 'local'), units.replaceAll('backup.', 'local.'));
    await cli.command('timer:sync local --company acme', { timezone: 'Asia/Tokyo' });
    const zoneOf = async (code: string) =>
      (await cli.command(`runtemplate:get ${code} --format json`)).json.timezone as string;
    expect([await zoneOf('local'), await zoneOf('backup')]).to.deep.equal(['Asia/Tokyo', 'Europe/Prague']);
  });

  it('follows edits, and changes nothing the second time', async () => {
    expect((await sync(units)).notes).to.include('2 unchanged.');
    const edited = await sync(units.replace('02:30', '03:45').replace('OnCalendar=Sat 12:00\n', ''));
    expect(edited.rows.map(({ result, runtemplate }) => [result, runtemplate])).to.deep.equal([
      ['changed', 'backup'],
      ['removed', 'backup-2'],
    ]);
  });

  it('runs what is to run after a boot once the service starts', async () => {
    const { rows, notes } = await sync(
      units.replace(/OnCalendar=.*\n/g, '').replace('Persistent', 'OnBootSec=15min\nPersistent'),
    );
    expect(rows[0]).to.include({ schedule: '@reboot', result: 'changed' });
    expect(notes).to.include(
      'backup.timer: it runs as soon as the service starts after a boot, and does not wait for OnBootSec.',
    );
  });

  it('names everything that it cannot run, and changes nothing', async () => {
    const wrong = units
      .replace('OnCalendar=Sat 12:00', 'OnCalendar=*-*~1\nOnUnitActiveSec=5min')
      .replace('--name', '--home %h --name');
    expect(await sync(wrong)).to.deep.include({
      code: 1,
      notes: [
        'backup.timer: OnUnitActiveSec counts from when it ran before; give it OnCalendar instead.',
        'backup.service: the specifier %h is not known here.',
        'backup.timer: “*-*~1” counts days from the end of the month, which no pattern says here.',
        'Nothing was changed.',
      ],
    });
    expect((await sync(units.slice(0, units.indexOf('# /usr/lib/systemd/system/backup.service')))).notes[0]).to.equal(
      'backup.timer: its unit backup.service is missing; add it to systemctl cat.',
    );
    expect((await sync(units.replaceAll('backup.', 'backup@.'))).notes[0]).to.match(
      /^backup@\.timer: it is a template of units; save it by the name of one, such as backup@main\.timer\.$/,
    );
    expect((await sync('# nothing\n')).notes[0]).to.match(/^There is no timer: give units/);
  });
});
