import { expect } from 'chai';
import { basic } from '../../../support/http/http-service.ts';
import { ExternalHttpWorld } from '../../../support/worlds/external-http-world.ts';

describe('The external executor', () => {
  let work: ExternalHttpWorld;

  before(async () => {
    work = await new ExternalHttpWorld().start();
  });
  after(() => work.stop());

  it('rejects invalid claims, reports and changes with a message that names the reason', async () => {
    const running = (await work.claimNewJob()).id;
    const due = await work.createJob(await work.createTemplate());
    const later = await work.createJob(await work.createTemplate(), { scheduled_at: '2199-01-01T00:00:00Z' });
    const native = await work.createJob(await work.createTemplate({ executor: 'native', executor_options: {} }), {
      scheduled_at: '2199-01-01T00:00:00Z',
    });
    const ended = (await work.claimNewJob()).id;
    await work.post('/job/', { id: ended, exit_code: 0 });
    const late = await work.openTask({ deadline: '+10m' });
    work.moveSeconds(11 * 60);
    const requests: [title: string, body: Record<string, unknown>, status: number, detail: RegExp][] = [
      ['taken', { id: running, state: 'running' }, 409, /^Job \d+ is taken: external:root runs it\.$/],
      ['not due', { id: later, state: 'running' }, 409, /is not due before 2199-01-01T00:00:00\.000Z\.$/],
      [
        'too late',
        { id: late.job, state: 'running' },
        409,
        /(is too late: its start deadline has passed|has already ended: it was skipped)\.$/,
      ],
      [
        'native',
        { id: native, state: 'running' },
        409,
        /started by the workers of the service: its executor is native/,
      ],
      ['ended', { id: ended, state: 'running' }, 409, /has already ended: it succeeded\.$/],
      ['unknown', { id: 999_999, state: 'running' }, 404, /^There is no Job 999999\.$/],
      [
        'claim with more',
        { id: due, state: 'running', exit_code: 0 },
        422,
        /exit_code is not a field of a claim; expected one of state/,
      ],
      ['new and running', { runtemplate_id: 1, state: 'running' }, 422, /state of a new job is set by the service/],
      ['report unclaimed', { id: due, exit_code: 0 }, 409, /is not running: claim it first/],
      ['report native', { id: native, exit_code: 0 }, 409, /reported by the workers of the service/],
      ['report ended', { id: ended, stdout: 'more' }, 409, /has already ended: it succeeded\.$/],
      ['report unknown', { id: 999_999, exit_code: 0 }, 404, /^There is no Job 999999\.$/],
      ['two ends', { id: running, exit_code: 1, signal: 'SIGTERM' }, 422, /signal replaces exit_code/],
      ['reason alone', { id: running, reason: 'why not' }, 422, /exit_code or signal is required with it/],
      ['end as a state', { id: running, state: 'succeeded', exit_code: 0 }, 422, /state is not a field of a report/],
      ['another state', { id: running, state: 'succeeded' }, 422, /state can only be set to cancelled, or to running/],
      ['progress', { id: running, progress: 101 }, 422, /progress must be less than or equal to 100/],
      ['code', { id: running, exit_code: -1 }, 422, /exit_code must be greater than or equal to 0/],
      ['code as text', { id: running, exit_code: 'zero' }, 422, /exit_code must be a number/],
      ['output as list', { id: running, stdout: ['x'] }, 422, /stdout must be a text/],
      ['long message', { id: running, message: 'x'.repeat(1001) }, 422, /message must be at most 1000 characters/],
      ['hidden message', { id: running, message: 'vault:v1:x' }, 422, /message may not begin like an encrypted value/],
      [
        'cancel with hidden words',
        { id: running, state: 'cancelled', reason: 'vault:v1:x' },
        422,
        /reason may not begin like an encrypted value/,
      ],
      ['two things', { id: running, stdout: 'x', scheduled_at: 'now' }, 422, /scheduled_at is not a field of a report/],
      [
        'cancel with more',
        { id: running, state: 'cancelled', pid: 1 },
        422,
        /pid is not a field of a cancellation; expected one of state, reason/,
      ],
      ['cancel with a number', { id: running, state: 'cancelled', reason: 1 }, 422, /reason must be a text/],
      ['reschedule', { id: running, scheduled_at: 'now' }, 409, /is running: only a pending job can be changed/],
    ];
    for (const [title, body, status, detail] of requests) {
      const response = await work.post('/job/', body);
      expect(response.status, title).to.equal(status);
      expect(response.json.detail, title).to.match(detail);
    }
    expect((await work.get(`/job/${running}.json`)).state).to.equal('running');
    expect((await work.poll(`/task/${late.task}.json`, ({ state }) => state !== 'open')).state).to.equal('missed');
  });

  it('accepts claims and reports only from operators and above of the company', async () => {
    const password = 'a password of theirs';
    const people: [login: string, role: string | null, claims: number, reports: number][] = [
      ['operator', 'operator', 200, 200],
      ['viewer', 'viewer', 403, 403],
      ['stranger', null, 403, 403],
    ];
    for (const [login, role, claims, reports] of people) {
      const id = await work.service.core.addUser(login, password, 'viewer');
      if (role) await work.post(`/company/${work.company}/user/`, { user_id: id, role });
      const as = { authorization: basic(login, password) };
      const waiting = await work.createJob(await work.createTemplate());
      expect((await work.post('/job/', { id: waiting, state: 'running' }, as)).status, login).to.equal(claims);
      const { id: running } = await work.claimNewJob();
      expect((await work.post('/job/', { id: running, exit_code: 0 }, as)).status, login).to.equal(reports);
    }
  });

  it('refuses a claim of a job whose App has named other executors since', async () => {
    const app = (await work.post('/app/', { name: 'Named', executable: 'true' })).json.id;
    const { json: job } = await work.post('/job/', {
      runtemplate_id: await work.createTemplate({ app_id: app, executor: 'native', executor_options: {} }),
      executor: 'external',
    });
    await work.post('/app/', { id: app, executors: ['native'] });
    const { status, json } = await work.post('/job/', { id: job.id, state: 'running' });
    const reason = `executor must be native for jobs of App ${app}, not external`;
    expect([status, json.detail]).to.deep.equal([409, `Job ${job.id} cannot start: ${reason}.`]);
  });

  it('accepts a heartbeat_timeout of whole seconds, or none', async () => {
    const save = async (executor_options: object) => {
      const fields = { name: 'x', app_id: work.app, company_id: work.company, interval: 'none', executor: 'external' };
      const { status, json } = await work.post('/runtemplate/', { ...fields, executor_options });
      return [status, ...(json.errors ?? []).map((error: { message: string }) => error.message)];
    };
    const path = 'executor_options.heartbeat_timeout';
    expect(await save({ heartbeat_timeout: 0 })).to.deep.equal([422, `${path} must be greater than or equal to 1`]);
    expect(await save({ heartbeat_timeout: 1.5 })).to.deep.equal([422, `${path} must be an integer`]);
    expect(await save({ heartbeat_timeout: 'soon' })).to.deep.equal([
      422,
      `${path} must be a number of seconds, or a duration such as 30s, 5m or 2h`,
    ]);
    expect((await save({ patience: 1 }))[1]).to.equal(
      'executor_options.patience is not an option of the executor external; expected one of heartbeat_timeout',
    );
    expect((await save({ heartbeat_timout: 1 }))[1]).to.equal(
      'executor_options.heartbeat_timout is not an option of the executor external. Did you mean heartbeat_timeout?',
    );
    expect((await save({ heartbeat_timeout: null }))[0]).to.equal(201);
  });
});
