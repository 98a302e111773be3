import { expect } from 'chai';
import { fetchCheckedBy } from '../support/http/checked-fetch.ts';
import { HttpService } from '../support/http/http-service.ts';
import { eventually } from '../support/mocha/eventually.ts';
import { installTimeout } from '../support/packages/installed-packages.ts';
import { startExample } from '../support/packages/start-example.ts';
import type { SpawnedProgram } from '../support/program/spawned-program.ts';

const authorization = `Basic ${Buffer.from('admin:correct horse battery').toString('base64')}`;

describe('The example of the API in a server of one’s own, in an application that installed the packages', () => {
  const checkedFetch = fetchCheckedBy(new HttpService().openApiCheck, '/scheduler');
  let server: SpawnedProgram;
  let url: string;

  before(async function () {
    this.timeout(installTimeout);
    server = await startExample('embedding/http-server.ts', { environment: { PORT: '0' } });
    [, url = ''] = await server.waitForOutput(/^listening on (\S+)$/m);
  });
  after(() => void server?.process.kill('SIGKILL'));

  const request = (path: string) => checkedFetch(`${url}${path}`, { headers: { authorization } });

  it('shows the Tasks that its function fulfils', async () => {
    const [task] = await eventually('a Task is fulfilled', async () => {
      const tasks = (await (await request('/tasks.json?state=fulfilled')).json()) as Record<string, unknown>[];
      return tasks.length > 0 && tasks;
    });
    expect(task).to.include({ state: 'fulfilled', attempts: 1 });
    expect((await request('/tasks.html')).headers.get('content-type')).to.equal('text/html; charset=utf-8');
  });

  it('answers the paths of the program itself', async () => {
    expect(await (await checkedFetch(new URL('/open', url))).text()).to.equal('The shop is open.\n');
  });

  it('ends without an error at SIGTERM', async () => {
    server.process.kill('SIGTERM');
    expect(await server.ended).to.equal(0);
    expect(server.problems).to.equal('');
  });
});
