import { type AnyResource, App, type Field, type FieldError, RunTemplate, readField } from '@horarium/core';
import { expect } from 'chai';
import fc from 'fast-check';
import { variableRefusal } from '#core/app/forbidden-variables';
import { forbiddenVariables } from '../../../plugins/executor-native/forbidden-variables.ts';
import { readCrontab } from '../../../plugins/import-crontab/lines/crontab.ts';
import { crontabLine, formerContentIn } from '../../../plugins/import-crontab/lines/crontab-records.ts';
import { readExample, realFiles } from '../../support/formats/example-files.ts';

const executors = new Map([['native', { options: {}, forbiddenVariables }]]);
const isForbidden = (name: string) => variableRefusal(executors, name) !== null;

function records(text: string, system = true, file = '/etc/cron.d/shop') {
  const lines = readCrontab(text, { system, file }).entries.map((entry) =>
    crontabLine(entry, { file, owner: null, isForbidden }),
  );
  return {
    apps: lines.map(({ app }) => app),
    templates: lines.map(({ template }) => template),
    contents: lines.map(({ content }) => content),
  };
}

describe('The records of a crontab', () => {
  it('are an App and a run template for each line', () => {
    const { apps, templates } = records('SHELL=/bin/bash\nCRON_TZ=Asia/Tokyo\nMAILTO=""\n5 4 * * sun web cat a%b');
    expect(apps).to.have.length(1);
    expect(apps[0]).to.deep.include({
      executable: '/usr/bin/env',
      arguments: ['SHELL=/bin/bash', 'PATH=/usr/bin:/bin', '/bin/bash', '-c', 'cat a'],
      stdin: 'b\n',
    });
    expect(templates).to.deep.equal([
      {
        interval: 'custom',
        cron: '5 4 * * sun',
        timezone: 'Asia/Tokyo',
        environment: { MAILTO: '' },
        executor_options: { user: 'web', directory: '~' },
      },
    ]);
  });

  it('set no user and time zone where the file names none, so that the defaults of the service apply', () =>
    expect(records('@daily x', false).templates[0])
      .to.deep.include({ executor_options: { directory: '~' } })
      .and.not.have.any.keys('timezone'));

  it('run in the HOME that the crontab sets', () => {
    const directoryWith = (home: string) => records(`HOME=${home}\n@daily x`, false).templates[0]?.executor_options;
    expect(directoryWith('/srv/shop')).to.deep.equal({ directory: '/srv/shop' });
    expect(directoryWith('""')).to.deep.equal({ directory: '~' });
  });

  it('declare the variables of a line in its App and set them in its template', () => {
    const { apps, templates } = records('LANG=cs_CZ.UTF-8\nGREETING=hello\n@daily root echo $GREETING');
    expect(apps[0]).to.deep.include({
      executable: '/usr/bin/env',
      arguments: ['SHELL=/bin/sh', 'PATH=/usr/bin:/bin', '/bin/sh', '-c', 'echo $GREETING'],
      environment: { LANG: { type: 'text' }, GREETING: { type: 'text' } },
    });
    expect(templates[0]?.environment).to.deep.equal({ LANG: 'cs_CZ.UTF-8', GREETING: 'hello' });
  });

  it('pass variables that nobody can declare through env(1)', () => {
    const { apps, templates } = records(
      'PATH=/a:/b\nBASH_ENV=/c\nHORARIUM_X=y\nEVENT_ID=z\nHOME=/d\nTZ=UTC\n@daily root echo $PATH',
    );
    expect(apps[0]).to.deep.include({
      executable: '/usr/bin/env',
      arguments: [
        ...['SHELL=/bin/sh', 'PATH=/a:/b', 'BASH_ENV=/c', 'HORARIUM_X=y', 'EVENT_ID=z', 'HOME=/d'],
        ...['/bin/sh', '-c', 'echo $PATH'],
      ],
      environment: { TZ: { type: 'text' } },
    });
    expect(templates[0]?.environment).to.deep.equal({ TZ: 'UTC' });
  });

  for (const [text, literal, declared] of [
    ['PATH=/a:/b\n@daily root echo ${PATH}x', ['PATH'], []],
    ['PATH=${PATH}:/a\n@daily root x', ['PATH'], []],
    ['PATH=/a\nB={PATH}\n@daily root x', ['PATH'], ['B']],
    ['A=1\nB=2\n@daily root echo ${A}', ['A'], ['B']],
    ['A=1\nB=${A}\n@daily root x', ['A'], ['B']],
    ['A=1\n@daily root cat%{A}', ['A'], []],
  ] as const)
    it(`pass a variable through env(1) where it would be a placeholder in ${JSON.stringify(text)}`, () => {
      const [entry] = readCrontab(text, { system: true, file: 'x' }).entries;
      const { apps, templates } = records(text);
      expect(apps[0]).to.deep.include({
        executable: '/usr/bin/env',
        arguments: [
          'SHELL=/bin/sh',
          ...(literal.includes('PATH' as never) ? [] : ['PATH=/usr/bin:/bin']),
          ...literal.map((key) => `${key}=${entry?.environment[key]}`),
          ...['/bin/sh', '-c', entry?.command],
        ],
        environment: Object.fromEntries(declared.map((key) => [key, { type: 'text' }])),
      });
      expect(Object.keys(templates[0]?.environment ?? {})).to.deep.equal(declared);
    });

  it('are the same when lines are moved, commented or spaced differently', () => {
    const before = records('A=1\nB=2\n1 2 * * * root x\n3  4 * * * root y');
    const after = records('B=2\n# first\nA = 1\n\n  3 4 * * *\troot   y\n\n1 2 * * *  root x\n');
    expect(after.contents).to.deep.equal(before.contents.toReversed());
    expect(after.templates).to.have.deep.members(before.templates);
  });

  it('have another content when anything in the line changes', () => {
    const line = '1 2 * * * root x%y';
    const others = ['1 3 * * * root x%y', '1 2 * * * web x%y', '1 2 * * * root z%y', '1 2 * * * root x%z'];
    const withVariables = ['A=1', 'SHELL=/bin/bash', 'PATH=/bin', 'CRON_TZ=UTC'].map(
      (variable) => `${variable}\n${line}`,
    );
    const all = [line, ...others, ...withVariables].flatMap((text) => records(text).contents);
    expect(new Set(all).size).to.equal(all.length);
  });

  it('are found by the codes that earlier versions gave them, for files of the same name', () => {
    // Written by version 0.1.0 for /etc/cron.d/shop with this line.
    const code = 'cron-6d5095cfc4ce210077caa94b2994391f-9db2020f62d4';
    const { contents } = records('SHELL=/bin/bash\nCRON_TZ=Asia/Tokyo\nMAILTO=""\n5 4 * * sun web cat a%b');
    expect(formerContentIn('shop')(code)).to.equal(contents[0]);
    expect(formerContentIn('other')(code)).to.equal(undefined);
    for (const other of ['', 'nightly', `${code}0`]) expect(formerContentIn('shop')(other)).to.equal(undefined);
  });

  it('pass the validation of their resources', () => {
    const command = fc.string({
      minLength: 1,
      unit: fc.constantFrom('a', ' ', '🙂', '%', '\\', '{', 'PATH', '}', 'é'),
    });
    const value = fc.stringMatching(/^[a-z{}$PATH/:]{1,9}$/);
    const name = fc.constantFrom('PATH', 'LD_X', 'A', 'HOME', 'HORARIUM_X');
    const text = fc
      .tuple(
        fc.array(fc.tuple(name, value)),
        fc.array(command, { maxLength: 4 }),
        fc.constantFrom('@daily', '*/5 * * * 1'),
      )
      .map(([set, commands, when]) =>
        [...set.map(([key, each]) => `${key}=${each}`), ...commands.map((each) => `${when} root x${each}`)].join('\n'),
      );
    const file = fc.constantFrom('/etc/cron.d/shop', 'x'.repeat(300), '🙂'.repeat(90), '-', '', '/');
    fc.assert(
      fc.property(text, file, (crontab, from) => {
        const { apps, templates } = records(crontab, true, from);
        const errors: FieldError[] = [];
        for (const app of apps) validate(App, app, errors);
        for (const template of templates) validate(RunTemplate, template, errors);
        expect(errors).to.deep.equal([]);
      }),
    );
  });

  it('are the same each time a file is read', () => {
    for (const text of [readExample('crontabs/system'), ...realFiles('crontabs').map((file) => file.text)])
      expect(records(text)).to.deep.equal(records(text));
  });
});

function validate(resource: AnyResource, record: object, errors: FieldError[]): void {
  for (const [name, value] of Object.entries(record)) {
    const field: Field | undefined = resource.fields[name];
    if (field) readField(name, field, value, errors);
    else errors.push({ field: name, message: 'is no field' });
  }
}
