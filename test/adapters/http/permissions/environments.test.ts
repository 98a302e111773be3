import { expect } from 'chai';
import { JobWorld } from '../../../support/worlds/job-world.ts';

describe('A company manager who is an editor', () => {
  const world = new JobWorld();
  let send: (path: string, body: object) => Promise<{ status: number; fields: string[] }>;
  before(async () => {
    await world.open();
    const { core } = world.service;
    const user_id = await core.addUser('mallory', 'a long enough one', 'editor');
    const { company_id } = world.template;
    expect((await world.post(`/company/${company_id}/user/`, { user_id, role: 'admin' })).status).to.equal(201);
    const authorization = `Bearer ${(await core.createToken('mallory')).secret}`;
    send = async (path, body) => {
      const { status, json } = await world.service.request(path, { method: 'POST', headers: { authorization }, body });
      return { status, fields: (json.errors ?? []).map(({ field }: { field: string }) => field) };
    };
  });
  after(() => world.close());

  /** Sets one variable everywhere a manager or editor can, except as a type's, and as a company's. */
  const places = (name: string): readonly [path: string, body: object, field: string][] => {
    const { id, company_id } = world.template;
    return [
      [`/runtemplate/${id}.json`, { environment: { [name]: '/tmp/code' } }, `environment.${name}`],
      ['/job/', { runtemplate_id: id, environment: { [name]: '/tmp/code' } }, `environment.${name}`],
      ['/credential/', { name: 'untyped', company_id, values: { [name]: '/tmp/code' } }, `values.${name}`],
      [`/company/${company_id}.json`, { environment: { [name]: '/tmp/code' } }, `environment.${name}`],
      [
        '/eventrule/',
        { runtemplate_id: id, runtemplate_source_id: id, enabled: false, env_mapping: { [name]: 'job_id' } },
        `env_mapping.${name}`,
      ],
    ];
  };

  for (const name of ['BASH_ENV', 'LD_PRELOAD', 'PYTHONPATH', 'HORARIUM_PING_URL', 'EVENT_ID'])
    it(`cannot set ${name} anywhere`, async () => {
      for (const [path, body, field] of places(name))
        expect(await send(path, body), path).to.deep.equal({ status: 422, fields: [field] });
    });

  it('can write no credential type, so that the variables of a type are chosen by admins', async () => {
    const type = { code: 'shell', name: 'Shell', fields: [{ keyword: 'BASH_ENV', default: '/tmp/code' }] };
    expect(await send('/credential_type/', type)).to.deep.equal({ status: 403, fields: [] });
    const byAdmin = await world.post('/credential_type/', type);
    expect([byAdmin.status, byAdmin.json.errors[0].field]).to.deep.equal([422, 'fields[0].keyword']);
  });

  it('hands no variable on to a job that its App does not declare', async () => {
    const { id, company_id } = world.template;
    const undeclared = { UNDECLARED: '/tmp/code' };
    for (const [path, body] of [
      [`/runtemplate/${id}.json`, { environment: undeclared }],
      ['/job/', { runtemplate_id: id, environment: undeclared }],
    ] as const)
      expect(await send(path, body), path).to.deep.equal({ status: 422, fields: ['environment.UNDECLARED'] });
    expect((await send(`/company/${company_id}.json`, { environment: undeclared })).status).to.equal(200);
    const values = { ...undeclared, TOKEN: 'declared' };
    const { json: credential } = await world.post('/credential/', { name: 'untyped', company_id, values });
    expect((await send(`/runtemplate/${id}.json`, { credentials: [credential.id] })).status).to.equal(200);
    const { started } = await world.startJob();
    const names = Object.keys(started.attempt.environment).filter((name) => !name.startsWith('HORARIUM_'));
    expect(names).to.deep.equal(['TOKEN']);
    started.end();
  });
});
