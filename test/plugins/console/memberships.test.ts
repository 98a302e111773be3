import { expect } from 'chai';
import { consoleRoutes } from '../../../plugins/console/server/routes.ts';
import { PermissionWorld } from '../../support/worlds/permission-world.ts';

describe('The memberships of a user, for the console', () => {
  const world = new PermissionWorld({ sessions: true, extraRoutes: consoleRoutes });
  let user: number;

  before(async () => {
    await world.start();
    const { own, other } = world.companies;
    user = (await world.make('/user/', { login: 'everywhere' })).id;
    await world.make(`/company/${own.Company}/user/`, { user_id: user, role: 'operator' });
    await world.make(`/company/${other.Company}/user/`, { user_id: user, role: 'viewer' });
  });
  after(() => world.stop());

  const path = (id: unknown) => `/console/memberships?user_id=${id}`;

  it('are all shown to an admin, and to a member of a company those there alone', async () => {
    const { own, other } = world.companies;
    const ofOwn = { company_id: own.Company, role: 'operator' };
    const admin = await world.person('admin', 'none');
    const seen = (await admin.request('GET', path(user))).json;
    expect(seen).to.have.deep.members([ofOwn, { company_id: other.Company, role: 'viewer' }]);
    const member = await world.person('none', 'viewer');
    expect((await member.request('GET', path(user))).json).to.deep.equal([ofOwn]);
    const viewer = await world.person('viewer', 'none');
    expect((await viewer.request('GET', path(user))).json).to.deep.equal([]);
  });

  it('are none of a user that does not exist, and refused for what is no id', async () => {
    const admin = await world.person('admin', 'none');
    expect((await admin.request('GET', path(987_654))).json).to.deep.equal([]);
    for (const id of ['', '0', '1,2', 'eva']) expect((await admin.request('GET', path(id))).status, id).to.equal(400);
  });
});
