import { expect } from 'chai';
import fc from 'fast-check';
import { maxPart, maxTotal } from '#core/environment/attempt-size';
import { type EnvironmentSources, resolveEnvironment } from '#core/environment/environment';
import { type LayeredEnvironment, replaceAll, sizes, texts } from '#core/environment/layered-environment';

type Sources = Partial<Omit<EnvironmentSources, 'app'>> & { app?: Partial<EnvironmentSources['app']> };

function resolve({ app, ...sources }: Sources) {
  return resolveEnvironment({
    app: { executable: 'run', arguments: [], environment: {}, ...app },
    company: {},
    template: {},
    credentials: [],
    overrides: {},
    service: {},
    ...sources,
  });
}

const declares = (...keys: string[]) => Object.fromEntries(keys.map((key) => [key, {}]));

describe('resolveEnvironment', () => {
  it('gives precedence to later layers: app, company, template, credentials, one-off values, service', () => {
    const layers = ['app', 'company', 'template', 'credential', 'override', 'service'];
    layers.forEach((_, from) => {
      const valueFrom = (layer: string) => (layers.indexOf(layer) <= from ? { KEY: layer } : {});
      const { environment } = resolve({
        app: { environment: { KEY: { default: 'app' } } },
        company: valueFrom('company'),
        template: valueFrom('template'),
        credentials: [{ values: valueFrom('credential'), fields: [{ keyword: 'KEY' }] }],
        overrides: valueFrom('override'),
        service: valueFrom('service'),
      });
      expect(environment).to.deep.equal({ KEY: layers[from] });
    });
  });

  it('hands on only keys that the app or the type of a credential declares', () => {
    const { environment, secrets } = resolve({
      app: { environment: declares('APP_KEY', 'TOKEN') },
      company: { APP_KEY: '1', BASH_ENV: '/tmp/company' },
      template: { TYPE_KEY: '2', LOST_DECLARATION: '3' },
      credentials: [
        { values: { TYPE_KEY: 4, LOST_FIELD: '5' }, fields: [{ keyword: 'TYPE_KEY' }] },
        { values: { TOKEN: 'a secret', NODE_OPTIONS: '--require=/tmp/untyped' }, fields: null },
      ],
      overrides: { APP_KEY: '7', LD_PRELOAD: '/tmp/one-off' },
      service: { HORARIUM_JOB_ID: '8' },
    });
    expect(environment).to.deep.equal({ APP_KEY: '7', TYPE_KEY: '4', TOKEN: 'a secret', HORARIUM_JOB_ID: '8' });
    expect(secrets).to.deep.equal(['a secret']);
  });

  it('converts defaults and values of credentials to text', () => {
    const { environment } = resolve({
      app: { environment: { N: { default: 5 }, B: { default: false }, U: { default: null }, W: {} } },
      credentials: [
        {
          values: { P: 5432, T: true, X: null },
          fields: [{ keyword: 'P' }, { keyword: 'T' }, { keyword: 'X' }, { keyword: 'D', default: 1 }],
        },
      ],
    });
    expect(environment).to.deep.equal({ N: '5', B: 'false', P: '5432', T: 'true', D: '1' });
  });

  it('replaces {KEY} and ${KEY} of declared keys inside each argument', () => {
    const patterns = ['{A}', '$' + '{A}', 'x{A}y$' + '{B}z', '{C}', '$A', '{A', '{ A }', '{a}', '{}', '{UNSET}'];
    const { arguments: argv } = resolve({
      app: { environment: declares('A', 'B', 'UNSET'), arguments: patterns },
      template: { A: 'one two', B: `"'; rm -rf`, C: 'not declared' },
    });
    expect(argv).to.deep.equal([
      'one two',
      'one two',
      `xone twoy"'; rm -rfz`,
      '{C}',
      '$A',
      '{A',
      '{ A }',
      '{a}',
      '{}',
      '',
    ]);
  });

  it('replaces keys that a credential type declares', () => {
    const { arguments: argv } = resolve({
      app: { arguments: ['--user={USER_NAME}'] },
      credentials: [{ values: { USER_NAME: 'eva' }, fields: [{ keyword: 'USER_NAME' }] }],
    });
    expect(argv).to.deep.equal(['--user=eva']);
  });

  it('replaces placeholders in values of app, company and template, but not of credentials, one-off values or the service', () => {
    const { environment } = resolve({
      app: {
        environment: { ...declares('HOST', 'SECRET', 'C', 'O', 'COMPANY', 'TEMPLATE'), APP: { default: 'a {HOST}' } },
      },
      company: { HOST: 'h', COMPANY: 'c {HOST}' },
      template: { TEMPLATE: 't {HOST} {SECRET}' },
      credentials: [{ values: { SECRET: '{HOST}', C: '{O}' }, fields: null }],
      overrides: { O: '{SECRET}' },
      service: { HORARIUM_JOB_ID: '{HOST}' },
    });
    expect(environment).to.include({ APP: 'a h', COMPANY: 'c h', TEMPLATE: 't h {HOST}' });
    expect(environment).to.include({ SECRET: '{HOST}', C: '{O}', O: '{SECRET}', HORARIUM_JOB_ID: '{HOST}' });
  });

  it('does not replace placeholders in text that replaced a placeholder', () => {
    const { environment, arguments: argv } = resolve({
      app: { environment: declares('A', 'B', 'C'), arguments: ['{A}', '{B}'] },
      template: { A: '{B}', B: '{C}', C: '{A}' },
    });
    expect(environment).to.deep.equal({ A: '{C}', B: '{A}', C: '{B}' });
    expect(argv).to.deep.equal(['{C}', '{A}']);
  });

  it('never changes the number of arguments, nor the executable', () => {
    const text = fc.string({ unit: 'binary' });
    const key = fc.constantFrom('A', 'B', '{A}', '__proto__', 'constructor');
    fc.assert(
      fc.property(fc.array(text), fc.dictionary(key, text), (patterns, template) => {
        const app = { environment: declares('A', 'B'), arguments: patterns, executable: '{A}' };
        const resolved = resolve({ app, template });
        expect(resolved.arguments).to.have.length(patterns.length);
        expect(resolved.executable).to.equal('{A}');
      }),
    );
  });

  it('names variables whose resolved value is not of the declared type, without the value', () => {
    const app = { environment: { PORT: { type: 'integer' }, SIZE: { type: 'set', options: ['s', 'l'] } } } as const;
    expect(resolve({ app, company: { PORT: '80' }, template: { SIZE: 's' } }).invalid).to.equal(null);
    expect(resolve({ app, company: { PORT: 'abc' } }).invalid).to.equal('the variable PORT must be a whole number');
    const credentials = [{ values: { PORT: 'a secret' }, fields: null }];
    expect(resolve({ app, credentials, overrides: { SIZE: 'm' } }).invalid).to.equal(
      'the variable PORT must be a whole number; the variable SIZE must be one of s, l',
    );
    const template = { PORT: '80{DIGIT}' };
    const appWithDigit = { environment: { ...app.environment, DIGIT: {} } };
    expect(resolve({ app: appWithDigit, template, overrides: { DIGIT: '8' } }).invalid).to.equal(null);
    expect(resolve({ app: appWithDigit, template, overrides: { DIGIT: 'x' } }).invalid).to.equal(
      'the variable PORT must be a whole number',
    );
  });

  it('names the required keys of the App that have no value, and not those of a type, which its credentials may lack', () => {
    const app = { environment: { A: { required: true }, B: { required: true, default: 'x' }, C: {} } };
    const credentials = [{ values: {}, fields: [{ keyword: 'P', required: true }] }];
    expect(resolve({ app, credentials }).missing).to.equal('the required variable A has no value');
    expect(resolve({ app }).missing).to.equal('the required variable A has no value');
    expect(resolve({ app, template: { A: '' } }).missing).to.equal('the required variable A has no value');
    expect(resolve({ app, overrides: { A: '1' } }).missing).to.equal(null);
  });

  it('returns the secret values that the attempt is given, from whichever layer, so that they can be masked', () => {
    const { secrets, secretVariables } = resolve({
      app: {
        environment: { A: { type: 'password', default: 'app-secret' }, ...declares('B', 'D', 'E', 'F', 'S') },
      },
      company: { A: 'company-secret', B: 'plain', S: 'typed elsewhere' },
      template: { A: 'template-secret' },
      credentials: [
        { values: { C: 'credential-secret', D: 'shown' }, fields: [{ keyword: 'C', secret: true }, { keyword: 'D' }] },
        { values: { E: 'untyped', F: null }, fields: null },
      ],
      overrides: { A: 'one-off-secret' },
      service: { HORARIUM_PING_URL: 'https://x/ping?key=1' },
      secretVariables: new Set(['S', 'HORARIUM_PING_URL', 'ABSENT']),
    });
    expect([...secretVariables]).to.have.members(['A', 'C', 'E', 'S', 'HORARIUM_PING_URL']);
    expect(secrets).to.have.members(['one-off-secret', 'credential-secret', 'untyped', 'typed elsewhere']);
  });

  it('returns secret values with their placeholders replaced and as they were saved, and none that is too short', () => {
    const environment = { A: { type: 'secret' }, B: { type: 'secret' }, C: {} } as const;
    const { secrets } = resolve({ app: { environment }, template: { A: 'key of {C}', B: '12345', C: 'Brno' } });
    expect(secrets).to.have.members(['key of {C}', 'key of Brno']);
  });

  it('resolves variables whose names are members of Object.prototype', () => {
    const environment = { constructor: { type: 'secret' }, toString: { required: true } } as const;
    const { secrets, missing } = resolve({ app: { environment }, overrides: { constructor: 'hidden' } });
    expect(secrets).to.deep.equal(['hidden']);
    expect(missing).to.equal('the required variable toString has no value');
  });

  it('does not treat empty or blank values as secrets', () => {
    const app = { environment: { A: { type: 'secret' }, B: { type: 'secret' } } } as const;
    expect(resolve({ app, template: { A: '', B: '  ' } }).secrets).to.deep.equal([]);
  });
});

describe('The size of what an attempt is given', () => {
  const key = fc.constantFrom('A', 'B', 'C');
  const piece = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    key.map((name) => `{${name}}`),
    key.map((name) => `$\{${name}}`),
  );
  const value = fc.array(piece).map((pieces) => pieces.join(''));
  const layered: fc.Arbitrary<LayeredEnvironment> = fc.record({
    declaredKeys: fc.uniqueArray(key).map((keys) => new Set(keys)),
    values: fc.dictionary(key, value).map((values) => new Map(Object.entries(values))),
    literalKeys: fc.uniqueArray(key).map((keys) => new Set(keys)),
  });

  it('is computed as what is built then has', () => {
    fc.assert(
      fc.property(fc.array(value), layered, (patterns, environment) => {
        const computed = replaceAll(patterns, environment, sizes);
        const built = replaceAll(patterns, environment, texts);
        expect(computed.arguments).to.deep.equal(built.arguments.map((text) => Buffer.byteLength(text)));
        for (const [name, text] of built.environment)
          expect(computed.environment.get(name)).to.equal(Buffer.byteLength(text));
        expect(computed.environment.size).to.equal(built.environment.size);
      }),
    );
  });

  it('is limited for each variable, with its name, in bytes', () => {
    const app = { environment: declares('PART', 'WHOLE') };
    const PART = 'é'.repeat(1000);
    const WHOLE = '{PART}'.repeat(65) + 'x'.repeat(maxPart - 'WHOLE='.length - 65 * 2000);
    expect(resolve({ app, template: { PART, WHOLE } }).environment['WHOLE']).to.have.length(maxPart - 6 - 65 * 1000);
    expect(() => resolve({ app, template: { PART, WHOLE: `${WHOLE}x` } })).to.throw(
      'the variable WHOLE has 131072 bytes; at most 131071 are allowed',
    );
    expect(() => resolve({ app, overrides: { WHOLE: 'x'.repeat(maxPart) } })).to.throw('the variable WHOLE has 131077');
  });

  it('is limited for each argument, in bytes', () => {
    const app = { environment: declares('A'), arguments: ['first', '{A}'.repeat(131) + 'y'.repeat(71)] };
    expect(resolve({ app, template: { A: 'x'.repeat(1000) } }).arguments[1]).to.have.length(maxPart);
    expect(() => resolve({ app, template: { A: 'x'.repeat(1001) } })).to.throw(
      'argument 2 has 131202 bytes; at most 131071 are allowed',
    );
  });

  it('is limited for the executable, the environment and the arguments together', () => {
    const part = 'x'.repeat(100_000);
    const used = 10 * part.length + 'run'.length + 'A='.length;
    const fitting = {
      arguments: new Array(10).fill(part),
      environment: { A: { default: 'y'.repeat(maxTotal - used) } },
    };
    expect(resolve({ app: fitting }).arguments).to.have.length(10);
    expect(() => resolve({ app: { ...fitting, executable: 'runs' } })).to.throw(
      'environment and arguments have 1048577 bytes together, at most 1048576 are allowed; argument 1 has 100000 bytes',
    );
  });

  it('is refused without building anything, however much that would be', () => {
    const app = { environment: declares('A'), arguments: new Array(30).fill('{A}'.repeat(10_000)) };
    // Built, this would have 9 GB.
    expect(() => resolve({ app, template: { A: 'x'.repeat(32_768) } })).to.throw('argument 1 has 327680000 bytes');
  });
});
