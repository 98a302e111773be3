import {
  App,
  allTables,
  Job,
  MemoryStore,
  RunTemplate,
  type RunTemplateInput,
  systemClock,
  text,
} from '@horarium/core';
import { agentExecutor, attemptLimitOptions, attemptLimits, defineExecutor } from '@horarium/core/plugin';
import { expect } from 'chai';
import { ScriptedExecutor } from '../../support/executors/scripted-executor.ts';
import { rejectionOf } from '../../support/mocha/rejection-of.ts';
import { AgentWorld } from '../../support/worlds/agent-world.ts';

const noLimits = attemptLimits(
  Object.fromEntries(Object.entries(attemptLimitOptions).map(([name, field]) => [name, field.getDefault()])) as never,
);

/** Runs what is in images, with an option that is a secret and one that is not. */
const containers = defineExecutor({
  name: 'podman',
  options: { registry_password: text(64, { secret: 'encrypted' }), network: text(64) },
  recognizes: ({ oci_image }) => oci_image !== null,
  forbiddenVariables: [{ programs: 'containers', effect: 'load code from there', names: ['LD_PRELOAD'] }],
  start: () => {
    throw new Error('Nothing starts here.');
  },
});

describe('A template whose jobs run on agents', () => {
  let world: AgentWorld;
  let image: number;

  before(async () => {
    const store = new MemoryStore({ clock: systemClock, tables: allTables });
    const agents = agentExecutor({
      name: 'agent',
      limits: noLimits,
      placementRefusal: async (_tables, { pool }) => (pool === 'closed' ? 'the pool closed is not for them' : null),
    });
    const executors = [new ScriptedExecutor(), containers, agents];
    world = await new AgentWorld({ stores: [store], close: () => store.close() }, { executors }).seed();
    const app = { name: 'in an image', executable: 'work', oci_image: 'registry.example.com/work:1' };
    image = (await world.host.records(App).save(world.actor, app)).id;
  });
  after(() => world.close());

  const save = (fields: Partial<RunTemplateInput>) =>
    world.host.records(RunTemplate).save(world.actor, {
      ...world.owner,
      name: 'on agents',
      interval: 'none',
      executor: 'agent',
      ...fields,
    } as RunTemplateInput);
  const errorsOf = async (executor_options: object, fields: Partial<RunTemplateInput> = {}) => {
    const error = await rejectionOf(save({ ...fields, executor_options: executor_options as never }));
    return (error as unknown as { errors: { message: string }[] }).errors.map(({ message }) => message);
  };

  it('names its pool, by a name that is one', async () => {
    expect(await errorsOf({})).to.deep.equal(['executor_options.pool is required']);
    expect(await errorsOf({ pool: 'GPU box' })).to.deep.equal([
      'executor_options.pool must be a name such as gpu: a-z, 0-9 and dashes',
    ]);
  });

  it('names a pool that is for jobs of its company', async () => {
    expect(await errorsOf({ pool: 'closed' })).to.deep.equal(['the pool closed is not for them']);
  });

  it('names labels by names and values that are such', async () => {
    expect(await errorsOf({ pool: 'gpu', labels: { 'a b': 'x', arch: 'a b' } })).to.deep.equal([
      'executor_options.labels.a b is not the name of a label such as arch',
      'executor_options.labels.arch must be letters, digits, dots, dashes and underscores, at most 63',
    ]);
  });

  it('names an executor that starts attempts on a machine, with options that it has', async () => {
    const [unknown] = await errorsOf({ pool: 'gpu', executor: 'docker' });
    expect(unknown).to.include('docker');
    expect((await errorsOf({ pool: 'gpu', executor: 'agent' }))[0]).to.include('agent');
    expect(await errorsOf({ pool: 'gpu', executor: 'podman', options: { net: 'x' } }, { app_id: image })).to.deep.equal(
      [
        'executor_options.options.net is not an option of the executor podman; expected one of registry_password, network',
      ],
    );
  });

  it('gives no secret by the options of that executor', async () => {
    const options = { registry_password: 'hunter2-hunter2' };
    expect(await errorsOf({ pool: 'gpu', executor: 'podman', options }, { app_id: image })).to.deep.equal([
      'executor_options.options.registry_password is a secret: agents get it by the environment of a credential alone',
    ]);
  });

  it('runs what that executor may run, and nothing else', async () => {
    const [refusal] = await errorsOf({ pool: 'gpu' }, { app_id: image });
    expect(refusal).to.include('executor must be').and.include('podman');
    const { id } = await save({ app_id: image, executor_options: { pool: 'gpu', executor: 'podman' } as never });
    expect(await world.host.records(RunTemplate).get(world.actor, id)).to.include({ placement: 'gpu podman' });
  });

  it('places its jobs by its pool and its labels', async () => {
    const executor_options = { pool: 'gpu', labels: { site: 'brno', arch: 'arm64' } } as never;
    const { id: runtemplate_id } = await save({ executor_options });
    const job = await world.host.jobs.schedule(world.actor, { runtemplate_id });
    expect(await world.readJob(job.id)).to.include({ placement: 'gpu native arch=arm64 site=brno' });
    await world.host
      .records(RunTemplate)
      .save(world.actor, { id: runtemplate_id, executor: 'native', executor_options: {} });
    expect(await world.host.records(RunTemplate).get(world.actor, runtemplate_id)).to.include({ placement: null });
  });

  it('keeps its jobs from other executors, and lends its pool to no others', async () => {
    const { id: placed } = await save({ executor_options: { pool: 'gpu' } as never });
    const { id: here } = await save({ executor: 'native' });
    const schedule = (runtemplate_id: number, executor: string) =>
      rejectionOf(world.host.jobs.schedule(world.actor, { runtemplate_id, executor }));
    expect((await schedule(placed, 'native')).message).to.include(
      'the executor native cannot enforce pool of the template',
    );
    expect((await schedule(here, 'agent')).message).to.include(
      'the executor agent takes its pool from the template, whose executor is native',
    );
  });

  it('waits for agents alone: no worker of the service has its executor', async () => {
    const { id: runtemplate_id } = await save({ executor_options: { pool: 'nobody' } as never });
    const job = await world.host.jobs.schedule(world.actor, { runtemplate_id });
    await world.within(async (tables) => {
      const [row] = await tables.of(Job).find({ where: [['id', '=', job.id]] });
      const at = (await tables.now()) - 60_000;
      await tables.of(Job).update([{ row: row as NonNullable<typeof row>, set: { scheduled_at: at, queue_at: at } }]);
    });
    const { conditions } = await world.host.why(world.actor, { kind: 'Job', id: job.id });
    expect(JSON.stringify(conditions)).to.include('no agent of the pool nobody is alive: start one');
  });
});
