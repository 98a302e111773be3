import type { AnyPlugin } from '@horarium/core';
import { type HttpHandlerOptions, httpHandler } from '../../../host/http/index.ts';
import docs from '../../../plugins/docs/plugin.ts';
import formatHtml from '../../../plugins/format-html/plugin.ts';
import { MemoryCore } from '../worlds/memory-core.ts';
import { fetchCheckedBy } from './checked-fetch.ts';
import { embeddingServers, type ListeningServer } from './embedding-servers.ts';
import { HttpService } from './http-service.ts';
import { OpenApiCheck } from './openapi-check.ts';

const { wholeDocument } = new HttpService({ sessions: true });

/** The API in a server of another program, beneath `/scheduler`; requests are compared with the OpenAPI document. */
export class EmbeddedApi {
  readonly core = new MemoryCore();
  readonly logged: { readonly details: object; readonly message: string }[] = [];
  readonly options: HttpHandlerOptions;
  readonly #check = new OpenApiCheck(wholeDocument);
  #server: ListeningServer | undefined;
  /** The Authorization header of the administrator. */
  admin = '';

  constructor(options: Partial<HttpHandlerOptions> = {}, plugins: readonly AnyPlugin[] = []) {
    const log = (details: object, message: string) => void this.logged.push({ details, message });
    this.options = {
      core: this.core,
      path: '/scheduler',
      plugins: [formatHtml, docs, ...plugins],
      log: { debug: log, info() {}, warn: log, error: log },
      ...options,
    };
  }

  /** @param open the server that mounts the handler. */
  async start(open = embeddingServers['node:http'] as (typeof embeddingServers)[string]): Promise<this> {
    this.#server = await open(httpHandler(this.options));
    await this.core.addUser('root', 'correct horse battery');
    this.admin = `Bearer ${(await this.core.createToken('root')).secret}`;
    return this;
  }

  async stop(): Promise<void> {
    await this.#server?.close();
  }

  get url(): string {
    return this.#server?.url ?? '';
  }

  /** Sends a request as the administrator; the path is that of the server. */
  request(path: string, { headers, ...init }: RequestInit = {}): Promise<Response> {
    const whole = { redirect: 'manual', ...init, headers: { authorization: this.admin, ...headers } } as const;
    return fetchCheckedBy(this.#check, '/scheduler')(`${this.url}${path}`, whole);
  }

  /** Sends a record as JSON. */
  post(path: string, record: object): Promise<Response> {
    const headers = { 'content-type': 'application/json' };
    return this.request(path, { method: 'POST', headers, body: JSON.stringify(record) });
  }
}
