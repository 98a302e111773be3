import { expect } from 'chai';
import { consoleRoutes } from '../../../plugins/console/server/routes.ts';
import { PermissionWorld } from '../../support/worlds/permission-world.ts';

describe('Which changes are in force', () => {
  const world = new PermissionWorld({ sessions: true, extraRoutes: consoleRoutes });

  before(() => world.start());
  after(() => world.stop());

  it('lists those that the caller may read, with who has undone or replaced them', async () => {
    const { own } = world.companies;
    const manager = await world.person('none', 'manager');
    const save = async (note: string) => {
      await manager.request('POST', '/runtemplate/', { id: own.RunTemplate, note });
      const query = `entity_type=RunTemplate&entity_id=${own.RunTemplate}&limit=1`;
      return (await manager.request('GET', `/auditlog.json?${query}`)).json[0].id as number;
    };
    const undone = await save('first');
    const { json: undoing } = await manager.request('POST', `/auditlog/${undone}/undo.json`);
    expect(undoing.auditlog_id).to.equal(undone);
    const replaced = await save('second');
    const last = await save('third');
    const path = `/console/change-status?auditlog_id=${undone},${replaced},${last}`;
    const { status, json } = await manager.request('GET', path);
    expect(status).to.equal(200);
    expect(json).to.have.length(2);
    expect(json[0]).to.nested.include({ auditlog_id: undone, 'undone_by.auditlog_id': undone + 1 });
    expect(json[1]).to.deep.include({ auditlog_id: replaced, undone_by: null });
    expect(json[1].replaced_by).to.deep.include({ auditlog_id: last, fields: ['note'] });
    const stranger = await world.person('none', 'none');
    expect((await stranger.request('GET', path)).json).to.deep.equal([]);
    expect((await manager.request('GET', '/console/change-status')).status).to.equal(400);
  });
});
