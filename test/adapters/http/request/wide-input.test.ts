import { expect } from 'chai';
import { HttpService } from '../../../support/http/http-service.ts';

describe('A wide body', () => {
  it('is scanned no further than a record can reach, and at most a hundred errors in it are named', async () => {
    const service = await new HttpService().start();
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const send = (body: unknown, headers = {}) => service.requestAsAdmin('/app/', { method: 'POST', body, headers });
    const app = (tags: unknown[]) => ({ name: 'a', executable: 'true', tags });
    const some = await send(app(Array(1000).fill(0)));
    expect([some.status, some.json.errors.length]).to.deep.equal([422, 100]);
    expect(some.json.detail).to.match(/; and 900 more$/);
    const many = await send(app(Array(10_001).fill('a')));
    expect([many.status, many.json.errors[0].field]).to.deep.equal([422, 'tags']);
    expect((await send('a=1&'.repeat(2001), form)).status).to.equal(400);
    await service.stop();
  });

  it('may hold one text as long as the body limit, whatever its characters', async () => {
    const service = await new HttpService({ bodyLimit: 20_000_000 }).start();
    const post = (body: object) => service.requestAsAdmin('/app/', { method: 'POST', body });
    const words = await post({ name: 'a', executable: 'true', arguments: `${'x '.repeat(600_000)}'` });
    expect([words.status, words.json.errors]).to.deep.equal([
      422,
      [{ field: 'arguments', message: 'arguments may have at most 1048576 characters' }],
    ]);
    const roles = await service.requestAsAdmin('/user/1/roles/', {
      method: 'POST',
      body: { roles: Array(101).fill('viewer') },
    });
    expect([roles.status, roles.json.errors]).to.deep.equal([
      422,
      [{ field: 'roles', message: 'roles may list at most 100' }],
    ]);
    for (const name of ['x'.repeat(12_000_000), '"'.repeat(6_000_000), '\\'.repeat(6_000_000)]) {
      const { status, json } = await post({ name, executable: 'true' });
      expect([status, json.errors]).to.deep.equal([
        422,
        [{ field: 'name', message: 'name must be at most 255 characters' }],
      ]);
    }
    expect((await post({ name: 'a"\\', executable: '\\', description: '\\\\"{[,:' })).status).to.equal(201);
    await service.stop();
  });
});
