import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { expect } from 'chai';
import fc from 'fast-check';
import { readAppDefinition } from '../../../plugins/import-app-definition/read-definition.ts';
import { writeAppDefinition } from '../../../plugins/import-app-definition/write-definition.ts';
import { readExample, realFiles } from '../../support/formats/example-files.ts';
import { definitions } from './definitions.ts';

type Things = Record<string, Record<string, unknown>>;
type Definition = Record<string, unknown> & { environment: Things; exitCodes?: Things };

/** The meaning of a definition: defaults written out, one spelling where there are several. */
function meaning(text: string): unknown {
  const definition = JSON.parse(text) as Definition;
  const { uuid } = readAppDefinition(text, 'x');
  const { enabled, exitCodes, ...rest } = definition;
  return {
    ...rest,
    ...(enabled === false ? { enabled } : {}),
    uuid,
    environment: mapped(definition.environment, ({ defval, ...variable }) => {
      // No channel shows the value of a secret.
      const hidden = defval === undefined || (variable['type'] === 'password' && Boolean(defval));
      return hidden ? variable : { ...variable, defval };
    }),
    ...(exitCodes === undefined
      ? {}
      : {
          exitCodes: mapped(exitCodes, ({ description, ...code }) => ({
            retry: false,
            ...code,
            description: typeof description === 'string' ? { en: description } : description,
          })),
        }),
  };
}

function mapped<T>(object: Record<string, T>, change: (value: T) => unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]));
}

function check(text: string): void {
  const app = readAppDefinition(text, 'x');
  const exported = writeAppDefinition(app);
  expect(meaning(exported)).to.deep.equal(meaning(text));
  const { enabled, ...again } = readAppDefinition(exported, 'x');
  const withoutSecrets = mapped(app.environment ?? {}, ({ default: value, ...variable }) => {
    const hidden = value === undefined || (variable.type === 'password' && Boolean(value));
    return hidden ? variable : { ...variable, default: value };
  });
  const { enabled: was = true, ...before } = app;
  expect(enabled ?? true).to.equal(was);
  expect(again).to.deep.equal({ ...before, environment: withoutSecrets });
  expect(writeAppDefinition({ ...again, enabled: was })).to.equal(exported);
}

describe('An application definition that is imported and exported', () => {
  it('means the same, and importing it again changes nothing', () =>
    fc.assert(
      fc.property(definitions, (definition) => check(JSON.stringify(definition))),
      { numRuns: 500 },
    ));

  it('means the same after a store has sorted its keys', () =>
    fc.assert(
      fc.property(definitions, (definition) => {
        const text = JSON.stringify(definition);
        const stored = sorted(readAppDefinition(text, 'x')) as never;
        expect(meaning(writeAppDefinition(stored))).to.deep.equal(meaning(text));
      }),
    ));

  for (const name of ['invoices.app.json', 'wait.app.json'])
    it(`means the same: ${name}`, () => check(readExample(`app-definitions/${name}`)));

  for (const { name, text } of realFiles('app-definitions').filter((file) =>
    /(?<!^invalid)\.app\.json$/.test(file.name),
  ))
    it(`means the same: ${name} of the real files`, () => check(text));
});

describe('The schema of application definitions', () => {
  const schema = realFiles('app-definitions').find(({ name }) => name === 'schema.json');

  it('agrees with the published JSON schema', function () {
    if (!schema) return this.skip();
    const { $schema: _draft, $id: _id, ...rest } = JSON.parse(schema.text);
    const ajv = new Ajv({ strict: false });
    addFormats.default(ajv);
    const follows = ajv.compile(rest);
    const agree = (definition: unknown) => {
      let accepted = true;
      try {
        readAppDefinition(JSON.stringify(definition), 'x');
      } catch {
        accepted = false;
      }
      expect(accepted, JSON.stringify([definition, follows.errors])).to.equal(follows(definition));
    };
    fc.assert(fc.property(definitions, agree));
    // Keys that only this importer reads, or checks more strictly than the schema, are not damaged.
    const ours = /^(?:code|topics|setup|deploy|resultfile|stdin|enabled|cmdparams\w*|further-key|name|executable)$/;
    const damage = fc.constantFrom<unknown>(
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
      fc.property(definitions, fc.nat(), damage, (definition, which, value) => {
        const places = paths(definition).filter(([first]) => !ours.test(first as string));
        const path = places[which % places.length] as string[];
        // The schema accepts any name as that of an environment variable.
        fc.pre(path.join() !== 'environment' || Object.keys(value ?? []).length === 0);
        agree(damaged(definition, path, value));
      }),
      { numRuns: 400 },
    );
  });
});

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => a.length - b.length || (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, each]) => [key, sorted(each)]));
}

function paths(value: unknown, path: string[] = []): string[][] {
  const inner = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  const below = inner.flatMap(([key, each]) => paths(each, [...path, key]));
  return path.length === 0 ? below : [path, ...below];
}

function damaged(value: unknown, [first, ...rest]: string[], put: unknown): unknown {
  if (first === undefined) return put;
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as Record<string, unknown>;
  const inner = damaged(copy[first], rest, put);
  if (inner === undefined && !Array.isArray(value)) delete copy[first];
  else copy[first] = inner;
  return copy;
}
