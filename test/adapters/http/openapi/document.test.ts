import type { OpenApiDocument } from '@horarium/core';
import { expect } from 'chai';
import { type DocumentPath, DocumentSchemas } from '../../../support/http/document-schemas.ts';
import { HttpService } from '../../../support/http/http-service.ts';

interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly description: string }[];
  readonly security?: readonly object[];
  readonly requestBody?: object;
  readonly responses: Readonly<Record<string, object>>;
}

const methods = ['get', 'post', 'delete'];

describe('The OpenAPI document', () => {
  const { document } = new HttpService();
  const schemas = DocumentSchemas.of(document);
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    methods
      .filter((method) => method in item)
      .map((method) => ({ path, method, place: ['paths', path, method], ...(item[method] as Operation) })),
  );
  const operation = (id: string) => {
    const found = operations.find(({ operationId }) => operationId === id);
    if (!found) throw new Error(`There is no operation ${id}.`);
    return found;
  };
  const headersOf = (id: string) =>
    (operation(id).parameters ?? []).filter((each) => each.in === 'header').map(({ name }) => name);
  const statusesOf = (id: string) => Object.keys(operation(id).responses).map(Number);
  const answerHeaders = (id: string, status: number) =>
    Object.keys(schemas.at([...operation(id).place, 'responses', String(status)])?.part['headers'] ?? {});

  it('is OpenAPI 3.1 with its server, tags and security schemes', () => {
    const { openapi, servers, tags, security, components } = document as OpenApiDocument & {
      tags: { name: string; description: string }[];
      components: { securitySchemes: Record<string, { type: string; scheme: string }> };
    };
    expect(openapi).to.equal('3.1.0');
    expect(servers).to.deep.equal([{ url: '/api/v1' }]);
    expect(security).to.deep.equal([{ bearer: [] }, { basic: [] }]);
    const schemes = Object.entries(components.securitySchemes).map(([name, { type, scheme }]) => [name, type, scheme]);
    expect(schemes).to.deep.equal([
      ['bearer', 'http', 'bearer'],
      ['basic', 'http', 'basic'],
    ]);
    const chapters = tags.map(({ name }) => name);
    for (const { operationId, tags: own } of operations) expect(chapters, operationId).to.include.members([...own]);
    for (const { name, description } of tags) expect(description, name).to.match(/\.$/);
  });

  it('names each operation once, and describes it, its parameters and its responses', () => {
    expect(new Set(operations.map(({ operationId }) => operationId)).size).to.equal(operations.length);
    for (const { operationId, summary, description, parameters = [], place, responses } of operations) {
      expect(summary, operationId).to.match(/^[A-Z].+[^.]$/);
      expect(description, operationId).to.match(/^[A-Z].+\.$/s);
      for (const each of parameters) expect(each.description, `${operationId} ${each.name}`).to.match(/^[A-Z].+\.$/);
      for (const status of Object.keys(responses))
        expect(schemas.at([...place, 'responses', status])?.part['description'], `${operationId} ${status}`).to.match(
          /^[A-Z].+\.$/,
        );
    }
  });

  it('has an example for every body, valid by its schema', () => {
    const wrong: string[] = [];
    let bodies = 0;
    const checkExamples = (content: DocumentPath) => {
      for (const [mime, { example }] of Object.entries(schemas.at(content)?.part ?? {}) as [
        string,
        { example?: unknown },
      ][]) {
        bodies++;
        const faults = example === undefined ? 'has no example' : schemas.faults([...content, mime, 'schema'], example);
        if (faults !== null) wrong.push(`${content.join(' ')} ${mime}: ${faults}`);
      }
    };
    for (const { place, requestBody, responses } of operations) {
      if (requestBody) checkExamples([...place, 'requestBody', 'content']);
      for (const status of Object.keys(responses)) {
        const response = schemas.at([...place, 'responses', status]);
        if (response && 'content' in response.part) checkExamples([...response.location, 'content']);
      }
    }
    expect(bodies).to.be.above(1000);
    expect(wrong).to.deep.equal([]);
  });

  it('has examples of headers and parameters, valid by their schemas', () => {
    const wrong: string[] = [];
    const checkExample = (place: DocumentPath) => {
      const part = schemas.at(place)?.part;
      if (!part || part['example'] === undefined) return;
      const faults = schemas.faults([...place, 'schema'], part['example']);
      if (faults !== null) wrong.push(`${place.join(' ')}: ${faults}`);
    };
    const { headers = {} } = (document as unknown as { components: { headers: object } }).components;
    for (const name of Object.keys(headers)) checkExample(['components', 'headers', name]);
    for (const { place, parameters = [] } of operations)
      parameters.forEach((_parameter, at) => {
        checkExample([...place, 'parameters', String(at)]);
      });
    expect(wrong).to.deep.equal([]);
  });

  it('states for every object in a response whether it may have further members', () => {
    const open: string[] = [];
    const look = (schema: unknown, place: string) => {
      if (typeof schema !== 'object' || schema === null) return;
      const { properties, additionalProperties } = schema as Record<string, unknown>;
      if (properties && additionalProperties === undefined) open.push(place);
      for (const [key, inner] of Object.entries(schema)) if (key !== 'example') look(inner, `${place}/${key}`);
    };
    const { components } = document as unknown as { components: { schemas: Record<string, object> } };
    for (const [name, schema] of Object.entries(components.schemas)) look(schema, name);
    for (const { operationId, place, responses } of operations)
      for (const status of Object.keys(responses)) {
        const { content = {} } = (schemas.at([...place, 'responses', status])?.part ?? {}) as {
          content?: Record<string, { schema: object }>;
        };
        for (const { schema } of Object.values(content)) look(schema, operationId);
      }
    expect(new Set(open)).to.deep.equal(new Set());
  });

  it('lists conditional and idempotency headers where they are heeded', () => {
    expect(headersOf('saveApp')).to.deep.equal(['If-Match', 'If-None-Match', 'Idempotency-Key']);
    expect(headersOf('updateRunTemplate')).to.deep.equal(['If-Match', 'Idempotency-Key']);
    expect(headersOf('deleteCompany')).to.deep.equal(['If-Match']);
    expect(headersOf('getTask')).to.deep.equal(['If-None-Match']);
    expect(headersOf('listApps')).to.deep.equal([]);
    expect(headersOf('login')).to.deep.equal([]);
    for (const { operationId, method, security, responses } of operations) {
      const repeatable = method === 'post' && security === undefined;
      expect(headersOf(operationId).includes('Idempotency-Key'), operationId).to.equal(repeatable);
      expect('412' in responses, operationId).to.equal(
        method !== 'get' && headersOf(operationId).some((name) => name.startsWith('If-')),
      );
    }
  });

  it('lists each error where it can happen', () => {
    expect(statusesOf('saveApp')).to.have.members([
      ...[200, 201, 400, 401, 403, 404, 405, 409, 412, 413, 415, 422, 429, 500, 503],
    ]);
    expect(statusesOf('listApps')).to.have.members([200, 400, 401, 403, 404, 405, 429, 500, 503]);
    expect(statusesOf('deleteApp')).to.have.members([204, 400, 401, 403, 404, 405, 409, 412, 429, 500, 503]);
    expect(statusesOf('login')).to.have.members([200, 400, 401, 403, 404, 405, 413, 415, 422, 429, 500, 503]);
    expect(statusesOf('ping')).to.have.members([200, 400, 403, 404, 405, 422, 500, 503]);
    expect(statusesOf('getHealth')).to.have.members([200, 400, 403, 405]);
  });

  it('lists the headers of responses', () => {
    expect(answerHeaders('saveApp', 201)).to.have.members([
      'X-Request-Id',
      'ETag',
      'Location',
      'Idempotency-Replayed',
      'Warning',
    ]);
    expect(answerHeaders('getApp', 304)).to.have.members(['X-Request-Id', 'ETag']);
    expect(answerHeaders('listApps', 200)).to.have.members(['X-Request-Id', 'X-Total-Count', 'Link']);
    expect(answerHeaders('downloadArtifact', 200)).to.include('Content-Disposition');
    expect(answerHeaders('getApp', 401)).to.include('WWW-Authenticate');
    expect(answerHeaders('getApp', 405)).to.include('Allow');
    expect(answerHeaders('getApp', 429)).to.include('Retry-After');
  });
});
