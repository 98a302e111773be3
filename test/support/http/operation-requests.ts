import type { ApiOperation } from '../../../plugins/docs/api/operations.ts';
import { operationsOf } from '../../../plugins/docs/api/operations.ts';
import { basic, type HttpService, type TestRequest, type TestResponse } from './http-service.ts';

/** Changes to the request that the document gives as an example. */
export interface Change extends TestRequest {
  readonly suffix?: string;
  /** Replaces every id in the path. */
  readonly id?: number;
  readonly search?: string;
}

/** Sends requests as the document describes them, with its own examples. */
export class OperationRequests {
  readonly operations: readonly ApiOperation[];
  /** The ids of records, by the path parameter. */
  readonly ids = new Map<string, number>();
  readonly #service: HttpService;

  constructor(service: HttpService) {
    this.#service = service;
    this.operations = operationsOf(service.document);
  }

  operation(id: string): ApiOperation {
    const found = this.operations.find(({ operationId }) => operationId === id);
    if (!found) throw new Error(`There is no operation ${id}.`);
    return found;
  }

  async send(operation: ApiOperation, change: Change = {}): Promise<TestResponse> {
    return (await this.ready(operation, change))();
  }

  /** Prepares a request, so that sending it asks the service for nothing else. */
  async ready(operation: ApiOperation, change: Change = {}): Promise<() => Promise<TestResponse>> {
    const { suffix = 'json', id, search = '', method = operation.method, headers = {} } = change;
    const filled = (name: string) =>
      name === 'suffix' ? suffix : String(id ?? this.ids.get(name) ?? pathExample(operation, name) ?? 1);
    const path = operation.path.replace(/\{(\w+)\}/g, (_all, name: string) => filled(name));
    const example = exampleOf(operation);
    const body = 'body' in change ? change.body : example;
    const request = {
      method,
      headers: { ...(await this.#credentials(operation)), ...headers },
      ...(method !== 'POST' || body === undefined ? {} : { body }),
    };
    return () => this.#service.request(`${operation.atRoot ? '/' : ''}${path}${search && `?${search}`}`, request);
  }

  async #credentials({ operationId, security }: ApiOperation): Promise<Record<string, string>> {
    // The operation revokes its token, so it gets one of its own.
    if (operationId === 'logout')
      return { authorization: `Bearer ${(await this.#service.core.createToken('root')).secret}` };
    if (security === undefined) return { authorization: this.#service.admin };
    const { login, password } = exampleOf(this.operation('login')) as { login: string; password: string };
    return security.length > 0 ? { authorization: basic(login, password) } : {};
  }
}

/** The body that the document gives as an example; undefined where there is none. */
export function exampleOf({ requestBody }: ApiOperation): unknown {
  return requestBody?.content['application/json']?.example;
}

/** The example of a parameter of the path that is no id; undefined where there is none. */
function pathExample({ parameters = [] }: ApiOperation, name: string): unknown {
  const found = parameters.find((each) => each.in === 'path' && each.name === name);
  return typeof found?.example === 'string' ? found.example : undefined;
}

/** The query parameter with the id of the record to update; undefined where there is none. */
export function idParameter({ parameters = [], responses }: ApiOperation): string | undefined {
  return '201' in responses ? parameters.find((each) => each.in === 'query')?.name : undefined;
}
