import { HttpService, type ServiceOptions } from '../http/http-service.ts';

/** A service with one template whose ad hoc jobs run until the test ends them. */
export class JobWorld {
  readonly service: HttpService;
  template!: { readonly id: number; readonly company_id: number; readonly app_id: number };

  constructor(options: ServiceOptions = {}) {
    this.service = new HttpService(options);
  }

  async open(): Promise<void> {
    await this.service.start();
    const text = { type: 'text' };
    const environment = { GREETING: text, TOKEN: { type: 'secret' }, PASSWORD: text, SHORT: text, BRIEF: text };
    const app = (await this.post('/app/', { name: 'App', executable: 'true', environment })).json;
    const company = (await this.post('/company/', { code: 'acme', name: 'Acme' })).json;
    const fields = { name: 'T', app_id: app.id, company_id: company.id, interval: 'none', overlap: 'allow' };
    this.template = (await this.post('/runtemplate/', fields)).json;
    await this.service.core.start();
  }

  async close(): Promise<void> {
    await this.service.core.stop(0);
    await this.service.stop();
  }

  readonly post = (path: string, body: unknown, headers = {}) =>
    this.service.requestAsAdmin(path, { method: 'POST', body, headers });

  /** Schedules a job, and waits until it has started. @returns its id, and the attempt for the test to report on. */
  readonly startJob = async (body: object = {}) => {
    const { json } = await this.post('/job/', { runtemplate_id: this.template.id, ...body });
    return { id: json.id as number, started: await this.service.core.executor.next() };
  };

  /** Polls the path until the response matches. */
  readonly pollUntil = async (path: string, matches: (json: { state: string }) => boolean) => {
    for (;;) {
      const { json } = await this.service.requestAsAdmin(path);
      if (matches(json)) return json;
    }
  };
}
