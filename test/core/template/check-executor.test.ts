import { mask } from '@horarium/core';
import { expect } from 'chai';
import { invalidFields, recordWorld, refusal, root, user } from '../../support/worlds/record-world.ts';

const image = 'docker.io/library/alpine:3';
const secret = 'a planted secret';

/** A company with a manager, whose templates are of an App with these fields. */
async function companyWithApp(fields: object = {}) {
  const world = recordWorld();
  const save = (name: string, input: object) => world.save(name, input);
  const app = await save('App', { name: 'app', executable: '/bin/true', ...fields });
  const company = await save('Company', { code: 'acme', name: 'Acme' });
  const manager = user(7, ['user'], { [company.id]: 'manager' });
  const own = { name: 'template', app_id: app.id, company_id: company.id, interval: 'none' };
  const saveTemplate = (input: object) => world.save('RunTemplate', input, manager);
  return {
    world,
    save,
    app,
    company,
    manager,
    saveTemplate,
    create: (input = {}) => saveTemplate({ ...own, ...input }),
  };
}

describe('The executor of a template', () => {
  it('is one that its App may be run with: of containers where it has an image', async () => {
    const { app, create } = await companyWithApp({ oci_image: image });
    const error = await refusal(create());
    const message = `executor must be one of container, external for jobs of App ${app.id}, not native`;
    expect(error.errors).to.deep.equal([{ field: 'executor', message }]);
    expect((await create({ executor: 'container' })).executor).to.equal('container');
  });

  it('is one that its App names, if it names some, which only admins do', async () => {
    const { world, app, manager, create } = await companyWithApp({ oci_image: image, executors: ['native'] });
    expect((await create()).executor).to.equal('native');
    for (const executor of ['container', 'external'])
      expect(await invalidFields(create({ executor }))).to.deep.equal(['executor']);
    const denied = await refusal(world.save('App', { id: app.id, executors: ['native', 'external'] }, manager));
    expect(denied.code).to.equal('denied');
  });

  it('is checked when the template changes to another App', async () => {
    const { save, create, saveTemplate } = await companyWithApp();
    const { id } = await create();
    const other = await save('App', { name: 'other', executable: 'https://shop.example.com/cron' });
    expect(await invalidFields(saveTemplate({ id, app_id: other.id }))).to.deep.equal(['executor']);
    await saveTemplate({ id, app_id: other.id, executor: 'request' });
  });

  it('may stay as it is when its App excludes it later, with a warning at both changes', async () => {
    const { app, create, saveTemplate, save } = await companyWithApp();
    const { id } = await create();
    const changed = await save('App', { id: app.id, executors: ['container'] });
    expect(changed.warnings).to.deep.equal([
      `RunTemplate ${id}: jobs of App ${app.id} may have container only, and theirs fail`,
    ]);
    expect((await saveTemplate({ id, note: 'kept' })).warnings).to.deep.equal([
      `executor must be container for jobs of App ${app.id}, not native: its jobs fail.`,
    ]);
    expect((await save('App', { id: app.id, description: 'kept' })).warnings).to.deep.equal([]);
  });

  it('is named by no App that no plugin provides', async () => {
    const error = await refusal(companyWithApp({ executors: ['native', 'docer'] }));
    expect(error.errors).to.deep.equal([
      {
        field: 'executors[1]',
        message:
          'executors[1]: no loaded plugin provides the executor docer; there are native, remote, container, request, external',
      },
    ]);
  });
});

describe('The secrets of a template', () => {
  const request = {
    executable: 'request',
    arguments: ['https://{HOST}/{KEY}?shop={SHOP}'],
    environment: { HOST: {}, SHOP: {}, KEY: { type: 'secret' } },
  };
  const environment = { HOST: 'shop.example.com', SHOP: 'main' };
  const kept = { executor: 'request', executor_options: { authorization: secret }, environment };

  it('must be sent again with another App', async () => {
    const { create, save, saveTemplate } = await companyWithApp(request);
    const { id } = await create({ ...kept, environment: { ...environment, KEY: secret } });
    const other = await save('App', { ...request, name: 'other' });
    const fields = ['environment.KEY', 'executor_options.authorization'];
    for (const input of [{}, { executor_options: { authorization: mask } }, { executor_options: {} }])
      expect(await invalidFields(saveTemplate({ id, app_id: other.id, ...input }))).to.deep.equal(fields);
    const given = { executor_options: { authorization: secret }, environment: { ...environment, KEY: secret } };
    await saveTemplate({ id, app_id: other.id, ...given });
  });

  it('must be sent again with another executor', async () => {
    const { create, saveTemplate } = await companyWithApp({ executors: ['request', 'remote'], ...request });
    const { id } = await create({ ...kept, executor: 'remote', executor_options: { host: 'h', key: secret } });
    const moved = { id, executor: 'request', executor_options: { authorization: mask } };
    expect(await invalidFields(saveTemplate(moved))).to.deep.equal(['executor_options.authorization']);
  });

  for (const [what, change, mover] of [
    [
      'another value of the host',
      { environment: { ...environment, HOST: 'attacker.example.com' } },
      'environment.HOST',
    ],
    ['no value of the host any more', { environment: { SHOP: 'main' } }, 'environment.HOST'],
    [
      'a value of the host that other variables decide',
      { environment: { ...environment, HOST: '{SHOP}' } },
      'environment.HOST',
    ],
  ] as const)
    it(`must be sent again with ${what}`, async () => {
      const { create, saveTemplate } = await companyWithApp(request);
      const { id } = await create(kept);
      const error = await refusal(saveTemplate({ id, ...change }));
      const field = 'executor_options.authorization';
      const message = `${field} must be sent again with ${mover}, because it was saved for another address`;
      expect(error.errors).to.deep.equal([{ field, message }]);
      await saveTemplate({ id, ...change, executor_options: { authorization: secret } });
    });

  it('must be sent again with a credential that has a value of the host', async () => {
    const { create, save, company, saveTemplate } = await companyWithApp(request);
    const { id } = await create(kept);
    const values = { HOST: 'attacker.example.com' };
    const { id: credential } = await save('Credential', { name: 'host', company_id: company.id, values });
    const other = await save('Credential', { name: 'other', company_id: company.id, values: { KEY: secret } });
    await saveTemplate({ id, credentials: [other.id] });
    const fields = await invalidFields(saveTemplate({ id, credentials: [other.id, credential] }));
    expect(fields).to.deep.equal(['executor_options.authorization']);
  });

  it('are kept with all else, such as another path', async () => {
    const { create, saveTemplate } = await companyWithApp(request);
    const { id, executor_options: stored } = await create(kept);
    const saved = await saveTemplate({ id, name: 'new', environment: { ...environment, SHOP: 'other' } });
    expect(saved.executor_options).to.deep.equal(stored);
  });

  it('are not asked for where there are none', async () => {
    const { create, saveTemplate } = await companyWithApp(request);
    const { id } = await create({ ...kept, executor_options: {} });
    await saveTemplate({ id, environment: { HOST: 'other.example.com' } });
  });
});

describe('A save by an administrator', () => {
  it('keeps no secret for another App either', async () => {
    const { world, create, save } = await companyWithApp({ environment: { KEY: { type: 'secret' } } });
    const { id } = await create({ environment: { KEY: secret } });
    const other = await save('App', {
      name: 'other',
      executable: '/bin/cat',
      environment: { KEY: { type: 'secret' } },
    });
    expect(await invalidFields(world.save('RunTemplate', { id, app_id: other.id }, root))).to.deep.equal([
      'environment.KEY',
    ]);
  });
});
