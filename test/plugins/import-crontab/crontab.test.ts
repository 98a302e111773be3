import { expect } from 'chai';
import fc from 'fast-check';
import { type CrontabEntry, readCommand, readCrontab } from '../../../plugins/import-crontab/lines/crontab.ts';
import { readExample, realFiles } from '../../support/formats/example-files.ts';

const system = (text: string) => readCrontab(text, { system: true, file: 'tab' });
const user = (text: string) => readCrontab(text, { system: false, file: 'tab' });
const environmentAfter = (text: string) => user(`${text}\n* * * * * x`).entries.at(-1)?.environment;

describe('readCrontab', () => {
  it('reads /etc/crontab, whose lines name a user', () => {
    const { entries, problems } = system(readExample('crontabs/system'));
    expect(problems).to.deep.equal([]);
    const shared = {
      SHELL: '/bin/bash',
      PATH: '/usr/local/bin:/usr/bin:/bin',
      MAILTO: 'ops@shop.example',
    };
    const common = { shell: '/bin/bash', stdin: null, timezone: null, environment: shared };
    const expected: Partial<CrontabEntry>[] = [
      {
        ...common,
        line: 8,
        schedule: '5-55/10 8-18 * * mon-fri',
        cron: '5-55/10 8-18 * * mon-fri',
        user: 'reports',
        command: '[ -x /opt/shop/report ] && /opt/shop/report --out "/srv/out/$(date +%F).csv"',
      },
      {
        ...common,
        line: 9,
        schedule: '*/15 * * * *',
        cron: '*/15 * * * *',
        user: 'root',
        command: 'command -v shop-sync > /dev/null && shop-sync 1 1',
      },
      {
        ...common,
        line: 12,
        schedule: '57 0 * * 0',
        cron: '57 0 * * 0',
        user: 'root',
        command: 'if [ $(date +%d) -le 7 ]; then /opt/shop/check --all --quiet; fi',
      },
      {
        ...common,
        line: 13,
        schedule: '0 */12 * * *',
        cron: '0 */12 * * *',
        user: 'root',
        command: "test ! -d /run/hold -a \\! -f /run/stop && perl -e 'sleep int(rand(3600))'",
      },
      {
        ...common,
        line: 16,
        schedule: '09,39 9-16 * jan,JUL 1-5',
        cron: '09,39 9-16 * jan,JUL 1-5',
        user: 'www-data',
        command: 'mail -s "It\'s time" joe',
        stdin: 'Joe,\n\n100% done\n',
        timezone: 'America/New_York',
      },
      {
        ...common,
        line: 17,
        schedule: '@midnight',
        cron: '@daily',
        user: 'root',
        command: '/opt/shop/rotate',
        timezone: 'America/New_York',
      },
      {
        ...common,
        line: 18,
        schedule: '@reboot',
        cron: null,
        user: 'root',
        command: '/opt/shop/warm-up',
        timezone: 'America/New_York',
      },
    ];
    expect(entries).to.deep.equal(expected);
  });

  it('reads the crontab of a user, where # begins a comment only at the start of a line', () => {
    const { entries, problems } = user(readExample('crontabs/user'));
    expect(problems).to.deep.equal([]);
    expect(entries.map(({ line, user: name, shell, command }) => ({ line, name, shell, command }))).to.deep.equal([
      { line: 4, name: null, shell: '/bin/sh', command: 'echo "$GREETING" # not a comment' },
      { line: 5, name: null, shell: '/bin/sh', command: 'cd ~ && ./clean' },
      { line: 6, name: null, shell: '/bin/sh', command: 'cd ~ && ./clean' },
      { line: 7, name: null, shell: '/bin/sh', command: './pay' },
    ]);
    expect(entries[0]?.environment).to.deep.equal({ HOME: '/srv/shop', GREETING: ' hello ' });
  });

  it('reports each invalid line with its error, and reads the others', () => {
    const { entries, problems } = system(readExample('crontabs/broken'));
    expect(entries.map(({ line }) => line)).to.deep.equal([3]);
    expect(problems.map(({ message }) => message)).to.deep.equal([
      'tab, line 2: an empty value must be written "".',
      'tab, line 4: the minute “61” is wrong: 61 is not between 0 and 59.',
      'tab, line 5: “0 0 30 2 *” is a day that never comes.',
      'tab, line 6: the day of week “mondays” is wrong: mondays is neither a number nor one of sun, mon, tue, wed, thu, fri, sat.',
      'tab, line 7: “/usr/bin/true” is where the user name should be, and is not a user name.',
    ]);
  });

  const variables: [text: string, environment: object][] = [
    ['A=b', { A: 'b' }],
    ['  A = b c  ', { A: 'b c' }],
    ['A\t=\tb', { A: 'b' }],
    ['A="b c "', { A: 'b c ' }],
    ["A=' b' ", { A: ' b' }],
    ['A=""', { A: '' }],
    ['"A"=b', { A: 'b' }],
    ["'A' = 'b\"c'", { A: 'b"c' }],
    ['A=b"c"', { A: 'b"c"' }],
    ['A=b=c', { A: 'b=c' }],
    ['A=$HOME/%\\%:~', { A: '$HOME/%\\%:~' }],
    ['A=b # c', { A: 'b # c' }],
    ['A=b\nA=c', { A: 'c' }],
    ['# A=b', {}],
    ['LOGNAME=root', {}],
    ['CRON_TZ=Asia/Tokyo', {}],
    ['PATH=/a:/b\r', { PATH: '/a:/b' }],
  ];
  for (const [text, environment] of variables)
    it(`reads the environment from ${JSON.stringify(text)}`, () => {
      expect(environmentAfter(text)).to.deep.equal(environment);
    });

  it('applies a variable only to the lines below it', () => {
    const { entries } = user('* * * * * a\nX=1\n* * * * * b\nX=2\n* * * * * c');
    expect(entries.map(({ environment }) => environment)).to.deep.equal([{}, { X: '1' }, { X: '2' }]);
  });

  it('resets the time zone where CRON_TZ is empty', () => {
    const { entries } = user('CRON_TZ=Asia/Tokyo\n@daily a\nCRON_TZ=""\n@daily b');
    expect(entries.map(({ timezone }) => timezone)).to.deep.equal(['Asia/Tokyo', null]);
  });

  it('reads an assignment before a command as part of the command', () => {
    const [entry] = user('0 5 * * * A=1 B=2 run').entries;
    expect(entry).to.include({ command: 'A=1 B=2 run', schedule: '0 5 * * *' });
  });

  const invalidLines: [text: string, message: string][] = [
    ['A="b', 'the quotes around the value do not match'],
    ['A="b" c', 'the quotes around the value do not match'],
    ['A=', 'an empty value must be written ""'],
    ['A-B=c', '“A-B” is not the name of an environment variable'],
    ['__proto__=c', '“__proto__” is not the name of an environment variable'],
    ['SHELL=bash', 'SHELL must be an absolute path, not “bash”'],
    ['CRON_TZ=Mars/Phobos', 'There is no time zone "Mars/Phobos"'],
    ['CRON_TZ=+01:00', 'There is no time zone "+01:00"'],
    ['hello', 'five time fields and a command were expected'],
    ['* * * *', 'five time fields and a command were expected'],
    ['* * * * *', 'the user and the command are missing'],
    ['* * * * * root', 'the command is missing'],
    ['* * * * * root  \t', 'the command is missing'],
    ['* * * * * root %x', 'the command is missing'],
    ['* * * * * * root x', '“*” is where the user name should be, and is not a user name'],
    ['* * * * * 2>/dev/null x', '“2>/dev/null” is where the user name should be, and is not a user name'],
    ['@daily root', 'the command is missing'],
    ['@reboot', 'the user and the command are missing'],
    ['* * * * * root a\0b', 'a NUL character cannot be passed to a program'],
    [`* * * * * root ${'x'.repeat(40_000)}`, 'the command is too long'],
  ];
  for (const [text, message] of invalidLines)
    it(`rejects ${JSON.stringify(text.slice(0, 30))} as a line of /etc/crontab`, () => {
      const { entries, problems } = system(text);
      expect(entries).to.deep.equal([]);
      expect(problems).to.have.length(1);
      expect(problems[0]).to.include({ line: 1 });
      expect(problems[0]?.message).to.include(`tab, line 1: ${message}`);
    });

  it('rejects a sixth time field in the crontab of a user', () =>
    expect(user('* * * * * * x').problems[0]?.message).to.include('a command cannot begin with *'));

  it('returns at most one entry or problem for each line, whatever the text', () => {
    const token = fc.constantFrom(
      '*',
      '5',
      '@daily',
      'root',
      'A',
      '=',
      '"',
      "'",
      '%',
      '\\',
      ' ',
      '\t',
      '\n',
      '-',
      '/',
      ',',
    );
    const texts = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: token, maxLength: 60 }));
    fc.assert(
      fc.property(texts, fc.boolean(), (text, isSystem) => {
        const { entries, problems } = readCrontab(text, { system: isSystem, file: 'tab' });
        const lines = [...entries, ...problems].map(({ line }) => line);
        expect(new Set(lines).size).to.equal(lines.length);
        expect(Math.max(0, ...lines)).to.be.at.most(text.split('\n').length);
      }),
      { numRuns: 1000 },
    );
  });

  for (const { name, text } of realFiles('crontabs'))
    it(`reads every line of the real crontab ${name} without a problem`, () => {
      const { entries, problems } = system(text);
      expect(problems).to.deep.equal([]);
      const lines = text.split('\n').filter((line) => /^[ \t]*[\d*@]/.test(line));
      expect(entries).to.have.length(lines.length).greaterThan(0);
    });
});

describe('readCommand', () => {
  const cases: [text: string, command: string, stdin: string | null][] = [
    ['date', 'date', null],
    ['date +\\%F', 'date +%F', null],
    ['test ! -x a -a \\! -d b', 'test ! -x a -a \\! -d b', null],
    ["sed 's/\\\\./x/'", "sed 's/\\./x/'", null],
    ['echo a\\', 'echo a\\', null],
    ['mail joe%Joe,%%Where are you?%', 'mail joe', 'Joe,\n\nWhere are you?\n'],
    ['cat%one', 'cat', 'one\n'],
    ['cat%', 'cat', ''],
    ['cat%%', 'cat', '\n'],
    ['cat%100\\% of \\it\\', 'cat', '100% of \\it\\\n'],
    ['a\\%b%c\\%d', 'a%b', 'c%d\n'],
    ['a\\\\%b', 'a\\', 'b\n'],
    ['cat%a\\\\%b', 'cat', 'a\\%b\n'],
  ];
  for (const [text, command, stdin] of cases)
    it(`splits ${JSON.stringify(text)} into command and standard input`, () =>
      expect(readCommand(text)).to.deep.equal({ command, stdin }));

  it('reads back any command whose backslashes and percent signs are escaped', () =>
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(readCommand(text.replace(/[\\%]/g, '\\$&'))).to.deep.equal({ command: text, stdin: null });
      }),
    ));
});
