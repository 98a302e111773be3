import { expect } from 'chai';
import type { Variable } from '#core/app/declarations';
import { checkVariable } from '#core/app/variable-value';
import { decryptOverrides, encryptOverrides } from '#core/job/overrides';
import { mask } from '#core/secret/ciphertext';
import { invalidFields, recordServices, recordWorld, root, smallCompany } from '../../support/worlds/record-world.ts';

const set: Variable = { type: 'set', options: ['small', 'large'] };
/** Each row: a variable, valid and invalid values of it, and the message for the invalid ones. */
const cases: readonly [Variable, valid: readonly string[], invalid: readonly string[], message: string][] = [
  [{}, ['anything', ' ', '{X}'], [], ''],
  [{ type: 'text' }, ['two\nlines'], [], ''],
  [{ type: 'password' }, ['p4ss'], [], ''],
  [{ type: 'secret' }, ['s3cret'], [], ''],
  [
    { type: 'integer' },
    ['0', '-5', '+7', '007', '12345678901234567890'],
    ['abc', '1.5', '1e3', '0x1f', ' 1', '1 ', '١'],
    'must be a whole number',
  ],
  [
    { type: 'float' },
    ['0', '-1.5', '.5', '5.', '1e-9', '+2E10'],
    ['abc', '1,5', '.', 'e5', 'NaN', 'Infinity', '1.2.3'],
    'must be a number',
  ],
  [
    { type: 'bool' },
    ['true', 'false', 'TRUE', 'yes', 'no', 'on', 'off', '1', '0'],
    ['2', 'y', 'maybe', ' true'],
    'must be true or false',
  ],
  [{ type: 'email' }, ['jane@acme.example'], ['jane', 'jane@', 'a b@c.example'], 'must be an e-mail address'],
  [
    { type: 'url' },
    ['https://acme.example/a?b=c', 'postgres://db:5432/shop', 'file:///tmp/x'],
    ['acme.example', '/a/b', 'http://', 'https://a b'],
    'must be an absolute URL',
  ],
  [{ type: 'file-path' }, ['/etc/passwd', 'a/b.txt', 'C:\\x'], ['a\0b', 'a\nb'], 'must be a path of one line'],
  [set, ['small', 'large'], ['Small', 'medium', 'toString', '0'], 'must be one of small, large'],
  [{ type: 'set', options: { s: 'Small', 7: 'Seven' } }, ['s', '7'], ['Small', 'S'], 'must be one of 7, s'],
  [{ type: 'set' }, ['anything'], [], ''],
];

describe('checkVariable', () => {
  for (const [variable, valid, invalid, message] of cases) {
    it(`accepts valid values of ${JSON.stringify(variable)} and rejects others`, () => {
      for (const value of ['', ...valid]) expect(checkVariable(variable, value), JSON.stringify(value)).to.equal(null);
      for (const value of invalid) expect(checkVariable(variable, value), JSON.stringify(value)).to.equal(message);
    });
  }
});

describe('checkVariable with values of any size', () => {
  it('reads a long number once', () => {
    // Reading it again from each of its digits would take hours.
    const digits = '1'.repeat(2_000_000);
    expect(checkVariable({ type: 'float' }, `${digits}x`)).to.equal('must be a number');
    expect(checkVariable({ type: 'float' }, `${digits}.${digits}e9`)).to.equal(null);
  });

  it('lists twenty choices in a thousand characters at most', () => {
    const options = Array.from({ length: 21 }, (_, index) => `c${index}`);
    const message = (choices: string[]) => checkVariable({ type: 'set', options: choices }, 'x');
    expect(message(options.slice(1))).to.equal(`must be one of ${options.slice(1).join(', ')}`);
    expect(message(options)).to.equal(`must be one of ${options.slice(0, 20).join(', ')} … (21 in all)`);
    expect(message(['y'.repeat(2000)])).to.equal(`must be one of ${'y'.repeat(1000)} … (1 in all)`);
  });
});

describe('Values of variables', () => {
  const environment: Record<string, Variable> = { SIZE: set, PORT: { type: 'integer' }, KEY: { type: 'secret' } };

  async function worldWithTypes() {
    const world = recordWorld();
    const { app, company, template } = await smallCompany(world);
    await world.save('App', { id: app.id, environment });
    const save = (values: Record<string, unknown>) => world.save('RunTemplate', { id: template.id, ...values });
    return { world, app, company, template, save };
  }

  it('are rejected in a template when they are not of the type that its App declares', async () => {
    const { save } = await worldWithTypes();
    expect(await invalidFields(save({ environment: { PORT: 'abc', SIZE: 'medium', KEY: 'any' } }))).to.eql([
      'environment.PORT',
      'environment.SIZE',
    ]);
    await save({ environment: { PORT: '80', SIZE: 'small', KEY: 'any' } });
  });

  it('are accepted in a template when they contain a placeholder', async () => {
    const { save } = await worldWithTypes();
    expect((await save({ environment: { PORT: '{OTHER}' } })).environment).to.eql({ PORT: '{OTHER}' });
  });

  it('are accepted in a company, whose apps may declare a key differently', async () => {
    const { world, company } = await worldWithTypes();
    await world.save('Company', { id: company.id, environment: { PORT: 'abc' } });
  });

  it('are checked in a saved template only if they change or its App does', async () => {
    const { world, app, save } = await worldWithTypes();
    await world.save('App', { id: app.id, environment: { PORT: {} } });
    await save({ environment: { PORT: 'abc' } });
    await world.save('App', { id: app.id, environment });
    await save({ name: 'still saved', environment: { PORT: 'abc' } });
    expect(await invalidFields(save({ environment: { PORT: 'abcd' } }))).to.eql(['environment.PORT']);
    const other = await world.save('App', { name: 'other', executable: 'x', environment });
    expect(await invalidFields(save({ app_id: other.id }))).to.eql(['environment.PORT']);
  });

  it('are rejected as the default of a variable when they are not of its type', async () => {
    const { world, app } = await worldWithTypes();
    const wrong = { PORT: { type: 'integer', default: 'abc' }, FLAG: { type: 'bool', default: false } };
    expect(await invalidFields(world.save('App', { id: app.id, environment: wrong }))).to.eql([
      'environment.PORT.default',
    ]);
  });

  it('are rejected for one job when they are not of the type that its App declares', async () => {
    const { world, app, template } = await worldWithTypes();
    const owner = { template, app: { id: app.id, environment } };
    const encrypt = (given: Record<string, string>) =>
      world.store.transaction(root, (tables) => encryptOverrides(tables, recordServices.vault, owner, given));
    expect(await invalidFields(encrypt({ PORT: '{KEY}', SIZE: 'medium' }))).to.eql([
      'environment.PORT',
      'environment.SIZE',
    ]);
    const stored = await encrypt({ PORT: '80', KEY: 'any' });
    expect(decryptOverrides(recordServices.vault, template.id, stored)).to.eql({ PORT: '80', KEY: 'any' });
    expect(await invalidFields(encrypt({ KEY: mask }))).to.eql(['environment.KEY']);
  });
});

describe('Artifact patterns of an App', () => {
  it('need no media type', async () => {
    const world = recordWorld();
    const artifacts = [{ name: 'dump', path: '^dump$' }];
    const app = await world.save('App', { name: 'x', executable: 'x', artifacts });
    expect(app.artifacts).to.deep.equal(artifacts);
  });
});
