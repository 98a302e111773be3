import type { CompanyRole, Role } from '@horarium/core';
import { checkedFetch } from '../http/checked-fetch.ts';
import type { FuzzTarget } from './fuzz-target.ts';

type Sender = readonly [role: Role | 'none', membership: CompanyRole | 'none'];

/** The roles of the users that send requests, by the name of the user: one for every role, and for every role in a company. */
const senders: Readonly<Record<string, Sender>> = {
  super_admin: ['super_admin', 'none'],
  admin: ['admin', 'none'],
  editor: ['editor', 'none'],
  user: ['user', 'none'],
  viewer: ['viewer', 'none'],
  'without roles': ['none', 'none'],
  'company viewer': ['none', 'viewer'],
  'company operator': ['none', 'operator'],
  'company manager': ['user', 'manager'],
  'company admin': ['none', 'admin'],
};

/** Users of every role, and records of every resource that they send requests about. */
export class FuzzWorld {
  static readonly senders = Object.keys(senders);
  // biome-ignore lint/suspicious/noExplicitAny: the document is untyped JSON.
  document: any;
  readonly #target: FuzzTarget;
  readonly #tokens = new Map<string, string>();
  #adminToken = '';
  #userCount = 0;

  constructor(target: FuzzTarget) {
    this.#target = target;
  }

  /** Creates the records and the users. */
  async fill(): Promise<this> {
    await this.#signInAsAdmin();
    this.document = await this.#request('GET', '/openapi.json');
    const { program: executable } = this.#target;
    const company = { company_id: 1 };
    for (const [path, fields] of [
      ['/topic', {}],
      ['/credential_type', {}],
      [
        '/app',
        {
          executable,
          arguments: [],
          environment: { DATABASE: {} },
          requirements: [],
          exit_codes: {},
          // The event rule reads what it produces.
          result_file: 'result.json',
          produces: { dump: { database: 'string' } },
        },
      ],
      ['/company', {}],
      ['/credential', company],
      ['/runtemplate', { ...company, app_id: 1 }],
      [
        '/runtemplate',
        {
          ...company,
          app_id: 1,
          code: 'often',
          interval: 'custom',
          cron: '*/2 * * * * *',
          deadline: null,
          delay: 0,
          timeout: 5,
          credentials: [],
        },
      ],
      ['/eventsource', {}],
      ['/eventrule', {}],
      ['/job', { environment: {} }],
      ['/job', { environment: {}, scheduled_at: '2099-01-01T00:00:00Z' }],
    ] as const)
      await this.#request('POST', path, { ...this.#example(path), ...fields });
    for (const name of FuzzWorld.senders) await this.replace(name);
    return this;
  }

  /** The Authorization header of a sender; null = none. */
  authorization(sender: string | null): string | null {
    return sender === null ? null : `Bearer ${this.#tokens.get(sender)}`;
  }

  /** Creates a new user for a role whose user a request signed out, disabled or deleted. */
  async replace(sender: string): Promise<void> {
    try {
      await this.#createUser(sender);
    } catch {
      // A request signed out, disabled or deleted the administrator itself.
      await this.#signInAsAdmin();
      await this.#createUser(sender);
    }
  }

  async #signInAsAdmin(): Promise<void> {
    this.#adminToken = await this.#target.createToken(await this.#target.addSuperAdmin());
  }

  async #createUser(sender: string): Promise<void> {
    const [role, membership] = senders[sender] as Sender;
    this.#userCount += 1;
    const { id, login } = await this.#request('POST', '/user', {
      login: `${sender.replace(' ', '-')}-${this.#userCount}`,
    });
    if (role !== 'none') await this.#request('POST', `/user/${id}/roles`, { roles: [role] });
    if (membership !== 'none') await this.#request('POST', '/company/1/user', { user_id: id, role: membership });
    this.#tokens.set(sender, await this.#target.createToken(login));
  }

  #example(path: string): object {
    return this.document.paths[path].post.requestBody.content['application/json'].example;
  }

  // biome-ignore lint/suspicious/noExplicitAny: responses are untyped JSON.
  async #request(method: string, path: string, body?: object): Promise<any> {
    const headers = { authorization: `Bearer ${this.#adminToken}`, 'content-type': 'application/json' };
    const response = await checkedFetch(`${this.#target.url}${path}`, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} responded with ${response.status}: ${text}`);
    return JSON.parse(text);
  }
}
