import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { cliDatabases } from '../../support/program/cli-databases.ts';
import type { TestCli } from '../../support/program/test-cli.ts';

for (const { database, openCli } of cliDatabases)
  describe(`Calendars and preview on ${database}`, () => {
    let cli: TestCli;
    before(async () => {
      cli = await openCli();
      await cli.command('company:save --code acme --name Acme');
      await cli.command('app:save --name hello --executable true');
      const template = ['--code=night', '--name=Night', '--company-id=acme', '--app-id=hello', '--interval=daily'];
      await cli.run(['runtemplate:save', ...template, '--timezone=Europe/Prague']);
      await cli.run(['calendar:save', '--code=work', '--name=Working days', '--weekdays=sat,sun']);
    });
    after(() => cli[Symbol.dispose]());

    const preview = (options: string) => cli.command(`preview night ${options}`);

    it('take public holidays by the code of their country', async () => {
      const rules = JSON.stringify([{ rule: 'holidays', country: 'CZ', language: 'en' }]);
      const { code, json } = await cli.run(['calendar:save', '--id=1', `--rules=${rules}`, '--format', 'json']);
      expect(code).to.equal(0);
      expect(json).to.deep.include({ weekdays: ['saturday', 'sunday'], company_id: null });
      const wrong = JSON.stringify([{ rule: 'holidays', country: 'XX' }]);
      const refused = await cli.run(['calendar:save', '--id=1', `--rules=${wrong}`]);
      expect([refused.code, refused.err]).to.deep.equal([
        1,
        refused.err.match(/^.*rules\[0\] has the country XX: there are AD, AE, .*\n$/)?.[0],
      ]);
    });

    it('leave windows without a Task, which preview shows with the reason', async () => {
      expect((await cli.command('runtemplate:save --id 1 --calendar-id 1')).code).to.equal(0);
      const { out, err } = await preview('--from 2026-12-23 --to 2026-12-28');
      expect(err).to.equal('Times are in Europe/Prague.\n');
      const lines = out
        .trimEnd()
        .split('\n')
        .slice(-6)
        .map((line) => line.trim().replaceAll(/ {2,}/g, ' | '));
      expect(lines).to.deep.equal([
        '2026-12-23 00:00:00+01:00 | 2026-12-24 00:00:00+01:00 | 2026-12-23 00:00:00+01:00 | 2026-12-24 00:00:00+01:00',
        '2026-12-24 00:00:00+01:00 | 2026-12-25 00:00:00+01:00 | no Task: day off (Christmas Eve)',
        '2026-12-25 00:00:00+01:00 | 2026-12-26 00:00:00+01:00 | no Task: day off (Christmas Day)',
        '2026-12-26 00:00:00+01:00 | 2026-12-27 00:00:00+01:00 | no Task: day off (Boxing Day)',
        '2026-12-27 00:00:00+01:00 | 2026-12-28 00:00:00+01:00 | no Task: day off (Sunday)',
        '2026-12-28 00:00:00+01:00 | 2026-12-29 00:00:00+01:00 | 2026-12-28 00:00:00+01:00 | 2026-12-29 00:00:00+01:00',
      ]);
      const simulated = await cli.command('simulate --from 2026-12-23 --to 2026-12-29 --format json');
      expect(simulated.json.map(({ due }: { due: string }) => due)).to.deep.equal([
        '2026-12-22T23:00:00.000Z',
        '2026-12-27T23:00:00.000Z',
      ]);
    });

    it('move windows to a working day, which preview shows too', async () => {
      await cli.command('runtemplate:save --id 1 --day-off next');
      const { json } = await preview('--from 2026-12-24 --limit 2 --format json');
      expect(json).to.deep.equal([
        {
          window_start: '2026-12-27T23:00:00.000Z',
          window_end: '2026-12-28T23:00:00.000Z',
          due_at: '2026-12-27T23:00:00.000Z',
          deadline: '2026-12-28T23:00:00.000Z',
          note: 'moved from 2026-12-24 (Christmas Eve), 2026-12-25 (Christmas Day), 2026-12-26 (Boxing Day), 2026-12-27 (Sunday)',
        },
        {
          window_start: '2026-12-28T23:00:00.000Z',
          window_end: '2026-12-29T23:00:00.000Z',
          due_at: '2026-12-28T23:00:00.000Z',
          deadline: '2026-12-29T23:00:00.000Z',
          note: null,
        },
      ]);
      await cli.command('runtemplate:save --id 1 --day-off skip --calendar-id null');
    });

    it('are followed by the windows at both clock changes of the year', async () => {
      const { out } = await preview('--from 2026-12-01 --limit 1');
      const [, changes = ''] = out.split('Clock changes:\n');
      expect(changes).to.match(/2027-03-28 00:00:00\+01:00 .* the clock goes forward by 1 h at 2027-03-28 02:00/);
      expect(changes).to.match(/2027-10-31 00:00:00\+02:00 .* the clock goes back by 1 h at 2027-10-31 03:00/);
      const inUtc = await preview('--from 2026-12-01 --limit 1 --utc');
      expect(inUtc.out)
        .to.match(/2027-03-27 23:00:00Z .* the clock of Europe\/Prague goes forward by 1 h at 2027-03-28 01:00 UTC/)
        .and.match(/2027-10-30 22:00:00Z .* the clock of Europe\/Prague goes back by 1 h at 2027-10-31 01:00 UTC/);
      const alone = await preview('--from 2026-12-01 --clock-changes --format json');
      expect(alone.json.map(({ window_start }: { window_start: string }) => window_start.slice(0, 10))).to.deep.equal([
        '2027-03-27',
        '2027-03-28',
        '2027-03-29',
        '2027-10-30',
        '2027-10-31',
        '2027-11-01',
      ]);
      await cli.command('runtemplate:save --id 1 --timezone UTC');
      const none = await preview('--clock-changes');
      expect([none.out, none.err]).to.deep.equal([
        '',
        'The clock does not change in UTC within a year.\nTimes are in UTC.\n',
      ]);
    });

    it('come from iCalendar files', async () => {
      const event = ['BEGIN:VEVENT', 'UID:1', 'DTSTART;VALUE=DATE:20270104', 'SUMMARY:inventory', 'END:VEVENT'];
      const text = ['BEGIN:VCALENDAR', 'VERSION:2.0', ...event, 'END:VCALENDAR', ''].join('\r\n');
      writeFileSync(join(cli.folder, 'shop.ics'), text);
      const tried = await cli.command('calendar:import shop.ics --code shop --company acme --dry-run');
      expect(tried.err).to.equal('Nothing was changed: this was a dry run.\n');
      const { code, json } = await cli.command('calendar:import shop.ics --code shop --company acme --format json');
      expect(code).to.equal(0);
      expect(json).to.deep.equal([
        { id: json[0].id, code: 'shop', name: 'shop', dates: 1, recurrences: 0, result: 'created' },
      ]);
      const shown = await cli.command(`calendar:get ${json[0].id} --format json`);
      expect(shown.json).to.deep.include({ dates: [{ date: '2027-01-04', name: 'inventory' }] });
    });
  });
