import { HttpService, type ServiceOptions } from '../http/http-service.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests look into records of every kind.
type AnyRecord = any;

export interface ClaimedJob {
  readonly id: number;
  /** The path for its heartbeats, its `ping_url` without the base path. */
  readonly heartbeatPath: string;
}

const second = 1000;

/** A service over HTTP, and an external worker's requests to it: the test creates, claims and ends jobs of an App. */
export class ExternalHttpWorld {
  readonly service: HttpService;
  app = 0;
  company = 0;
  #names = 0;

  constructor(options: ServiceOptions = {}) {
    this.service = new HttpService(options);
  }

  async start(): Promise<this> {
    await this.service.start();
    const environment = { GREETING: { type: 'text', default: 'hello' }, TOKEN: { type: 'secret' } };
    const fields = { name: 'App', executable: 'render', arguments: ['--say', '{GREETING}', '--token={TOKEN}'] };
    const exit_codes = { '4': { severity: 'info' }, '5': { severity: 'error', retry: false } };
    this.app = (await this.#create('/app/', { ...fields, environment, exit_codes })).id;
    this.company = (await this.#create('/company/', { code: 'acme', name: 'Acme' })).id;
    await this.service.core.start();
    return this;
  }

  async stop(): Promise<void> {
    await this.service.core.stop(0);
    await this.service.stop();
  }

  post(path: string, body: unknown, headers = {}) {
    return this.service.requestAsAdmin(path, { method: 'POST', body, headers });
  }

  /** The JSON of a GET request. */
  async get(path: string): Promise<AnyRecord> {
    return (await this.service.requestAsAdmin(path)).json;
  }

  /** Polls the path until the record matches. */
  async poll(path: string, matches: (record: AnyRecord) => boolean): Promise<AnyRecord> {
    for (;;) {
      const record = await this.get(path);
      if (matches(record)) return record;
    }
  }

  /** Moves the clock of the service on. */
  moveSeconds(seconds: number): void {
    this.service.core.clock.advance(seconds * second);
  }

  /** Creates a run template with the external executor. @returns its id. */
  async createTemplate(fields: object = {}): Promise<number> {
    const own = { name: `external ${++this.#names}`, app_id: this.app, company_id: this.company, interval: 'none' };
    return (await this.#create('/runtemplate/', { ...own, executor: 'external', overlap: 'allow', ...fields })).id;
  }

  /** Creates an ad hoc job. @returns its id. */
  async createJob(runtemplate_id: number, fields: object = {}): Promise<number> {
    return (await this.#create('/job/', { runtemplate_id, ...fields })).id;
  }

  async claim(id: number): Promise<ClaimedJob> {
    const { status, json, text } = await this.post('/job/', { id, state: 'running' });
    if (status !== 200) throw new Error(`The claim of job ${id} was answered ${status}: ${text}`);
    return { id, heartbeatPath: json.ping_url.replace('http://localhost/api/v1', '') };
  }

  /** Creates a job with a template of its own, and claims it. */
  async claimNewJob(fields: object = {}): Promise<ClaimedJob> {
    return this.claim(await this.createJob(await this.createTemplate(fields)));
  }

  /** Creates an hourly template and moves to its next window. @returns the Task of that window and its first job. */
  async openTask(fields: object = {}): Promise<{ readonly task: number; readonly job: number }> {
    const template = await this.createTemplate({ interval: 'hourly', ...fields });
    const hour = 3600 * second;
    const { clock } = this.service.core;
    clock.advance(hour - (clock.now() % hour));
    await this.wakeScheduler(template);
    const [task] = await this.poll(`/tasks.json?runtemplate_id=${template}&state=open`, (tasks) => tasks.length > 0);
    const [job] = await this.get(`/jobs.json?task_id=${task.id}`);
    return { task: task.id, job: job.id };
  }

  /** Saves the template, because the scheduler does not notice that the clock was moved, but every saved template. */
  async wakeScheduler(template: number): Promise<void> {
    await this.post(`/runtemplate/${template}.json`, { note: 'wakes the scheduler' });
  }

  /** The key that authenticates the heartbeats of a claimed job. */
  heartbeatKey(id: number): string {
    return this.service.core.pingKeys.get(id) as string;
  }

  async #create(path: string, body: object): Promise<AnyRecord> {
    const { status, json, text } = await this.post(path, body);
    if (status !== 201) throw new Error(`${path} was answered ${status}: ${text}`);
    return json;
  }
}
