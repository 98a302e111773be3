import { HttpService } from '../http/http-service.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests look into records of every kind.
type AnyRecord = any;

export interface ClaimedJob {
  readonly id: number;
  /** The path of its heartbeats, under the base path. */
  readonly ping: string;
}

export const second = 1000;

/** A service over HTTP with an app whose jobs the test runs as an external worker. */
export class ExternalHttpWorld {
  readonly service = new HttpService();
  app = 0;
  company = 0;
  #names = 0;

  async start(): Promise<this> {
    await this.service.start();
    const environment = { GREETING: { type: 'text', default: 'hello' }, TOKEN: { type: 'secret' } };
    const fields = { name: 'App', executable: 'render', arguments: ['--say', '{GREETING}', '--token={TOKEN}'] };
    const exit_codes = { '4': { severity: 'info' }, '5': { severity: 'error', retry: false } };
    this.app = (await this.#make('/app/', { ...fields, environment, exit_codes })).id;
    this.company = (await this.#make('/company/', { code: 'acme', name: 'Acme' })).id;
    await this.service.core.start();
    return this;
  }

  async stop(): Promise<void> {
    await this.service.core.stop(0);
    await this.service.stop();
  }

  post(path: string, body: unknown, headers = {}) {
    return this.service.ask(path, { method: 'POST', body, headers });
  }

  async shown(path: string): Promise<AnyRecord> {
    return (await this.service.ask(path)).json;
  }

  /** Requests the path again and again until the record matches. */
  async until(path: string, matches: (record: AnyRecord) => boolean): Promise<AnyRecord> {
    for (;;) {
      const record = await this.shown(path);
      if (matches(record)) return record;
    }
  }

  moveSeconds(seconds: number): void {
    this.service.core.clock.advance(seconds * second);
  }

  async template(fields: object = {}): Promise<number> {
    const own = { name: `external ${++this.#names}`, app_id: this.app, company_id: this.company, interval: 'none' };
    return (await this.#make('/runtemplate/', { ...own, executor: 'external', overlap: 'allow', ...fields })).id;
  }

  async job(runtemplate_id: number, fields: object = {}): Promise<number> {
    return (await this.#make('/job/', { runtemplate_id, ...fields })).id;
  }

  async claim(id: number): Promise<ClaimedJob> {
    const { status, json, text } = await this.post('/job/', { id, state: 'running' });
    if (status !== 200) throw new Error(`The claim of job ${id} was answered ${status}: ${text}`);
    return { id, ping: json.ping_url.replace('http://localhost/api/v1', '') };
  }

  /** A claimed job of a template of its own. */
  async claimed(fields: object = {}): Promise<ClaimedJob> {
    return this.claim(await this.job(await this.template(fields)));
  }

  /** The Task of an hourly template whose window has just begun, and its first job. */
  async owed(fields: object = {}): Promise<{ readonly template: number; readonly task: number; readonly job: number }> {
    const template = await this.template({ interval: 'hourly', ...fields });
    const hour = 3600 * second;
    const { clock } = this.service.core;
    clock.advance(hour - (clock.now() % hour));
    // Wakes the scheduler, which does not notice that the clock was moved.
    await this.post(`/runtemplate/${template}.json`, { note: 'look' });
    const [task] = await this.until(`/tasks.json?runtemplate_id=${template}&state=open`, (tasks) => tasks.length > 0);
    const [job] = await this.shown(`/jobs.json?task_id=${task.id}`);
    return { template, task: task.id, job: job.id };
  }

  /** The key that a claimed job's heartbeats need. */
  key(id: number): string {
    return this.service.core.pingKeys.get(id) as string;
  }

  async #make(path: string, body: object): Promise<AnyRecord> {
    const { status, json, text } = await this.post(path, body);
    if (status !== 201) throw new Error(`${path} was answered ${status}: ${text}`);
    return json;
  }
}
