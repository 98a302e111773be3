import { type Answer, HttpService } from './http-service.ts';
import type { HeldAttempt } from './scripted-executor.ts';

/** A service whose workers are at work, and a template of whose jobs any number may run at once. */
export class RunningService {
  readonly http = new HttpService();
  // biome-ignore lint/suspicious/noExplicitAny: records as they are answered.
  template: any;

  async start(): Promise<this> {
    await this.http.start();
    const environment = { GREETING: { type: 'text' }, TOKEN: { type: 'secret' } };
    const app = (await this.post('/app/', { name: 'App', executable: 'true', environment })).json;
    const company = (await this.post('/company/', { code: 'acme', name: 'Acme' })).json;
    const fields = { name: 'T', app_id: app.id, company_id: company.id, interval: 'none', overlap: 'allow' };
    this.template = (await this.post('/runtemplate/', fields)).json;
    await this.http.core.start();
    return this;
  }

  async stop(): Promise<void> {
    await this.http.core.stop(0);
    await this.http.stop();
  }

  post(path: string, body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return this.http.ask(path, { method: 'POST', body, headers });
  }

  /** Makes a job and waits until it runs. */
  async run(body: object = {}): Promise<{ id: number; held: HeldAttempt }> {
    const { json } = await this.post('/job/', { runtemplate_id: this.template.id, ...body });
    return { id: json.id, held: await this.http.core.executor.next() };
  }

  /** Asks again until it is so. */
  // biome-ignore lint/suspicious/noExplicitAny: records as they are answered.
  async until(path: string, so: (json: { state: string }) => boolean): Promise<any> {
    for (;;) {
      const { json } = await this.http.ask(path);
      if (so(json)) return json;
    }
  }
}
