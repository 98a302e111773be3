import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OpenApiDocument } from '@horarium/core';
import { expect } from 'chai';
import { bodyQuantities, parameterQuantities, quantitiesIn } from '../support/quantities/quantities.ts';
import { serviceQuantities } from '../support/quantities/service-quantities.ts';
import { sourceRoot } from './source-files.ts';

describe('Every quantity that a caller chooses', () => {
  it('has a bound in the schemas of bodies, parameters and options', async () => {
    const { bodies, parameters, options } = await serviceQuantities();
    const unbounded = [...bodies, ...parameters, ...options].filter(({ bound }) => bound === null);
    expect(unbounded.map(({ of, name }) => `${of} ${name}`)).to.deep.equal([]);
    expect(bodies.map(({ of, name }) => `${of} ${name}`)).to.include.members([
      'App arguments',
      'App arguments[]',
      'App environment.*.description',
      'RunTemplate executor_options',
      'saveJob environment.*',
      'login password',
    ]);
    expect(parameters.map(({ of, name }) => `${of} ${name}`)).to.include.members([
      'query limit',
      'header Idempotency-Key',
      'path appId',
    ]);
    expect(options.map(({ of, name }) => `${of} ${name}`)).to.include.members(['executor http headers.*']);
  });

  it('is in SECURITY.md', () => {
    const page = readFileSync(join(sourceRoot, 'SECURITY.md'), 'utf8');
    expect(page).to.match(/<!-- quantities -->\n\n### [\s\S]*<!-- \/quantities -->/);
  });

  const unboundedIn = (schema: object) =>
    quantitiesIn(schema as never, '', 'x').flatMap(({ name, bound }) => (bound === null ? [name] : []));

  for (const [schema, names] of [
    [{ type: 'string' }, ['x']],
    [{ type: 'string', maxLength: 5 }, []],
    [{ type: ['string', 'null'], maxLength: 5 }, []],
    [{ type: 'string', enum: ['a'] }, []],
    [{ type: 'string', format: 'date-time' }, []],
    [{ type: 'string', readOnly: true }, []],
    [{ type: 'integer', minimum: 0 }, ['x']],
    [{ type: 'integer', minimum: 0, maximum: 9 }, []],
    [{ type: 'array', items: { type: 'string' } }, ['x', 'x[]']],
    [{ type: 'array', maxItems: 2, items: { type: 'string', maxLength: 5 } }, []],
    [{ type: 'object', properties: { a: { type: 'string' } }, additionalProperties: false }, ['x.a']],
    [{ type: 'object', properties: {} }, ['x']],
    [{ type: 'object', additionalProperties: { type: 'string' } }, ['x', 'keys of x', 'x.*']],
    [{ type: 'object', additionalProperties: true, 'x-max-json-length': 9 }, []],
    [{ anyOf: [{ enum: ['a'] }, { type: 'string' }] }, ['x']],
    [{}, ['x']],
  ] as const)
    it(`is found without a bound in ${JSON.stringify(schema)}: ${names.join(', ') || 'none'}`, () => {
      expect(unboundedIn(schema)).to.deep.equal(names);
    });

  it('is found in every body and parameter of a document', () => {
    const parameter = { name: 'size', in: 'query', schema: { type: 'integer' } };
    const word = { name: 'word', in: 'query', schema: { type: 'string' } };
    const $ref = '#/components/schemas/ThingInput';
    const post = {
      operationId: 'saveThing',
      parameters: [parameter, word],
      requestBody: { content: { 'application/json': { schema: { $ref } } } },
    };
    const ThingInput = { type: 'object', properties: { name: { type: 'string' } }, additionalProperties: false };
    const document = { paths: { '/thing': { post } }, components: { schemas: { ThingInput } } };
    const limits = { path: 'p', query: 'q', header: 'h' };
    expect(bodyQuantities(document as unknown as OpenApiDocument)).to.deep.equal([
      { of: 'Thing', name: 'name', bound: null },
    ]);
    expect(parameterQuantities(document as unknown as OpenApiDocument, limits)).to.deep.equal([
      { of: 'query', name: 'size', bound: null },
      { of: 'query', name: 'word', bound: 'q' },
    ]);
  });
});
