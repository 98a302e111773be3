import { Job, RunTemplate } from '@horarium/core';
import { expect } from 'chai';
import { Jobs } from '#core/job/jobs';
import { readById } from '#core/store/rows';
import { prepareAttempts } from '#core/worker/prepare-attempts';
import { testPreparation } from '../../support/simulation/world/preparation.ts';
import {
  type AnyRow,
  invalidFields,
  recordServices,
  recordsContext,
  recordWorld,
  refusal,
  root,
} from '../../support/worlds/record-world.ts';

const image = 'docker.io/library/alpine:3';
const secret = 'a planted secret';
const { vault, executors } = recordServices;

/** A template of an App with these fields, and what happens to its jobs. */
async function templateOf({ app: appFields = {}, ...fields }: AnyRow) {
  const world = recordWorld();
  const app = await world.save('App', { name: 'app', executable: '/bin/true', ...appFields });
  const company = await world.save('Company', { code: 'acme', name: 'Acme' });
  const own = { name: 'template', app_id: app.id, company_id: company.id, interval: 'none', overlap: 'allow' };
  const template = await world.save('RunTemplate', { ...own, ...fields });
  const jobs = new Jobs({ records: recordsContext(world.store), vault });
  /** Prepares a job to start, as a worker does. */
  const prepare = (id: number) =>
    world.store.transaction(root, async (tables) => {
      const job = await readById(tables, Job, id);
      const claim = { job, task: null, template: await readById(tables, RunTemplate, template.id) };
      const [prepared] = await prepareAttempts(tables, [claim], {
        ...testPreparation(),
        vault,
        executorSchemas: executors,
      });
      return prepared as NonNullable<typeof prepared>;
    });
  return {
    world,
    app,
    company,
    template,
    prepare,
    schedule: (input: object = {}) => jobs.schedule(root, { runtemplate_id: template.id, ...input }),
    change: (id: number, input: Readonly<Record<string, unknown>>) => jobs.change(root, id, input),
  };
}

const restricted = {
  app: { oci_image: image },
  executor: 'container',
  executor_options: { private_network: true, grace: 3 },
};

describe('The executor of one job', () => {
  it('is one that its App may be run with', async () => {
    const { schedule, change } = await templateOf(restricted);
    const error = await refusal(schedule({ executor: 'native' }));
    const message = 'executor must be one of container, external for jobs of App 1, not native';
    expect(error.errors).to.deep.equal([{ field: 'executor', message }]);
    const { id } = await schedule();
    expect(await invalidFields(change(id, { executor: 'remote' }))).to.deep.equal(['executor']);
    expect((await change(id, { executor: 'external' })).executor).to.equal('external');
  });

  it('enforces what the template restricts', async () => {
    const app = { oci_image: image, executors: ['container', 'native', 'remote'] };
    const { schedule, change, prepare } = await templateOf({ ...restricted, app });
    const error = await refusal(schedule({ executor: 'remote' }));
    const message = 'the executor remote cannot enforce private_network of the template';
    expect(error.errors).to.deep.equal([{ field: 'executor', message }]);
    const { id } = await schedule();
    expect(await invalidFields(change(id, { executor: 'remote' }))).to.deep.equal(['executor']);
    await change(id, { executor: 'native' });
    const { attempt, refusal: reason } = await prepare(id);
    expect([attempt.options, reason]).to.deep.equal([{ private_network: true }, null]);
  });

  it('may be one that runs nothing here, with a warning of what it cannot restrict', async () => {
    const { schedule, prepare } = await templateOf(restricted);
    const { id, warnings } = await schedule({ executor: 'external' });
    expect(warnings).to.deep.equal([
      'private_network of the template: nothing is restricted where external runs the job',
    ]);
    expect((await prepare(id)).refusal).to.equal(null);
  });

  it('is judged again when the attempt starts', async () => {
    const { schedule, prepare, world, app, template } = await templateOf({ app: { executors: ['native', 'remote'] } });
    const { id } = await schedule({ executor: 'remote' });
    expect((await prepare(id)).refusal).to.equal(null);
    await world.save('RunTemplate', { id: template.id, executor_options: { user: 'backup' } });
    expect((await prepare(id)).refusal).to.equal('the executor remote cannot enforce user of the template');
    await world.save('App', { id: app.id, executors: ['native'] });
    expect((await prepare(id)).refusal).to.equal('executor must be native for jobs of App 1, not remote');
  });
});

const request = {
  executable: 'request',
  arguments: ['https://{HOST}/cron?shop={SHOP}', 'X-Key: {KEY}'],
  environment: { HOST: {}, SHOP: {}, KEY: { type: 'secret' } },
};
const environment = { HOST: 'shop.example.com' };
const requesting = { app: request, executor: 'request', environment };
const moved = { environment: { HOST: 'attacker.example.com' } };

describe('The request of one job', () => {
  for (const [where, fields] of [
    ['an option of the executor', { executor_options: { authorization: secret } }],
    ['a value of the template', { environment: { ...environment, KEY: secret } }],
    [
      'a default of the App',
      { app: { ...request, environment: { HOST: {}, SHOP: {}, KEY: { type: 'secret', default: secret } } } },
    ],
  ] as const)
    it(`has the host that it was saved with where it carries ${where} that is secret`, async () => {
      const { schedule, change } = await templateOf({ ...requesting, ...fields });
      const error = await refusal(schedule(moved));
      const message =
        'environment.HOST says where the request goes, which carries secrets, so that no job can have a value of its own';
      expect(error.errors).to.deep.equal([{ field: 'environment.HOST', message }]);
      const { id } = await schedule({ environment: { SHOP: '@attacker.example.com/' } });
      expect(await invalidFields(change(id, moved))).to.deep.equal(['environment.HOST']);
    });

  it('has the host that it was saved with where it carries a secret of the company or a credential', async () => {
    const { world, company, template, schedule } = await templateOf(requesting);
    await schedule(moved);
    await world.save('Company', { id: company.id, environment: { KEY: secret } });
    expect(await invalidFields(schedule(moved))).to.deep.equal(['environment.HOST']);
    await world.save('Company', { id: company.id, environment: {} });
    const credential = { name: 'key', company_id: company.id, values: { KEY: secret } };
    const { id } = await world.save('Credential', credential);
    await world.save('RunTemplate', { id: template.id, credentials: [id] });
    expect(await invalidFields(schedule(moved))).to.deep.equal(['environment.HOST']);
  });

  it('goes anywhere with the secret of the job itself, or none', async () => {
    const { schedule, prepare } = await templateOf({ ...requesting, environment: { ...environment, KEY: secret } });
    const { id } = await schedule({ environment: { ...moved.environment, KEY: 'a secret of the job' } });
    expect((await prepare(id)).refusal).to.equal(null);
  });

  it('is judged again when the attempt starts', async () => {
    const { schedule, prepare, world, template } = await templateOf(requesting);
    const { id } = await schedule(moved);
    const { id: other } = await schedule({ environment: { SHOP: 'other' } });
    expect((await prepare(id)).refusal).to.equal(null);
    await world.save('RunTemplate', { id: template.id, executor_options: { authorization: secret } });
    expect((await prepare(id)).refusal).to.equal(
      'HOST of this job takes its request, which carries secrets, to another address',
    );
    expect((await prepare(other)).refusal).to.equal(null);
  });

  it('is judged by what is requested, whatever the variable that leads there', async () => {
    const app = { ...request, arguments: ['https://{HOST}/{SHOP}', 'X-Key: {KEY}'] };
    const options = { executor_options: { authorization: secret }, environment: {} };
    const { schedule, prepare } = await templateOf({ ...requesting, ...options, app });
    const { id } = await schedule({ environment: { SHOP: 'attacker.example.com' } });
    expect((await prepare(id)).refusal).to.match(/^a value of this job takes its request/);
  });
});
