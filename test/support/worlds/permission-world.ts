import { Artifact, type CompanyRole, companyRoles, type Role, roles, Task, text, trustedActor } from '@horarium/core';
import { storeArtifacts } from '#core/job/artifact';
import { newRow } from '#core/store/table';
import { HttpService, type ServiceOptions, type TestResponse } from '../http/http-service.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests look into records of every kind.
type AnyRecord = any;

/** One record of every resource that belongs to a company. */
export interface CompanyRecords {
  readonly Company: number;
  readonly RunTemplate: number;
  readonly Credential: number;
  readonly EventRule: number;
  readonly Calendar: number;
  readonly MaintenanceWindow: number;
  readonly Pause: number;
  readonly Task: number;
  readonly Job: number;
  readonly Artifact: number;
  /** The user who is a member. */
  readonly member: number;
}

const later = '2099-01-01T00:00:00Z';
/** After all jobs. */
export const muchLater = '2199-01-01T00:00:00Z';

/** A service with two companies, one record of each resource in both, and one of each global resource. */
export class PermissionWorld {
  readonly service: HttpService;
  companies!: { readonly own: CompanyRecords; readonly other: CompanyRecords };
  shared!: Readonly<Record<'App' | 'Topic' | 'CredentialType' | 'EventSource' | 'User', number>>;
  #count = 0;

  constructor(options: ServiceOptions = {}) {
    this.service = new HttpService(options);
  }

  async start(): Promise<this> {
    await this.service.start();
    this.service.core.eventSourceKinds.set('table', {
      name: 'table',
      options: { host: text(255) },
      probe: async () => undefined,
    });
    this.shared = {
      App: (await this.make('/app/', { name: 'Shared', executable: 'true' })).id,
      Topic: (await this.make('/topic/', { name: 'Shared' })).id,
      CredentialType: (await this.make('/credential_type/', { name: 'Shared', code: 'shared' })).id,
      EventSource: (await this.make('/eventsource/', { name: 'Shared', kind: 'table' })).id,
      User: (await this.make('/user/', { login: 'shared' })).id,
    };
    this.companies = { own: await this.company('Ours'), other: await this.company('Zanzibar') };
    const companies = Object.values(this.companies).map(({ Company }) => Company);
    await this.make(`/eventsource/${this.shared.EventSource}.json`, { companies });
    return this;
  }

  stop(): Promise<void> {
    return this.service.stop();
  }

  /** Returns a unique name. */
  name(word = 'fresh'): string {
    return `${word}-${++this.#count}`;
  }

  /** Creates a record as the administrator. */
  async make(path: string, body: object): Promise<AnyRecord> {
    const { status, json, text: said } = await this.service.requestAsAdmin(path, { method: 'POST', body });
    if (status !== 201 && status !== 200) throw new Error(`${path} answered ${status}: ${said}`);
    return json;
  }

  /** Creates a company with one record of each resource; every name contains the word. */
  async company(word: string): Promise<CompanyRecords> {
    const company_id = (await this.make('/company/', { code: this.name(word), name: word })).id;
    const template = await this.template(company_id, word);
    const second = await this.template(company_id, word);
    const rule = { name: word, runtemplate_id: second.id, runtemplate_source_id: template.id };
    const job = await this.make('/job/', { runtemplate_id: template.id, scheduled_at: later });
    const [task, artifact] = await this.#history(template.id, company_id, job.id, word);
    const calendar_id = (await this.make('/calendar/', { company_id, name: word })).id;
    const member = (await this.make('/user/', { login: this.name(word) })).id;
    await this.make(`/company/${company_id}/user/`, { user_id: member });
    return {
      Company: company_id,
      RunTemplate: template.id,
      Credential: (await this.make('/credential/', { name: word, company_id })).id,
      EventRule: (await this.make('/eventrule/', rule)).id,
      Calendar: calendar_id,
      MaintenanceWindow: (await this.make('/maintenancewindow/', { company_id, calendar_id, name: word })).id,
      Pause: (await this.make('/pause/', { company_id, starts_at: muchLater, reason: word })).id,
      Task: task,
      Job: job.id,
      Artifact: artifact,
      member,
    };
  }

  template(company_id: number, word = 'fresh'): Promise<AnyRecord> {
    const fields = { app_id: this.shared.App, interval: 'none', company_id };
    return this.make('/runtemplate/', { ...fields, name: this.name(word) });
  }

  /** Creates a job that has ended. @returns its id. */
  async endedJob(runtemplate_id: number): Promise<number> {
    const { id } = await this.make('/job/', { runtemplate_id, scheduled_at: later });
    await this.make(`/job/${id}.json`, { state: 'cancelled' });
    return id;
  }

  /** Creates a user with an RBAC role, and a membership role in the own company. */
  async person(role: Role | 'none', membership: CompanyRole | 'none'): Promise<Person> {
    const login = this.name(`${role}-${membership}`);
    const id = await this.service.core.addUser(login, 'a long enough one', role === 'none' ? null : role);
    if (membership !== 'none')
      await this.make(`/company/${this.companies.own.Company}/user/`, { user_id: id, role: membership });
    const authorization = `Bearer ${(await this.service.core.createToken(login)).secret}`;
    return {
      id,
      role,
      membership,
      request: (method, path, body) =>
        this.service.request(path, { method, headers: { authorization }, ...(body !== undefined && { body }) }),
    };
  }

  /** Creates a user for every pair of RBAC role and membership role, `none` included. */
  async allUsers(): Promise<Person[]> {
    const people: Person[] = [];
    for (const role of ['none', ...roles] as const)
      for (const membership of ['none', ...companyRoles] as const) people.push(await this.person(role, membership));
    return people;
  }

  async #history(runtemplate_id: number, company_id: number, jobId: number, word: string): Promise<[number, number]> {
    const content = new TextEncoder().encode(word);
    return this.service.core.store.transaction(trustedActor('test'), async (tables) => {
      const window = { window_start: 0, window_end: 1, deadline: 1 };
      const [task] = await tables
        .of(Task)
        .insert([newRow(Task, { runtemplate_id, company_id, ...window, state: 'missed', reason: word })]);
      const file = { filename: `${word}.txt`, contentType: 'text/plain', sha256: word, content };
      await storeArtifacts(tables, { id: jobId, company_id }, [file]);
      const [kept] = await tables.of(Artifact).find({ where: [['job_id', '=', jobId]] });
      return [task as number, kept?.id as number];
    });
  }
}

/** Runs the world during the tests of a describe. @returns its users, who exist when the first test begins. */
export function runWithAllUsers(world: PermissionWorld): readonly Person[] {
  const people: Person[] = [];
  before(async () => {
    await world.start();
    people.push(...(await world.allUsers()));
  });
  after(() => world.stop());
  return people;
}

export interface Person {
  readonly id: number;
  readonly role: Role | 'none';
  readonly membership: CompanyRole | 'none';
  request(method: string, path: string, body?: unknown): Promise<TestResponse>;
}
