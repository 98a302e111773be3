import { StaleRow } from '@horarium/core';
import type { ApiOperation } from '../../../plugins/docs/api/operations.ts';
import { basic, type HttpService } from './http-service.ts';
import { type Change, exampleOf, idParameter, type OperationRequests } from './operation-requests.ts';

/** Larger than the body limit of the service. */
const large = 'x'.repeat(100_000);
const password = 'a wrong password';
const unknownId = 999_999;

/** Provokes each error that an operation describes. */
export class ErrorRequests {
  readonly #service: HttpService;
  readonly #requests: OperationRequests;

  constructor(service: HttpService, requests: OperationRequests) {
    this.#service = service;
    this.#requests = requests;
  }

  /** @returns the status of the response. */
  async cause(operation: ApiOperation, status: number): Promise<number> {
    const { core } = this.#service;
    const send = (change: Change) => this.#requests.send(operation, change);
    if (status === 429) return this.#guess(operation);
    if (status === 409 && operation.method === 'POST') await send(keyed(operation));
    const last = await this.#requests.ready(operation, this.#change(operation, status));
    if (status === 500) core.database.fault = () => new TypeError('as only a bug does');
    if (status === 503) core.database.broken = true;
    if (status === 409 && operation.method === 'DELETE')
      core.database.fault = (readOnly) => (readOnly ? null : new StaleRow('Record', 1));
    try {
      return (await last()).status;
    } finally {
      core.database.broken = false;
      core.database.fault = () => null;
    }
  }

  /** Guesses passwords until the login throttle refuses. */
  async #guess(operation: ApiOperation): Promise<number> {
    let status = 401;
    for (let guess = 0; guess < 50 && status === 401; guess++)
      ({ status } = await this.#requests.send(operation, as(operation, 'guesser')));
    return status;
  }

  #change(operation: ApiOperation, status: number): Change {
    const { operationId, path } = operation;
    const idName = idParameter(operation);
    const search = idName === undefined ? '' : `${idName}=${this.#requests.ids.get(idName)}`;
    const heartbeat = operationId === 'ping' ? { search: 'job=1&key=wrong' } : {};
    switch (status) {
      case 400:
        return { search: 'nonsense=1' };
      case 401:
        return operation.security === undefined ? { headers: { authorization: [] } } : as(operation, 'unknown');
      case 403:
        return { headers: { host: 'jobs.acme.test', authorization: this.#service.admin } };
      case 404:
        if (path.endsWith('.{suffix}')) return { suffix: 'nonsense' };
        return path.includes('{') ? { id: unknownId } : { search: `${idName}=${unknownId}` };
      case 405:
        return { method: 'PATCH' };
      case 409:
        return operation.method === 'POST' ? keyed(operation, bodyLike(operation)) : {};
      case 412:
        return { search, headers: { 'if-match': '"v999"' } };
      case 413:
        return { body: large };
      case 415:
        return { body: 'name: x', headers: { 'content-type': 'text/plain' } };
      case 422:
        if (operation.method === 'POST') return { body: '{"twice": 1, "twice": 2}' };
        return { search: `job=1&key=wrong&message=${'x'.repeat(1001)}` };
      case 500:
      case 503:
        return heartbeat;
      default:
        throw new Error(`${operationId} describes ${status}, which no request here causes.`);
    }
  }
}

/** Credentials with a wrong password. */
function as({ operationId }: ApiOperation, login: string): Change {
  if (operationId === 'login') return { body: { login, password } };
  return { headers: { authorization: basic(login, password) } };
}

function keyed({ operationId }: ApiOperation, body?: string): Change {
  return { ...(body !== undefined && { body }), headers: { 'idempotency-key': `of-${operationId}` } };
}

/** The body of the example in different bytes, so that its idempotency key does not fit. */
function bodyLike(operation: ApiOperation): string {
  return `${JSON.stringify(exampleOf(operation) ?? {})} `;
}
