import { randomUUID } from 'node:crypto';
import type { ServiceWorld } from '../support/faults/service-world.ts';
import { checkedFetch } from '../support/http/checked-fetch.ts';
import { eventually } from '../support/mocha/eventually.ts';

/** A response, with its JSON parsed. */
export interface Reply {
  /** The method and the path of the request. */
  readonly request: string;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: attacks look into responses of every shape.
  readonly json: any;
}

/** Sends requests of one user. */
export class Client {
  readonly #url: string;
  /** The header that authenticates the user. */
  readonly headers: Readonly<Record<'authorization', string>>;

  /** @param url the base URL of the API. */
  constructor(url: string, token: string) {
    this.#url = url;
    this.headers = { authorization: `Bearer ${token}` };
  }

  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Reply> {
    return this.#send('GET', path, undefined, headers);
  }

  post(path: string, body: unknown, headers?: Readonly<Record<string, string>>): Promise<Reply> {
    return this.#send('POST', path, body, headers);
  }

  delete(path: string): Promise<Reply> {
    return this.#send('DELETE', path, undefined);
  }

  /** Saves a record that the user may save. @returns the record. @throws Error when the service refuses it. */
  // biome-ignore lint/suspicious/noExplicitAny: the record may have any shape.
  async save(resource: string, fields: object): Promise<any> {
    const { status, text, json } = await this.post(`/${resource}/`, fields);
    if (status !== 200 && status !== 201) throw new Error(`POST /${resource}/ responded with ${status}: ${text}`);
    return json;
  }

  /** Waits until a job has ended. @returns the job. */
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  async endOfJob(id: number): Promise<any> {
    let { json: job } = await this.get(`/job/${id}.json`);
    const hasEnded = async () => {
      ({ json: job } = await this.get(`/job/${id}.json`));
      return job.finished_at !== null;
    };
    await eventually(`job ${id} has ended`, hasEnded);
    return job;
  }

  async #send(method: string, path: string, body: unknown, headers?: Readonly<Record<string, string>>): Promise<Reply> {
    const response = await checkedFetch(this.#url + path, {
      method,
      headers: { ...this.headers, 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = /json/.test(response.headers.get('content-type') ?? '') && text !== '';
    return {
      request: `${method} ${path}`,
      status: response.status,
      headers: response.headers,
      text,
      json: isJson ? JSON.parse(text) : null,
    };
  }
}

/** A company, with a client for a member of each role that attacks are made from. */
export interface Tenant {
  readonly id: number;
  readonly code: string;
  readonly manager: Client;
  readonly operator: Client;
}

export interface User {
  readonly id: number;
  readonly login: string;
  readonly password: string;
  readonly client: Client;
}

/** The service that is attacked. */
export class Target {
  /** The base URL of its API. */
  readonly url: string;
  readonly admin: Client;
  /** Its machine and its database; undefined where only its URL is known. */
  readonly world: ServiceWorld | undefined;
  readonly #owned: Promise<AsyncDisposable>[] = [];

  constructor(url: string, adminToken: string, world?: ServiceWorld) {
    this.url = url;
    this.world = world;
    this.admin = new Client(url, adminToken);
  }

  /** Takes what attacks opened beside it, which ends with it. */
  owned<T extends AsyncDisposable>(opening: Promise<T>): Promise<T> {
    this.#owned.push(opening);
    return opening;
  }

  /** Closes what it owns. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const opened of await Promise.allSettled(this.#owned))
      if (opened.status === 'fulfilled') await opened.value[Symbol.asyncDispose]();
  }

  /** Adds a company with a manager and an operator, who have no other rights. */
  async addTenant(fields: object = {}): Promise<Tenant> {
    const code = `tenant-${randomUUID().slice(0, 8)}`;
    const { id } = await this.admin.save('company', { code, name: `Tenant ${code}`, ...fields });
    const [manager, operator] = [await this.addUser(), await this.addUser()];
    await this.admin.save(`company/${id}/user`, { user_id: manager.id, role: 'manager' });
    await this.admin.save(`company/${id}/user`, { user_id: operator.id, role: 'operator' });
    return { id, code, manager: manager.client, operator: operator.client };
  }

  /** Adds a user with global roles, and signs in. */
  async addUser(...roles: readonly string[]): Promise<User> {
    const login = `user-${randomUUID()}`;
    const password = randomUUID();
    const { id } = await this.admin.save('user', { login, password, email: `${login}@example.com` });
    if (roles.length > 0) await this.admin.save(`user/${id}/roles`, { roles });
    const response = await checkedFetch(`${this.url}/login.json`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ login, password }),
    });
    if (response.status !== 200) throw new Error(`${login} cannot sign in: ${response.status}`);
    const { token } = (await response.json()) as { token: string };
    return { id, login, password, client: new Client(this.url, token) };
  }

  /** Adds an App whose jobs run a script in a shell. @returns its id. */
  async addShellApp(script: string, fields: object = {}): Promise<number> {
    const app = { name: 'Shell', executable: '/bin/sh', arguments: ['-c', script], ...fields };
    return (await this.admin.save('app', app)).id;
  }

  /** Adds a RunTemplate without an interval, as the manager of its company. @returns its id. */
  async addTemplate({ id, manager }: Tenant, app_id: number, fields: object = {}): Promise<number> {
    const template = { name: 'Attack', company_id: id, app_id, interval: 'none', overlap: 'allow', ...fields };
    return (await manager.save('runtemplate', template)).id;
  }

  /** Runs a job of a template as the operator of its company, and waits for its end. */
  // biome-ignore lint/suspicious/noExplicitAny: the JSON of a job.
  async run({ operator }: Tenant, runtemplate_id: number, fields: object = {}): Promise<any> {
    const { id } = await operator.save('job', { runtemplate_id, ...fields });
    return operator.endOfJob(id);
  }
}
