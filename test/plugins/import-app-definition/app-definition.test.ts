import { HorariumError } from '@horarium/core';
import { expect } from 'chai';
import type { DefinedApp } from '../../../plugins/import-app-definition/defined-app.ts';
import { readAppDefinition } from '../../../plugins/import-app-definition/read-definition.ts';
import { writeAppDefinition } from '../../../plugins/import-app-definition/write-definition.ts';
import { readExample } from '../../support/formats/example-files.ts';

const read = (definition: object) => readAppDefinition(JSON.stringify(definition), 'x.app.json');
const written = (app: DefinedApp) => JSON.parse(writeAppDefinition(app)) as Record<string, unknown>;
const minimal = {
  $schema: 'https://apps.example/schema.json',
  name: 'A',
  description: 'What it does',
  executable: 'a',
  environment: {},
};

describe('readAppDefinition', () => {
  const app = readAppDefinition(readExample('app-definitions/invoices.app.json'), 'invoices.app.json');

  it('takes texts in English, or else in the first language, and all languages as translations', () => {
    expect(app.name).to.equal('Invoices');
    expect(app.description).to.equal('Sends due invoices to the bank.');
    expect(app.translations).to.deep.include({
      name: { cs: 'Faktury', en: 'Invoices' },
      title: { sk: 'Faktúry do banky', de: 'Rechnungen an die Bank' },
      'environment.BANK.description': { en: 'Which bank', cs: 'Která banka' },
      'artifacts.0.name': { en: 'Report', cs: 'Zpráva' },
    });
    expect(app.extra).to.include({ title: 'Rechnungen an die Bank' });
  });

  it('splits the command line into arguments, with placeholders unchanged inside them', () =>
    expect(app.arguments).to.deep.equal(['--since', '${SINCE}', "--note=it's for {BANK}", '--limit={LIMIT}']));

  it('maps the keys of the format to the fields of an App', () =>
    expect(app).to.deep.include({
      uuid: '2f6e0e9b-3c0f-4d5a-9c54-6c2d4b0f7a11',
      version: '2.10.3',
      executable: 'send-invoices',
      homepage: 'https://apps.example/invoices',
      oci_image: 'registry.example:5000/apps/invoices:2.10.3',
      helm_chart: 'oci://registry.example/charts/invoices',
      setup: '',
      deploy: 'apt install send-invoices',
      result_file: 'out/result.json',
      tags: ['bank', 'invoices'],
      topic_names: [],
      requirements: ['Bank', 'Mail'],
      consumes: { invoices: { format: 'file', required: false } },
    }));

  it('maps environment variables with their types, defaults and options', () =>
    expect(app.environment).to.deep.equal({
      SINCE: { type: 'string', description: 'First day', default: 'yesterday', required: true },
      BANK: {
        type: 'set',
        description: 'Which bank',
        hint: 'kód',
        options: { '0100': 'First', '0300': 'Third' },
        default: '0100',
        category: 'Behavior',
      },
      LIMIT: { type: 'integer', default: 500 },
      DRY_RUN: { type: 'bool', default: false, required: false },
      BANK_KEY: { type: 'password', default: 'hunter2', category: 'Security' },
      MAIL_PASSWORD: { type: 'password', default: '', category: 'Security' },
    }));

  it('maps exit codes, with retry false where the file leaves it out', () =>
    expect(app.exit_codes).to.deep.equal({
      '0': { severity: 'success', retry: false, description: { en: 'All sent', cs: 'Vše odesláno' } },
      '3': { severity: 'warning', retry: true, description: { en: 'The bank is away' } },
      '9': { retry: false, description: { en: 'Refused' } },
    }));

  it('puts keys without a field of the App into extra, but never a secret', () => {
    expect(app.extra).to.deep.include({
      author: 'Jane Doe',
      events: { emits: { 'invoice.sent': { evidence: 'faktura-vydana', operation: 'update' } } },
      kubernetes: { helm: { enabled: true, releaseName: 'invoices' } },
      environment: { BANK: { order: 3 } },
    });
    const numeric = read({ ...minimal, environment: { PIN: { type: 'password', defval: [4711] } } });
    expect(numeric.environment).to.deep.equal({ PIN: { type: 'password', default: '[4711]' } });
    expect(JSON.stringify([app.extra, numeric.extra])).to.not.match(/hunter2|4711/);
  });

  it('puts images and homepages that are unsafe to show into extra only', () => {
    expect(app).to.include({ image: null });
    expect(app.extra).to.include({ image: 'data:image/svg+xml;base64,PHN2Zy8+' });
    expect(read({ ...minimal, image: 'https://a.example/a.png' }).image).to.equal('https://a.example/a.png');
    const unsafe = read({ ...minimal, homepage: 'javascript:alert(1)' });
    expect(unsafe.homepage).to.equal(null);
    expect(written(unsafe)['homepage']).to.equal('javascript:alert(1)');
  });

  it('derives the UUID of a file without one from its code, else from name and executable', () => {
    const wait = readExample('app-definitions/wait.app.json');
    const { uuid } = readAppDefinition(wait, 'one');
    expect(readAppDefinition(wait.replace('sleep', 'nap').replace('Wait', 'Nap'), 'two').uuid).to.equal(uuid);
    expect(read(minimal).uuid).to.equal(read({ ...minimal, description: 'Changed' }).uuid);
    expect(read(minimal).uuid).to.not.equal(read({ ...minimal, name: 'B' }).uuid);
    expect(read(minimal).uuid).to.not.equal(read({ ...minimal, executable: 'b' }).uuid);
  });

  it('leaves out fields that the file does not set', () =>
    expect(read(minimal)).to.not.have.any.keys('code', 'enabled', 'executors', 'stdin', 'topic_names', 'topics'));

  it('rejects a file that is not JSON with its line and column', () =>
    expect(() => readAppDefinition('{\n  "name": "x\n}', 'x.app.json')).to.throw(
      HorariumError,
      'x.app.json is invalid: line 2, column 13: a text may hold no line break',
    ));

  it('rejects every invalid key at once', () => {
    const broken = readExample('app-definitions/broken-content.app.json');
    expect(errorsOf(() => readAppDefinition(broken, 'x'))).to.have.members([
      '$schema',
      'name.xx',
      'description',
      'uuid',
      'version',
      'executable',
      'cmdparams',
      'environment',
      'exitCodes.1.description',
      'exitCodes.1.severity',
      'artifacts[0].path',
      'artifacts[0].type',
    ]);
  });

  const invalidParts: [what: string, part: object, field: string][] = [
    ['an empty name', { name: '' }, 'name'],
    ['an empty translated name', { name: { cs: '' } }, 'name.cs'],
    ['a name that is too long', { name: 'x'.repeat(256) }, 'name'],
    ['a text in no language', { description: {} }, 'description'],
    ['a text that is a number', { title: 5 }, 'title'],
    ['null', { author: null }, 'author'],
    ['an invalid name of a variable', { environment: { 'A-B': {} } }, 'environment.A-B'],
    ['an unknown type', { environment: { A: { type: 'date' } } }, 'environment.A.type'],
    ['options that are text', { environment: { A: { options: 'x' } } }, 'environment.A.options'],
    ['an exit code that is a word', { exitCodes: { ok: { description: '' } } }, 'exitCodes.ok'],
    ['an unknown key of an exit code', { exitCodes: { 0: { description: '', x: 1 } } }, 'exitCodes.0'],
    ['data without a format', { produces: { a: {} } }, 'produces.a.format'],
    ['Helm without a chart', { kubernetes: { helm: { enabled: true, releaseName: 'a' } } }, 'kubernetes.helm.chart'],
    ['Kubernetes without Helm', { kubernetes: {} }, 'kubernetes.helm'],
    ['an exit code with leading zeros', { exitCodes: { '007': { description: '' } } }, 'exit_codes.007'],
    ['an argument that is too long', { cmdparams: 'x'.repeat(40_000) }, 'arguments[0]'],
    ['topics that are not a list', { topics: 'a, b' }, 'topics'],
    ['a code that is too long', { code: 'x'.repeat(65) }, 'code'],
  ];
  for (const [what, part, field] of invalidParts)
    it(`rejects ${what}`, () => expect(errorsOf(() => read({ ...minimal, ...part }))).to.deep.equal([field]));

  for (const text of ['[]', 'null', '5', '"x"'])
    it(`rejects ${text}`, () => expect(errorsOf(() => readAppDefinition(text, 'x'))).to.deep.equal(['definition']));
});

describe('writeAppDefinition', () => {
  const app = readAppDefinition(readExample('app-definitions/invoices.app.json'), 'invoices.app.json');

  it('never writes the value of a secret', () => {
    expect(writeAppDefinition(app)).to.not.contain('hunter2');
    const key = { environment: { KEY: { type: 'secret', default: 'hunter2' } } } as const;
    expect(written({ ...read(minimal), ...key })['environment']).to.deep.equal({ KEY: { type: 'password' } });
  });

  it('writes a text that changed without its previous translations', () => {
    const renamed = written({ ...app, name: 'Bills' });
    expect(renamed['name']).to.equal('Bills');
    expect(renamed['title']).to.deep.equal({ sk: 'Faktúry do banky', de: 'Rechnungen an die Bank' });
  });

  it('writes all languages of a text whose order the store changed', () => {
    const stored = { ...app, translations: { ...app.translations, title: { de: 'Rechnungen an die Bank', sk: 'F' } } };
    expect(written(stored)['title']).to.deep.equal({ de: 'Rechnungen an die Bank', sk: 'F' });
  });

  it('writes the command line as imported, or the quoted arguments when they changed', () => {
    expect(written(app)['cmdparamsTemplate']).to.equal('--since  ${SINCE} "--note=it\'s for {BANK}" --limit={LIMIT}');
    expect(written({ ...app, arguments: ['{A}', 'b c'] })['cmdparamsTemplate']).to.equal("{A} 'b c'");
    const wait = readAppDefinition(readExample('app-definitions/wait.app.json'), 'wait');
    expect(written({ ...wait, arguments: ['{NUMBER}'] })).to.include({ cmdparams: '{NUMBER}' });
  });

  it('writes a default that changed instead of the imported one', () => {
    const list = read({ ...minimal, environment: { A: { type: 'set', defval: ['b'] } } });
    expect(list.environment).to.deep.equal({ A: { type: 'set', default: '["b"]' } });
    expect(written(list)['environment']).to.deep.equal({ A: { type: 'set', defval: ['b'] } });
    const environment = { A: { type: 'set', default: 'c' } } as const;
    expect(written({ ...list, environment })['environment']).to.deep.equal({ A: { type: 'set', defval: 'c' } });
  });

  it('writes Apps that were not imported, with fields that the format has no key for', () => {
    const created = {
      uuid: read(minimal).uuid,
      name: 'Own',
      executable: '/bin/sh',
      arguments: ['-c', 'true'],
      stdin: 'x',
      executors: ['native'],
    };
    const reread = readAppDefinition(writeAppDefinition({ ...created, enabled: false, code: 'OWN' }), 'x');
    expect(reread).to.deep.include({ ...created, enabled: false, code: 'OWN', description: null });
  });

  it('writes the retry of exit codes also where it is the default of an App', () => {
    const withExitCodes = { ...read(minimal), exit_codes: { 4: {}, 5: { retry: false, description: { cs: 'Ne' } } } };
    expect(written(withExitCodes)['exitCodes']).to.deep.equal({
      4: { description: '', retry: true },
      5: { description: { cs: 'Ne' }, retry: false },
    });
  });

  it('rejects a value that the format cannot express with its key', () =>
    expect(errorsOf(() => writeAppDefinition({ ...read(minimal), version: '1.0-beta' }))).to.deep.equal(['version']));
});

function errorsOf(run: () => unknown): string[] {
  try {
    run();
  } catch (error) {
    if (error instanceof HorariumError) return error.errors.map(({ field }) => field);
    throw error;
  }
  throw new Error('The definition was accepted.');
}
