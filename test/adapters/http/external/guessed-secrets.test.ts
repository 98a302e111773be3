import { mask } from '@horarium/core';
import { expect } from 'chai';
import { ExternalHttpWorld } from '../../../support/worlds/external-http-world.ts';

const pin = '4711';
const code = '471108';
/** All four-digit numbers, and as many of six digits, the code among them. */
const guesses = Array.from({ length: 10_000 }, (_, number) => {
  const digits = String(number).padStart(4, '0');
  return `${digits} ${digits}08`;
});

describe('An operator who tries to guess the secrets of an external job', () => {
  const world = new ExternalHttpWorld();
  let as = '';

  before(async () => {
    await world.start();
    const { core } = world.service;
    const user_id = await core.addUser('otto', 'correct horse battery', 'user');
    await world.post(`/company/${world.company}/user/`, { user_id, role: 'operator' });
    as = `Bearer ${(await core.createToken('otto')).secret}`;
    const values = { PIN: pin, CODE: code };
    const declared = Object.keys(values).map((keyword) => ({ keyword, type: 'password' }));
    const type = (await world.post('/credential_type/', { code: 'door', name: 'Door', fields: declared })).json;
    const owned = { company_id: world.company, credential_type_id: type.id };
    const credential = (await world.post('/credential/', { name: 'c', ...owned, values })).json;
    template = await world.createTemplate({ environment: { TOKEN: code }, credentials: [credential.id] });
  });
  after(() => world.stop());

  let template = 0;
  const post = (body: object) =>
    world.service.request('/job/', { method: 'POST', body, headers: { authorization: as } });
  const claimed = async (fields: object = {}) => {
    const { id } = (await post({ runtemplate_id: template, ...fields })).json;
    return (await post({ id, state: 'running' })).json;
  };

  it('learns nothing from what is shown of ten thousand reported lines', async () => {
    const { id } = await claimed();
    const stdout = guesses.map((guess) => `${guess}\n`).join('');
    expect((await post({ id, stdout, message: `${pin} ${code}` })).json).to.include({ message: `${pin} ${code}` });
    const { pieces } = await world.get(`/job/${id}/output.json`);
    expect(pieces.map(({ text }: { text: string }) => text).join('')).to.equal(stdout);
    const artifacts = [{ filename: `${code}.txt`, content: '' }];
    const { json } = await post({ id, exit_code: 1, reason: code, artifacts });
    expect(json.artifacts[0].filename).to.equal(`${code}.txt`);
    expect(json.reason).to.equal(code);
  });

  it('learns nothing from the one-off values and arguments that a claim shows', async () => {
    const GREETING = guesses.slice(4000, 6000).join(' ');
    const job = await claimed({ environment: { GREETING } });
    expect(job.environment).to.include({ GREETING, TOKEN: mask, PIN: mask, CODE: mask });
    expect(job.arguments).to.deep.equal(['--say', GREETING, `--token=${mask}`]);
  });

  it('sees no secret that the author of the App or the template wrote elsewhere', async () => {
    const environment = { GREETING: `to ${code}`, TOKEN: code };
    const id = await world.createJob(await world.createTemplate({ environment }));
    const { json } = await post({ id, state: 'running' });
    expect(json.environment).to.include({ GREETING: `to ${mask}`, TOKEN: mask });
    expect(json.arguments).to.deep.equal(['--say', `to ${mask}`, `--token=${mask}`]);
  });
});
