import { expect } from 'chai';
import { readConfig } from '../../../host/config/read-config.ts';
import { installationRoutes } from '../../../host/http/installation-routes.ts';
import { settingRows } from '../../../host/plugins/setting-rows.ts';
import { basic, HttpService } from '../../support/http/http-service.ts';

const password = 'correct horse stable';
const secrets = {
  HORARIUM_DATABASE_URL: 'postgres://jana:hunter2@db.example.com/jobs',
  HORARIUM_ADMIN_PASSWORD: 'hunter2 hunter2',
  HORARIUM_VAULT_KEY: Buffer.alloc(32, 'hunter2').toString('base64'),
  HORARIUM_PLUGIN_OPTIONS: JSON.stringify({ 'action-email': { host: 'mail.example.com', password: 'hunter2' } }),
};

describe('What a service was started with', () => {
  let service: HttpService;

  before(async () => {
    const read = readConfig({ environment: secrets, flags: {}, machine: { cores: 2, timezone: 'UTC' } as never });
    const plugins = async () => [{ name: 'docs', built_in: true, version: '1.0.0', brings: { routes: ['GET /docs'] } }];
    const extraRoutes = installationRoutes({ settings: await settingRows(read), plugins });
    service = await new HttpService({ extraRoutes }).start();
    for (const role of ['viewer', 'admin'] as const) await service.core.addUser(role, password, role);
  });
  after(() => service.stop());

  const get = (path: string, login?: string) =>
    service.request(path, { headers: login ? { authorization: basic(login, password) } : {} });

  it('is shown to admins, each setting with its source and without its secret', async () => {
    const { status, json, text } = await get('/settings.json', 'admin');
    expect(status, text).to.equal(200);
    const row = (name: string) => json.find(({ setting }: { setting: string }) => setting === name);
    expect(row('database_url').from).to.equal('environment');
    expect(row('database_url').value).to.include('db.example.com');
    expect(row('port')).to.include({ from: 'default', variable: 'HORARIUM_PORT' });
    expect(text).to.not.include('hunter2').and.to.not.include(secrets.HORARIUM_VAULT_KEY);
    expect((await get('/plugins.json', 'admin')).json[0]).to.include({ name: 'docs', built_in: true });
  });

  it('is shown to no one else', async () => {
    for (const path of ['/settings.json', '/plugins.json'])
      expect([(await get(path, 'viewer')).status, (await get(path)).status], path).to.deep.equal([403, 401]);
  });
});
