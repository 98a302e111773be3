import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { expect } from 'chai';
import fc from 'fast-check';
import { readAppDefinition } from '../../../plugins/import-app-definition/read-definition.ts';
import { writeAppDefinition } from '../../../plugins/import-app-definition/write-definition.ts';
import { readExample, realFiles } from '../../support/formats/example-files.ts';
import { definitions } from './definitions.ts';

type Entries = Record<string, Record<string, unknown>>;
type Definition = Record<string, unknown> & { environment: Entries; exitCodes?: Entries };

/** Normalizes a definition: writes defaults out, and uses one notation where the format allows several. */
function normalized(text: string): unknown {
  const definition = JSON.parse(text) as Definition;
  const { uuid } = readAppDefinition(text, 'x');
  const { enabled, exitCodes, ...rest } = definition;
  return {
    ...rest,
    ...(enabled === false ? { enabled } : {}),
    uuid,
    environment: mapValues(definition.environment, ({ defval, ...variable }) => {
      // No channel shows the value of a secret.
      const isHidden = defval === undefined || (variable['type'] === 'password' && Boolean(defval));
      return isHidden ? variable : { ...variable, defval };
    }),
    ...(exitCodes === undefined
      ? {}
      : {
          exitCodes: mapValues(exitCodes, ({ description, ...code }) => ({
            retry: false,
            ...code,
            description: typeof description === 'string' ? { en: description } : description,
          })),
        }),
  };
}

function mapValues<T>(object: Record<string, T>, change: (value: T) => unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]));
}

/** Expects a definition to be equivalent after import and export, and unchanged by a second round trip. */
function expectRoundTrip(text: string): void {
  const app = readAppDefinition(text, 'x');
  const exported = writeAppDefinition(app);
  expect(normalized(exported)).to.deep.equal(normalized(text));
  const { enabled, ...reread } = readAppDefinition(exported, 'x');
  const withoutSecrets = mapValues(app.environment ?? {}, ({ default: value, ...variable }) => {
    const isHidden = value === undefined || (variable.type === 'password' && Boolean(value));
    return isHidden ? variable : { ...variable, default: value };
  });
  const { enabled: wasEnabled = true, ...before } = app;
  expect(enabled ?? true).to.equal(wasEnabled);
  expect(reread).to.deep.equal({ ...before, environment: withoutSecrets });
  expect(writeAppDefinition({ ...reread, enabled: wasEnabled })).to.equal(exported);
}

describe('An application definition that is imported and exported', () => {
  it('is equivalent to the original, and importing it again changes nothing', () =>
    fc.assert(
      fc.property(definitions, (definition) => expectRoundTrip(JSON.stringify(definition))),
      { numRuns: 500 },
    ));

  it('is equivalent to the original after a store has sorted its keys', () =>
    fc.assert(
      fc.property(definitions, (definition) => {
        const text = JSON.stringify(definition);
        const stored = sortKeys(readAppDefinition(text, 'x')) as never;
        expect(normalized(writeAppDefinition(stored))).to.deep.equal(normalized(text));
      }),
    ));

  for (const name of ['invoices.app.json', 'wait.app.json'])
    it(`is equivalent to the original: ${name}`, () => expectRoundTrip(readExample(`app-definitions/${name}`)));

  for (const { name, text } of realFiles('app-definitions').filter((file) =>
    /(?<!^invalid)\.app\.json$/.test(file.name),
  ))
    it(`is equivalent to the original: ${name} of the real files`, () => expectRoundTrip(text));
});

describe('The validation of application definitions', () => {
  const schema = realFiles('app-definitions').find(({ name }) => name === 'schema.json');

  it('accepts exactly what the published JSON schema accepts', function () {
    if (!schema) return this.skip();
    const { $schema: _draft, $id: _id, ...rest } = JSON.parse(schema.text);
    const ajv = new Ajv({ strict: false });
    addFormats.default(ajv);
    const validate = ajv.compile(rest);
    const expectAgreement = (definition: unknown) => {
      let accepted = true;
      try {
        readAppDefinition(JSON.stringify(definition), 'x');
      } catch {
        accepted = false;
      }
      expect(accepted, JSON.stringify([definition, validate.errors])).to.equal(validate(definition));
    };
    fc.assert(fc.property(definitions, expectAgreement));
    // Keys that only this importer reads, or checks more strictly than the schema, are not replaced.
    const importerKeys =
      /^(?:code|topics|setup|deploy|resultfile|stdin|enabled|cmdparams\w*|further-key|name|executable)$/;
    const replacements = fc.constantFrom<unknown>(
      undefined,
      null,
      5,
      'x',
      true,
      [],
      [1],
      {},
      { a: 1 },
      { en: 'x' },
      { en: 5 },
    );
    fc.assert(
      fc.property(definitions, fc.nat(), replacements, (definition, which, value) => {
        const candidates = paths(definition).filter(([first]) => !importerKeys.test(first as string));
        const path = candidates[which % candidates.length] as string[];
        // The schema accepts any name as that of an environment variable.
        fc.pre(path.join() !== 'environment' || Object.keys(value ?? []).length === 0);
        expectAgreement(replaceAt(definition, path, value));
      }),
      { numRuns: 400 },
    );
  });
});

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => a.length - b.length || (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, each]) => [key, sortKeys(each)]));
}

function paths(value: unknown, path: string[] = []): string[][] {
  const inner = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  const below = inner.flatMap(([key, each]) => paths(each, [...path, key]));
  return path.length === 0 ? below : [path, ...below];
}

function replaceAt(value: unknown, [first, ...rest]: string[], replacement: unknown): unknown {
  if (first === undefined) return replacement;
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as Record<string, unknown>;
  const inner = replaceAt(copy[first], rest, replacement);
  if (inner === undefined && !Array.isArray(value)) delete copy[first];
  else copy[first] = inner;
  return copy;
}
