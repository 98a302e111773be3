import type { CompanyRole, Role } from '@horarium/core';
import { checkedFetch } from '../checked-fetch.ts';
import type { FuzzTarget } from './fuzz-target.ts';

type Person = readonly [role: Role | 'none', membership: CompanyRole | 'none'];

/** One person of every role, everywhere and in a company; they call themselves by their roles. */
const people: Readonly<Record<string, Person>> = {
  super_admin: ['super_admin', 'none'],
  admin: ['admin', 'none'],
  editor: ['editor', 'none'],
  user: ['user', 'none'],
  viewer: ['viewer', 'none'],
  nobody: ['none', 'none'],
  'company viewer': ['none', 'viewer'],
  'company operator': ['none', 'operator'],
  'company manager': ['user', 'manager'],
  'company admin': ['none', 'admin'],
};

/** Somebody of every role, and a record of every kind for them to fight over. */
export class FuzzWorld {
  static readonly people = Object.keys(people);
  // biome-ignore lint/suspicious/noExplicitAny: a document is read as it came.
  document: any;
  readonly #target: FuzzTarget;
  readonly #tokens = new Map<string, string>();
  #root = '';
  #made = 0;

  constructor(target: FuzzTarget) {
    this.#target = target;
  }

  async fill(): Promise<this> {
    await this.#crown();
    this.document = await this.#ask('GET', '/openapi.json');
    const { program: executable } = this.#target;
    const company = { company_id: 1 };
    for (const [path, fields] of [
      ['/topic', {}],
      ['/credential_type', {}],
      ['/app', { executable, arguments: [], environment: {}, requirements: [], exit_codes: {} }],
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
      await this.#ask('POST', path, { ...this.#example(path), ...fields });
    for (const name of FuzzWorld.people) await this.renew(name);
    return this;
  }

  /** The Authorization header of somebody. */
  authorization(who: string | null): string | null {
    return who === null ? null : `Bearer ${this.#tokens.get(who)}`;
  }

  /** Somebody else takes the place of one whom a request signed out, disabled or deleted. */
  async renew(who: string): Promise<void> {
    try {
      await this.#replace(who);
    } catch {
      // It was the administrator who makes them that was signed out, disabled or deleted.
      await this.#crown();
      await this.#replace(who);
    }
  }

  async #crown(): Promise<void> {
    this.#root = await this.#target.tokenOf(await this.#target.addRoot());
  }

  async #replace(who: string): Promise<void> {
    const [role, membership] = people[who] as Person;
    this.#made += 1;
    const { id, login } = await this.#ask('POST', '/user', { login: `${who.replace(' ', '-')}-${this.#made}` });
    if (role !== 'none') await this.#ask('POST', `/user/${id}/roles`, { roles: [role] });
    if (membership !== 'none') await this.#ask('POST', '/company/1/user', { user_id: id, role: membership });
    this.#tokens.set(who, await this.#target.tokenOf(login));
  }

  #example(path: string): object {
    return this.document.paths[path].post.requestBody.content['application/json'].example;
  }

  // biome-ignore lint/suspicious/noExplicitAny: answers have every shape.
  async #ask(method: string, path: string, body?: object): Promise<any> {
    const headers = { authorization: `Bearer ${this.#root}`, 'content-type': 'application/json' };
    const answer = await checkedFetch(`${this.#target.url}${path}`, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path} was answered ${answer.status}: ${text}`);
    return JSON.parse(text);
  }
}
