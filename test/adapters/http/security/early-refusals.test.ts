import { expect } from 'chai';
import { basic, HttpService } from '../../../support/http/http-service.ts';
import { unfinished } from '../../../support/http/unfinished-request.ts';

describe('A change by a user who may write no record of its kind', () => {
  const password = 'correct horse stable';
  let service: HttpService;
  let template: number;

  before(async () => {
    service = await new HttpService().start();
    const save = async (path: string, body: object) =>
      (await service.requestAsAdmin(path, { method: 'POST', body })).json;
    const company = await save('/company/', { code: 'acme', name: 'Acme' });
    const app = await save('/app/', { name: 'Shell', executable: '/bin/true' });
    template = (await save('/runtemplate/', { name: 't', app_id: app.id, company_id: company.id, interval: 'none' }))
      .id;
    for (const [login, role] of [
      ['vera', 'viewer'],
      ['mona', 'manager'],
    ] as const) {
      const user_id = await service.core.addUser(login, password, 'viewer');
      await save(`/company/${company.id}/user/`, { user_id, role });
    }
    await service.core.addUser('nobody', password, null);
  });
  after(() => service.stop());

  const begin = (path: string, login?: string) => {
    const headers = { 'content-type': 'application/json', ...(login && { authorization: basic(login, password) }) };
    return unfinished(`${service.url}/api/v1${path}`, headers);
  };

  it('is refused before its body is read, whatever that says', async () => {
    for (const path of ['/runtemplate/', '/job/', '/app/', `/runtemplate/${template}.json`])
      expect(await begin(path, 'vera'), path).to.deep.equal({ status: 403 });
    expect(await begin('/app/', 'mona')).to.deep.equal({ status: 403 });
    expect(await begin(`/runtemplate/${template}.json`)).to.deep.equal({ status: 401 });
  });

  it('is refused in the words of an unknown id where the path names what they may not see', async () => {
    expect(await begin(`/runtemplate/${template}.json`, 'nobody')).to.deep.equal({ status: 404 });
    expect(await begin('/runtemplate/999999.json', 'vera')).to.deep.equal({ status: 404 });
    expect(await begin('/runtemplate/x.json', 'vera')).to.deep.equal({ status: 400 });
  });

  it('is not parsed where it is large', async () => {
    const parse = JSON.parse;
    let parsed = 0;
    JSON.parse = (...input: Parameters<typeof parse>) => {
      if (input[0].length > 100_000) parsed += 1;
      return parse(...input);
    };
    try {
      const body = { name: 'x'.repeat(900_000) };
      const send = async (login: string) =>
        (
          await service.request('/runtemplate/', {
            method: 'POST',
            body,
            headers: { authorization: basic(login, password) },
          })
        ).status;
      expect([await send('vera'), parsed]).to.deep.equal([403, 0]);
      expect((await service.request('/runtemplate/', { method: 'POST', body })).status).to.equal(401);
      expect(parsed).to.equal(0);
      expect([await send('mona'), parsed > 0]).to.deep.equal([422, true]);
    } finally {
      JSON.parse = parse;
    }
  });
});
