import { join } from 'node:path';
import { expect } from 'chai';
import { checkedFetch } from '../support/http/checked-fetch.ts';
import { eventually } from '../support/mocha/eventually.ts';
import { FleetWorld, type RunningAgent } from '../support/nats/fleet-world.ts';
import { natsServer } from '../support/nats/test-nats.ts';
import { runDoctor } from '../support/program/doctor.ts';

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();

describe('What a service with agents over NATS tells of them', () => {
  let world: FleetWorld;
  let api: string;
  let token: string;
  let agent: RunningAgent;
  before(async function () {
    if (natsServer === undefined) return this.skip();
    world = await FleetWorld.create('sqlite', { lease: 2 });
    api = await world.startService();
    ({ token } = await world.service.run('token:generate', '--user', 'admin'));
  });
  after(() => world?.[Symbol.asyncDispose]());

  const status = () => world.service.run('status');
  const agents = async () =>
    (await world.service.run('worker:list')).filter(({ name }: { name: string }) => name.startsWith('agent:'));

  /** How agent:list shows the agent. */
  const listed = async () => (await world.service.run('agent:list'))[0];
  const doctor = async () => (await runDoctor(world.service.cli)).of('agents');
  const found = 'none is silent that should run, and no credential expires soon';
  const nothingFound = [{ check: 'agents', state: 'ok', found, advice: '' }];

  /** The figures of agents among the metrics. */
  async function figures(): Promise<Record<string, number>> {
    const headers = { authorization: `Bearer ${token}` };
    const text = await (await checkedFetch(`${new URL(api).origin}/metrics`, { headers })).text();
    const lines = text.split('\n').filter((line) => line.startsWith('horarium_agent'));
    return Object.fromEntries(lines.map((line) => line.split(' ')).map(([name, value]) => [name, Number(value)]));
  }

  it('is that a pool with a due job has no agent, until one joins and runs it', async () => {
    await world.service.run('pool:save', '--name', 'gpu');
    const job = await world.run(
      await world.addTemplate('gated', `while [ ! -e ${world.gate('a')} ]; do sleep 0.1; done`),
    );
    expect((await status()).unserved_pools).to.deep.equal([
      { pool: 'gpu', due: 1, reason: 'no agent of the pool gpu is alive: start one' },
    ]);
    agent = await world.addAgent('gpu1', '--label', 'site=brno');
    await world.jobIn(job, 'running');
    await eventually('the agent is listed', async () => (await agents()).length === 1);
    const shown = { name: 'agent:gpu1', state: 'alive', slots: 4, used_slots: 1 };
    expect((await agents())[0]).to.deep.include({ ...shown, pools: ['gpu'], labels: { site: 'brno' } });
    expect((await status()).unserved_pools).to.deep.equal([]);
    const why = await world.service.run('why', 'job', String(job));
    expect(why.sentence).to.match(/ runs since .* on agent gpu1$/);
    expect(await figures()).to.include({
      horarium_agents: 1,
      'horarium_agent_slots{agent="gpu1"}': 4,
      'horarium_agent_running_jobs{agent="gpu1"}': 1,
    });
    world.release('a');
    await world.jobIn(job, 'succeeded');
    await eventually('no report waits', async () => (await figures())['horarium_agent_reports_waiting'] === 0);
    expect(await figures()).to.include({ horarium_agent_report_lag_seconds: 0 });
  });

  it('is that an agent which drains takes no further jobs until that is undone, and that one which was killed is gone', async () => {
    const { code, err } = await world.service.cli.run(['agent:drain', 'gpu1']);
    expect([code, err]).to.deep.equal([0, 'The agent gpu1 claims no further jobs.\n']);
    await eventually('it is shown', async () => (await agents())[0]?.slots === 0);
    const template = await world.addTemplate('waiting', 'true');
    const job = await world.run(template);
    expect((await status()).unserved_pools).to.deep.equal([
      { pool: 'gpu', due: 1, reason: 'the agents of the pool gpu take no further jobs' },
    ]);
    await world.service.cli.run(['agent:undrain', 'gpu1']);
    await world.jobIn(job, 'succeeded');
    agent.program.process.kill('SIGKILL');
    await world.run(template);
    await eventually('it is gone', async () => (await agents()).length === 0);
    expect(await figures()).to.include({ horarium_agents: 0 });
    expect((await status()).unserved_pools[0].reason).to.equal('no agent of the pool gpu is alive: start one');
  });

  it('is that one which was killed is silent since it was seen last, until it is drained', async () => {
    const { presence, seen_at } = await listed();
    expect([presence, Date.parse(seen_at) <= Date.now()]).to.deep.equal(['silent', true]);
    const [finding] = await doctor();
    expect(finding).to.include({ state: 'warn', found: `the agent gpu1 fell silent at ${seen_at}` });
    expect(finding?.advice).to.include('horarium agent:drain gpu1');
    expect(await figures()).to.include({ horarium_agents_silent: 1 });
    await world.service.cli.run(['agent:drain', 'gpu1']);
    expect(await doctor()).to.deep.equal(nothingFound);
    expect(await figures()).to.include({ horarium_agents_silent: 0 });
    await world.service.cli.run(['agent:undrain', 'gpu1']);
  });

  it('is that one which is stopped in order has stopped, which is no fault', async () => {
    const credential = join(world.nats.folder, 'gpu1.credential');
    agent = await world.startAgent('gpu1', credential, '--label', 'site=brno');
    await eventually('it is alive', async () => (await listed()).presence === 'alive');
    agent.program.process.kill('SIGTERM');
    expect(await agent.program.ended).to.equal(0);
    await eventually('it has stopped', async () => (await listed()).presence === 'stopped');
    expect(await doctor()).to.deep.equal(nothingFound);
    expect(await figures()).to.include({ horarium_agents: 0, horarium_agents_silent: 0 });
  });

  it('is when its credential expires, once a third of its time is left, until it is renewed', async () => {
    await world.service.cli.run(['agent:save', '--name', 'gpu1', '--expires-at', inDays(13)]);
    expect(await doctor()).to.deep.equal(nothingFound);
    const expires_at = inDays(0.0001);
    await world.service.cli.run(['agent:save', '--name', 'gpu1', '--expires-at', expires_at]);
    await eventually('the end nears', async () => (await doctor())[0]?.state === 'warn');
    const [finding] = await doctor();
    expect(finding?.found).to.match(/^the credential of the agent gpu1 (expires|has expired) at /);
    expect(finding?.advice).to.include('horarium agent:enroll gpu1 --renew --ttl 90d');
    expect((await figures())['horarium_agent_credential_expiry_seconds']).to.be.below(10);
    await world.service.cli.run(['agent:enroll', 'gpu1', '--renew', '--ttl', '90d']);
    expect(await doctor()).to.deep.equal(nothingFound);
    expect((await figures())['horarium_agent_credential_expiry_seconds']).to.be.above(89 * 86_400);
  });

  it('is that one which has not joined was never seen', async () => {
    await world.enroll('gpu2');
    const found = (await world.service.run('agent:list')).find(({ name }: { name: string }) => name === 'gpu2');
    expect(found).to.include({ presence: 'never seen', seen_at: null });
    expect(await doctor()).to.deep.equal(nothingFound);
  });
});
