import {
  type AnyResource,
  App,
  crontabRecords,
  type Field,
  type FieldError,
  RunTemplate,
  readCrontab,
  readField,
  sayTheSame,
} from '@horarium/core';
import { expect } from 'chai';
import fc from 'fast-check';
import { readExample, realFiles } from '../../../support/examples.ts';

const records = (text: string, system = true, file = '/etc/cron.d/shop') =>
  crontabRecords(readCrontab(text, { system, file }).entries, { company: 'acme', file });

describe('crontabRecords', () => {
  it('makes an App and a run template of each line', () => {
    const { apps, templates } = records('SHELL=/bin/bash\nCRON_TZ=Asia/Tokyo\nMAILTO=""\n5 4 * * sun web cat a%b');
    expect(apps).to.have.length(1);
    expect(apps[0]).to.deep.include({
      name: 'shop: cat a',
      executable: '/bin/bash',
      arguments: ['-c', 'cat a'],
      stdin: 'b\n',
      environment: {},
    });
    expect(templates).to.deep.equal([
      {
        code: 'cron-6d5095cfc4ce210077caa94b2994391f-9db2020f62d4',
        name: 'shop: cat a (5 4 * * sun)',
        company: 'acme',
        app_uuid: apps[0]?.uuid,
        interval: 'custom',
        cron: '5 4 * * sun',
        timezone: 'Asia/Tokyo',
        environment: { SHELL: '/bin/bash', MAILTO: '' },
        executor_options: { user: 'web' },
        note: 'Imported from shop.',
      },
    ]);
  });

  it('leaves user and time zone to the service where the file does not name them', () =>
    expect(records('@daily x', false).templates[0]).to.not.have.any.keys('executor_options', 'timezone'));

  it('sets what templates may not set as defaults of the App', () => {
    const { apps, templates } = records('PATH=/a:/b\nLD_LIBRARY_PATH=/c\nHOME=/d\n@daily root echo $PATH');
    expect(apps[0]).to.deep.include({
      executable: '/bin/sh',
      arguments: ['-c', 'echo $PATH'],
      environment: { PATH: { type: 'text', default: '/a:/b' }, LD_LIBRARY_PATH: { type: 'text', default: '/c' } },
    });
    expect(templates[0]?.environment).to.deep.equal({ HOME: '/d' });
  });

  for (const text of [
    'PATH=/a:/b\n@daily root echo ${PATH}x',
    'PATH=${PATH}:/a\n@daily root x',
    'PATH=/a\nB={PATH}\n@daily root x',
  ])
    it(`leaves it to env where a placeholder would be read into ${JSON.stringify(text)}`, () => {
      const [entry] = readCrontab(text, { system: true, file: 'x' }).entries;
      const { apps, templates } = records(text);
      expect(apps[0]).to.deep.include({
        executable: '/usr/bin/env',
        arguments: [`PATH=${entry?.environment['PATH']}`, '/bin/sh', '-c', entry?.command],
        environment: {},
      });
      expect(templates[0]?.environment).to.not.have.property('PATH');
    });

  it('finds lines again that were moved about, commented or spaced', () => {
    const before = records('A=1\nB=2\n1 2 * * * root x\n3  4 * * * root y');
    const after = records('B=2\n# first\nA = 1\n\n  3 4 * * *\troot   y\n\n1 2 * * *  root x\n');
    expect(after.templates).to.have.deep.members(before.templates);
    expect(after.apps).to.have.deep.members(before.apps);
  });

  it('takes a line for another one when anything it says has changed', () => {
    const line = '1 2 * * * root x%y';
    const others = ['1 3 * * * root x%y', '1 2 * * * web x%y', '1 2 * * * root z%y', '1 2 * * * root x%z'];
    const above = ['A=1', 'SHELL=/bin/bash', 'PATH=/bin', 'CRON_TZ=UTC'].map((variable) => `${variable}\n${line}`);
    const all = [line, ...others, ...above].map((text) => records(text));
    expect(new Set(all.map(({ templates }) => templates[0]?.code)).size).to.equal(all.length);
    expect(new Set(all.map(({ apps }) => apps[0]?.uuid)).size).to.equal(all.length);
  });

  it('counts equal lines', () => {
    const once = records('@daily root x');
    const thrice = records('@daily root x\n@daily root x\n@daily root x');
    expect(new Set(thrice.templates.map(({ code }) => code)).size).to.equal(3);
    expect(thrice.templates[0]).to.deep.equal(once.templates[0]);
  });

  it('takes equal lines of two files for two, and those of a file that was moved for the same', () => {
    const [shop, other, moved] = ['/etc/cron.d/shop', '/etc/cron.d/other', './shop'].map(
      (file) => records('@daily root x', true, file).templates[0]?.code,
    );
    expect(other).to.not.equal(shop);
    expect(moved).to.equal(shop);
    expect(sayTheSame(shop as string, other as string)).to.equal(true);
    expect(sayTheSame(shop as string, records('@weekly root x').templates[0]?.code as string)).to.equal(false);
    expect(sayTheSame(shop as string, 'cron')).to.equal(false);
  });

  it('counts equal lines of files of one name that are read together', () => {
    const { entries } = readCrontab('@daily x', { system: false, file: 'tab' });
    const counted = new Map<string, number>();
    const codes = ['a/tab', 'b/tab'].map(
      (file) => crontabRecords(entries, { company: 'acme', file }, counted).templates[0]?.code,
    );
    expect(new Set(codes).size).to.equal(2);
  });

  it('makes records that can be saved', () => {
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
        for (const app of apps) check(App, app, errors);
        for (const { app_uuid: _app, company: _company, ...template } of templates)
          check(RunTemplate, template, errors);
        expect(errors).to.deep.equal([]);
        expect(new Set(templates.map(({ code }) => code)).size).to.equal(templates.length);
      }),
    );
  });

  it('makes the same of the same file again', () => {
    for (const text of [readExample('crontabs/system'), ...realFiles('crontabs').map((file) => file.text)])
      expect(records(text)).to.deep.equal(records(text));
  });
});

function check(resource: AnyResource, record: object, errors: FieldError[]): void {
  for (const [name, value] of Object.entries(record)) {
    const field: Field | undefined = resource.fields[name];
    if (field) readField(name, field, value, errors);
    else errors.push({ field: name, message: 'is not there' });
  }
}
