import { mask } from '@horarium/core';
import { expect } from 'chai';
import { encryptOverrides } from '#core/job/overrides';
import {
  type AnyRow,
  invalidFields,
  recordServices,
  recordWorld,
  refusal,
  root,
  smallCompany,
} from '../../support/worlds/record-world.ts';

const declaredByNone = (key: string, known: string) =>
  `${key} is declared neither by App 1 nor by the type of a credential of the template; ${known}`;

/** A template whose App declares REGION and TOKEN, and a credential whose type declares DB_USER. */
async function declaringWorld() {
  const world = recordWorld();
  const { app, company, template } = await smallCompany(world);
  const environment = { REGION: {}, TOKEN: { type: 'secret' } };
  await world.save('App', { id: app.id, environment });
  const type = await world.save('CredentialType', { code: 'db', name: 'db', fields: [{ keyword: 'DB_USER' }] });
  const owned = { name: 'db', company_id: company.id };
  const credential = await world.save('Credential', { ...owned, credential_type_id: type.id });
  const save = (values: object): Promise<AnyRow> => world.save('RunTemplate', { id: template.id, ...values });
  const oneOff = async (values: Record<string, string>, stored = {}) => {
    const owner = {
      template: await world.records('RunTemplate').get(root, template.id),
      app: await world.records('App').get(root, app.id),
    };
    return world.store.transaction(root, (tables) =>
      encryptOverrides(tables, recordServices.vault, owner, values, stored),
    );
  };
  return { world, app, company, type, credential, template, save, oneOff };
}

describe('Keys of the environment that neither an App nor the type of a credential declares', () => {
  it('are rejected in a template, with the declared ones and a similar one', async () => {
    const { save, credential } = await declaringWorld();
    const { errors } = await refusal(save({ environment: { REGOIN: 'eu', TOKEN: 'x', COLOUR: 'x' } }));
    expect(errors).to.deep.equal([
      {
        field: 'environment.REGOIN',
        message: declaredByNone('environment.REGOIN', 'declared are REGION, TOKEN. Did you mean REGION?'),
      },
      {
        field: 'environment.COLOUR',
        message: declaredByNone('environment.COLOUR', 'declared are REGION, TOKEN'),
      },
    ]);
    expect(await invalidFields(save({ environment: { DB_USER: 'eva' } }))).to.deep.equal(['environment.DB_USER']);
    await save({ environment: { DB_USER: 'eva', REGION: 'eu' }, credentials: [credential.id] });
  });

  it('are rejected in a template that changes to another App or loses a credential', async () => {
    const { world, save, credential } = await declaringWorld();
    await save({ environment: { DB_USER: 'eva', REGION: 'eu' }, credentials: [credential.id] });
    expect(await invalidFields(save({ credentials: [] }))).to.deep.equal(['environment.DB_USER']);
    const other = await world.save('App', { name: 'other', executable: 'x' });
    expect(await invalidFields(save({ app_id: other.id }))).to.deep.equal(['environment.REGION']);
    await save({ app_id: other.id, credentials: [], environment: {} });
  });

  it('stay stored in a template and a job when their declaration is removed', async () => {
    const { world, app, save, oneOff } = await declaringWorld();
    const environment = { REGION: 'eu', TOKEN: 'secret' };
    await save({ environment });
    const stored = await oneOff(environment);
    await world.save('App', { id: app.id, environment: {} });
    const saved = await save({ note: 'unchanged otherwise', environment: { REGION: 'eu', TOKEN: mask } });
    expect(Object.keys(saved.environment)).to.deep.equal(['REGION', 'TOKEN']);
    expect(await oneOff({ REGION: 'eu', TOKEN: mask }, stored)).to.deep.equal(stored);
    expect(await invalidFields(save({ environment: { REGION: 'us' } }))).to.deep.equal(['environment.REGION']);
    expect(await invalidFields(oneOff({ REGION: 'us' }, stored))).to.deep.equal(['environment.REGION']);
  });

  it('are rejected for one job', async () => {
    const { oneOff, save, credential } = await declaringWorld();
    const { errors } = await refusal(oneOff({ DB_USER: 'eva' }));
    expect(errors.map(({ message }) => message)).to.deep.equal([
      declaredByNone('environment.DB_USER', 'declared are REGION, TOKEN'),
    ]);
    await save({ credentials: [credential.id] });
    expect(await oneOff({ DB_USER: 'eva' })).to.deep.equal({ DB_USER: 'eva' });
  });

  it('are rejected in the mapping of an event rule, by its target template', async () => {
    const { world, template, save, credential } = await declaringWorld();
    const source = await world.save('EventSource', { name: 's', kind: 'changes-table', options: { host: 'x' } });
    const rule = { event_source_id: source.id, runtemplate_id: template.id };
    const { errors } = await refusal(world.save('EventRule', { ...rule, env_mapping: { DB_USER: 'recordid' } }));
    expect(errors.map(({ message }) => message)).to.deep.equal([
      declaredByNone('env_mapping.DB_USER', 'declared are REGION, TOKEN'),
    ]);
    await save({ credentials: [credential.id] });
    const saved = await world.save('EventRule', { ...rule, env_mapping: { DB_USER: 'recordid' } });
    await save({ credentials: [] });
    await world.save('EventRule', { ...rule, id: saved.id, priority: 1, env_mapping: { DB_USER: 'evidence' } });
  });

  it('are kept in a company', async () => {
    const { world, company } = await declaringWorld();
    const saved = await world.save('Company', { id: company.id, environment: { ANYTHING: 'x' } });
    expect(saved.environment).to.deep.equal({ ANYTHING: 'x' });
  });

  it('are rejected with twenty of the declared ones, where there are more', async () => {
    const { world, app, save } = await declaringWorld();
    const keys = Array.from({ length: 23 }, (_, index) => `KEY_NUMBER_${index}`);
    await world.save('App', { id: app.id, environment: Object.fromEntries(keys.map((key) => [key, {}])) });
    const { errors } = await refusal(save({ environment: { X: 'x' } }));
    expect(errors[0]?.message).to.match(/declared are KEY_NUMBER_0, .*, KEY_NUMBER_19 and 3 more$/);
    await world.save('App', { id: app.id, environment: {} });
    expect((await refusal(save({ environment: { X: 'x' } }))).errors[0]?.message).to.match(/; nothing is declared$/);
  });
});
