import { statSync } from 'node:fs';
import { expect } from 'chai';
import { reachNeighbour } from '../attack/attacks/neighbours.ts';
import { Target, type Tenant } from '../attack/target.ts';
import { ServiceWorld } from '../support/faults/service-world.ts';
import { eventually } from '../support/mocha/eventually.ts';
import { descendantProcesses, livingProcesses } from '../support/program/processes.ts';

/** The first of ten ids that no user of a usual machine has, and no other test run. */
const firstId = 1_700_000_000 + 10 * process.pid;
const ids = `${firstId}-${firstId + 9}`;
/** Without containment, so that jobs see the processes of others, and nothing of the machine kills them. */
const options = JSON.stringify({ 'executor-native': { containment: 'none' } });

describe('Companies with users of the operating system', () => {
  before(function () {
    if (process.getuid?.() !== 0) this.skip();
  });

  let world: ServiceWorld;
  let service: Awaited<ReturnType<ServiceWorld['startService']>>['service'];
  let target: Target;
  const open = async () => {
    world = await ServiceWorld.create('sqlite', {
      HORARIUM_JOB_USERS: `nobody,${ids}`,
      HORARIUM_PLUGIN_OPTIONS: options,
    });
    const { token } = await world.run('token:generate', '--user', 'admin');
    const started = await world.startService();
    service = started.service;
    target = new Target(started.url, token);
  };
  const close = () => world?.[Symbol.asyncDispose]();

  const everything = [
    'list its working directory',
    'read a file in it',
    'list its HOME',
    'read its environment',
    'open its memory',
    'list its open files',
    'enter its working directory by its process',
    'signal it',
  ];

  describe('of one service', () => {
    before(open);
    after(close);

    it("cannot reach each other's jobs, be it by name or by id; those without can, and reach every one", async () => {
      const one = await target.addTenant({ run_as: String(firstId) });
      const other = await target.addTenant({ run_as: 'nobody' });
      const shared = [await target.addTenant(), await target.addTenant()] as const;
      expect(await reachNeighbour(target, one, other)).to.deep.equal([]);
      expect(await reachNeighbour(target, other, one)).to.deep.equal([]);
      expect(await reachNeighbour(target, shared[0], one)).to.deep.equal([]);
      expect(await reachNeighbour(target, ...shared)).to.deep.equal(everything);
      expect(await reachNeighbour(target, one, shared[0])).to.deep.equal(everything);
    });

    it('cannot reach the service, as those without can that run as the same user', async () => {
      const pids = [service.process.pid as number, launcherOf(service.process.pid as number)];
      const files = pids.flatMap((pid) => ['environ', 'mem', 'fd', 'cwd/'].map((file) => `/proc/${pid}/${file}`));
      const places = [...files, `${world.cli.folder}/h.sqlite`, '/root'];
      const script = `
        for place in "$@"; do
          if [ -d "$place" ]; then ls "$place" > /dev/null; else true < "$place"; fi && echo "$place"
        done
        for pid in ${pids.join(' ')}; do kill -CONT $pid && echo $pid; done; true`;
      const app = await target.addShellApp(script, { arguments: ['-c', script, 'sh', ...places] });
      const reachedBy = async (tenant: Tenant) =>
        (await target.run(tenant, await target.addTemplate(tenant, app))).stdout.split('\n').filter(Boolean);
      expect(await reachedBy(await target.addTenant({ run_as: String(firstId + 1) }))).to.deep.equal([]);
      expect(await reachedBy(await target.addTenant())).to.deep.equal([...places, ...pids.map(String)]);
    });

    it('get them from admins of the service alone, out of the configured ones, each a user of its own', async () => {
      const { id, code } = await target.addTenant({ run_as: String(firstId + 2) });
      const owner = await target.addUser();
      await target.admin.save(`company/${id}/user`, { user_id: owner.id, role: 'admin' });
      const denied = await owner.client.post('/company/', { id, run_as: 'nobody' });
      expect([denied.status, denied.json.detail]).to.deep.equal([
        403,
        `${owner.login} may not change run_as of company ${id}: that takes the role admin.`,
      ]);
      const invalid = await target.admin.post('/company/', { id, run_as: 'root' });
      expect([invalid.status, invalid.json.errors]).to.deep.equal([
        422,
        [
          {
            field: 'run_as',
            message: `run_as cannot be root: jobs of companies may only run as one of nobody, ${ids}`,
          },
        ],
      ]);
      const taken = await target.admin.post('/company/', { code: 'other', name: 'Other', run_as: String(firstId + 2) });
      expect([taken.status, taken.json.detail]).to.deep.equal([409, 'Another Company has the same run_as.']);
      expect((await world.run('company:save', '--id', String(id), '--run-as', String(firstId + 3))).run_as).to.equal(
        String(firstId + 3),
      );
      expect((await world.run('company:save', '--code', code, '--run-as', 'null')).run_as).to.equal(null);
    });
  });

  describe('of a service that is killed', () => {
    beforeEach(open);
    afterEach(close);

    it('keep theirs while a job of them runs, and their jobs are refused once it is not configured', async () => {
      const tenant = await target.addTenant({ run_as: String(firstId) });
      const { job, template } = await startSleeper(tenant);
      const change = await target.admin.post('/company/', { id: tenant.id, run_as: null });
      expect([change.status, change.json.detail]).to.deep.equal([
        409,
        `run_as of ${tenant.code} cannot change while its job ${job} runs as ${firstId}.`,
      ]);
      service.process.kill('SIGKILL');
      await service.ended;
      await eventually('no process of its user is left', () => processesOf(firstId).length === 0);
      const { HORARIUM_JOB_USERS: _, ...environment } = world.cli.environment;
      Object.assign(world.cli, { environment });
      const { url } = await world.startService();
      const { token } = await world.run('token:generate', '--user', 'admin');
      const again = new Target(url, token);
      const { id } = await again.admin.save('job', { runtemplate_id: template });
      expect(await again.admin.endOfJob(id)).to.include({
        state: 'failed',
        exit_code: 126,
        reason: `It was to run as ${firstId}, but no users are configured that jobs of companies may run as.`,
      });
    });

    it('have jobs killed at the next start that outlived the service and its launcher', async () => {
      await startSleeper(await target.addTenant({ run_as: String(firstId) }));
      const launcher = launcherOf(service.process.pid as number);
      process.kill(launcher, 'SIGSTOP');
      service.process.kill('SIGKILL');
      process.kill(launcher, 'SIGKILL');
      await service.ended;
      expect(processesOf(firstId)).to.have.length(1);
      await world.startService();
      await eventually('no process of its user is left', () => processesOf(firstId).length === 0);
    });
  });

  /** Starts a job that sleeps, and waits until it does. */
  async function startSleeper(tenant: Tenant): Promise<{ job: number; template: number }> {
    const template = await target.addTemplate(tenant, await target.addShellApp('exec sleep 600'));
    const { id: job } = await tenant.operator.save('job', { runtemplate_id: template });
    await eventually('it sleeps', async () => processesOf(firstId).length === 1);
    await eventually(
      'it is known to run',
      async () => (await tenant.operator.get(`/job/${job}.json`)).json.pid !== null,
    );
    return { job, template };
  }
});

/** The process that starts the jobs of a service. */
function launcherOf(pid: number): number {
  const launcher = descendantProcesses(pid).find(({ cmdline }) => cmdline.startsWith('job-launcher'));
  if (!launcher) throw new Error(`The service ${pid} has no launcher.`);
  return launcher.pid;
}

/** The living processes of a user. */
function processesOf(uid: number): number[] {
  const pids = livingProcesses().map(({ pid }) => pid);
  return pids.filter((pid) => statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid === uid);
}
