import { execFileSync, spawnSync } from 'node:child_process';
import { startAtOrAfter } from '@horarium/core/plugin';
import { expect } from 'chai';
import fc from 'fast-check';
import { readAssignments, shellCommand } from '../../../plugins/import-crontab/timers/exec-command.ts';
import { readOnCalendar } from '../../../plugins/import-crontab/timers/on-calendar.ts';
import { readSpan } from '../../../plugins/import-crontab/timers/time-span.ts';
import { readUnits } from '../../../plugins/import-crontab/timers/unit-files.ts';

describe('OnCalendar', () => {
  const events: readonly (readonly [event: string, cron: string, timezone?: string])[] = [
    ['minutely', '* * * * *'],
    ['hourly', '0 * * * *'],
    ['daily', '0 0 * * *'],
    ['weekly', '0 0 * * 1'],
    ['monthly', '0 0 1 * *'],
    ['quarterly', '0 0 1 1,4,7,10 *'],
    ['semiannually', '0 0 1 1,7 *'],
    ['annually', '0 0 1 1 *'],
    ['daily UTC', '0 0 * * *', 'UTC'],
    ['Sun *-*-* 03:10:00', '10 3 * * 0'],
    ['*-*-* 6,18:00', '0 6,18 * * *'],
    ['Mon..Fri 08..18:0/15', '0-59/15 8-18 * * 1,2,3,4,5'],
    ['Sat..Sun,Tue 12:00', '0 12 * * 0,2,6'],
    ['Monday,wed *:30', '30 * * * 1,3'],
    ['Mon-Fri 10:00', '0 10 * * 1,2,3,4,5'],
    ['Mon 12:00 CET', '0 12 * * 1', 'CET'],
    ['*-02-03 04:05', '5 4 3 2 *'],
    ['02-03', '0 0 3 2 *'],
    ['*-*-1..7 00/6:00 Europe/Prague', '0 0-23/6 1-7 * *', 'Europe/Prague'],
    ['Fri *-*-13 00:00', '0 0 13 * +5'],
    ['*-*-* *:00/2:00', '0-59/2 * * * *'],
  ];
  const hasOracle = spawnSync('systemd-analyze', ['--version']).status === 0;
  for (const [event, cron, timezone = null] of events) {
    it(`${event} is ${cron}`, () => {
      expect(readOnCalendar(event)).to.deep.equal({ cron, timezone });
    });
    it(`${event} has the times that systemd gives`, function () {
      if (!hasOracle) this.skip();
      const base = Date.parse('2026-02-27T22:59:30Z');
      const times: number[] = [];
      for (let from = base; times.length < 12; ) {
        const start = startAtOrAfter({ interval: 'custom', cron, timezone: timezone ?? 'UTC' }, from) as number;
        times.push(start);
        from = start + 1;
      }
      const line = ['calendar', event, '--iterations=12', '--base-time=2026-02-27 22:59:30 UTC'];
      const output = execFileSync('systemd-analyze', line, {
        env: { ...process.env, TZ: 'UTC', LC_ALL: 'C' },
      }).toString();
      const given = [...output.matchAll(/(?:Next elapse|Iter\. #\d+): \w+ (\S+) (\S+) (?:UTC|\w+)$/gm)];
      // In another zone, systemd also gives each time in UTC.
      const inUtc = [...output.matchAll(/\(in UTC\): \w+ (\S+) (\S+) UTC$/gm)];
      const found = (inUtc.length > 0 ? inUtc : given).map(([, day, time]) => Date.parse(`${day}T${time}Z`));
      expect(found).to.deep.equal(times);
    });
  }

  for (const [event, message] of [
    ['2027-01-01', 'names a year'],
    ['*-*~1', 'counts days from the end of the month'],
    ['*:*:30', 'names seconds'],
    ['Moonday', 'is neither a day of the week'],
    ['Monx 10:00', 'is neither a day of the week'],
    ['Sat..Tue', 'nor a range of them'],
    ['*-*-* 25:00', 'the hour'],
    ['*-02-30', 'a day that never comes'],
    ['daily Mars/Phobos', 'Mars/Phobos'],
    ['now and then', 'There is no time zone "then"'],
  ] as const)
    it(`${event} is refused, because it ${message}`, () => {
      expect(() => readOnCalendar(event)).to.throw(message);
    });
});

describe('A command of a unit', () => {
  const specifiers = { n: 'backup@db.service', i: 'db' };
  const commands: readonly (readonly [value: string, output: string])[] = [
    ['/bin/echo one two', 'one two'],
    ['/bin/echo "one  two" --x="a  b" t\'h r\'ee', 'one  two --x=a  b th ree'],
    ['/bin/echo \\xc3\\xa9', 'é'],
    ['/bin/echo $A ${A}x "$A" $$A 100%%', 'a b a bx $A $A 100%'],
    ['/bin/echo %i %n', 'db backup@db.service'],
    ['/bin/echo "a\\tb\\x41\\101" \\s ; /bin/echo \\;', 'a\tbAA  \n;'],
    ['-/bin/false', ''],
    ['-/bin/false ; /bin/echo no', ''],
    [':/bin/echo $A', '$A'],
    ['/bin/echo `id` $(id) * ~ {a,b} && | > x', '`id` $(id) * ~ {a,b} && | > x'],
  ];
  for (const [value, output] of commands)
    it(`runs ${JSON.stringify(value)} as systemd does`, () => {
      const script = shellCommand(value, specifiers);
      const { stdout, status } = spawnSync('/bin/sh', ['-c', script], { env: { A: 'a b' }, encoding: 'utf8' });
      expect([stdout.replace(/\n$/, ''), status]).to.deep.equal([output, 0]);
    });

  it('keeps every argument, whatever it holds', () => {
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[ -~]{1,12}$/), { minLength: 1, maxLength: 4 }), (words) => {
        const escaped = words.map(
          (word) => `"${word.replace(/["\\]/g, '\\$&').replaceAll('%', '%%').replaceAll('$', '$$$$')}"`,
        );
        const script = shellCommand(`/usr/bin/printf ${['"%%s\\n"', ...escaped].join(' ')}`, specifiers);
        expect(spawnSync('/bin/sh', ['-c', script], { encoding: 'utf8' }).stdout).to.equal(`${words.join('\n')}\n`);
      }),
      { numRuns: 50 },
    );
  });

  for (const [value, message] of [
    ['+/bin/x', 'the prefix +'],
    ['/bin/x "a', 'quotes'],
    ['/bin/x %h', 'the specifier %h'],
    ['/bin/x "\\q"', 'the escape'],
    ['', 'names no program'],
  ] as const)
    it(`${JSON.stringify(value)} is refused: ${message}`, () => {
      expect(() => shellCommand(value, specifiers)).to.throw(message);
    });

  it('has variables, each in quotes where it has blanks', () => {
    expect(readAssignments(['A=1 "B=two words"', '\'C=x=y\' D="%i %%"'], specifiers)).to.deep.equal({
      A: '1',
      B: 'two words',
      C: 'x=y',
      D: 'db %',
    });
    expect(() => readAssignments(['A'], specifiers)).to.throw('sets no variable');
  });
});

describe('A time span', () => {
  for (const [span, seconds] of [
    ['90', 90],
    ['1h 30min', 5400],
    ['1h30m', 5400],
    ['2d', 172_800],
    ['1500ms', 2],
    ['infinity', null],
  ] as const)
    it(`${span} is ${seconds} s`, () => {
      expect(readSpan(span)).to.equal(seconds);
    });
  for (const span of ['', 'soon', '5 parsecs', '5min x'])
    it(`${JSON.stringify(span)} is refused`, () => {
      expect(() => readSpan(span)).to.throw('no span of time');
    });
});

describe('Units', () => {
  it('have the values of their fragments and drop-ins, as systemctl cat prints them', () => {
    const { units, problems } = readUnits(
      `# /usr/lib/systemd/system/backup.timer
[Unit]
Description=Backup
; a comment
[Timer]
OnCalendar=daily
OnCalendar=Mon 12:00

# /etc/systemd/system/backup.timer.d/override.conf
[Timer]
OnBootSec=5
OnCalendar=
OnCalendar=hourly

# /usr/lib/systemd/system/backup.service
[Service]
ExecStart=/usr/bin/backup \\
  # in between
  --all \\
  --quiet
`,
      'standard input',
    );
    expect(problems).to.deep.equal([]);
    expect([...units.keys()]).to.deep.equal(['backup.timer', 'backup.service']);
    expect(units.get('backup.timer')?.settings.get('Timer.OnCalendar')).to.deep.equal(['hourly']);
    expect(units.get('backup.timer')?.settings.get('Timer.OnBootSec')).to.equal(undefined);
    expect(units.get('backup.service')?.settings.get('Service.ExecStart')).to.deep.equal([
      '/usr/bin/backup --all --quiet',
    ]);
  });

  it('have the name of their file where no comment names them', () => {
    expect([...readUnits('[Timer]\nOnCalendar=daily\n', 'x/y.timer').units.keys()]).to.deep.equal(['y.timer']);
    expect(readUnits('[Timer]\nOnCalendar=daily\nhello\n', 'y').problems).to.deep.equal([
      'y, line 2: it is not said which unit this is; give the output of systemctl cat.',
      'y, line 3: there is no setting of a unit.',
    ]);
  });
});
