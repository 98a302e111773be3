import { allResources, trustedActor, unchecked } from '@horarium/core';
import { type AddedFields, defineFields, setFields, Topic, text } from '@horarium/core/plugin';
import { expect } from 'chai';
import { addFields } from '#core/resource/added-fields';
import { contribute } from '#core/resource/contribute';
import { rejectionOf } from '../../support/mocha/rejection-of.ts';
import { MemoryCore } from '../../support/worlds/memory-core.ts';

const root = trustedActor('root');
const Paint = defineFields(Topic, {
  name: 'Paint',
  fields: { shade: text(20, { readOnly: true }), supplier: text(20, { hidden: true }) },
});

describe('Fields that are added to a resource', () => {
  let core: MemoryCore;
  let painted: number;
  let plain: number;

  beforeEach(async () => {
    core = new MemoryCore({ resources: contribute(allResources, [addFields(Paint)]) });
    painted = (await core.topics.save(root, { name: 'painted' })).id;
    plain = (await core.topics.save(root, { name: 'plain' })).id;
    await paint({ shade: 'dark', supplier: 'Acme' });
  });

  const paint = (set: Parameters<typeof setFields<PaintRow>>[3]) =>
    core.store.transaction(root, (tables) => setFields(tables, Paint, painted, set));
  const entries = async () =>
    (await core.auditLog.list(root, { filters: { entity_type: 'Topic', entity_id: painted } })).rows;
  const revision = async () => (await core.topics.get(root, painted)).revision;

  it('are shown with each record, null where nothing has set them, unless they are hidden', async () => {
    const rows = [await core.topics.get(root, painted), await core.topics.get(root, plain)];
    for (const detail of ['item', 'list'] as const) {
      const [one, other] = await core.forChannels.serialize(Topic, rows, detail);
      expect(one).to.include({ name: 'painted', shade: 'dark' });
      expect(other).to.include({ name: 'plain', shade: null });
      expect(one).to.not.have.any.keys('supplier', 'record_id');
    }
  });

  it('are audited as a change of the record, which makes a new version of it', async () => {
    const before = await revision();
    await paint({ shade: 'light' });
    const [entry] = await entries();
    expect(entry).to.deep.include({ action: 'update', entity_id: painted, changes: { shade: ['dark', 'light'] } });
    expect(await revision()).to.equal(before + 1);
    await core.store.transaction(root, (tables) => tables.of(Paint).delete([['record_id', '=', painted]]));
    expect((await entries())[0]).to.deep.include({ action: 'update', changes: { shade: ['light', null] } });
  });

  it('make neither an entry nor a version while they stay as they are, or are hidden', async () => {
    const before = [await revision(), (await entries()).length];
    await paint({ shade: 'dark', supplier: 'Globex' });
    expect([await revision(), (await entries()).length]).to.deep.equal(before);
  });

  it('are deleted with the record, and its last entry has what they were', async () => {
    await core.topics.delete(root, painted);
    expect(await core.store.read((tables) => tables.of(Paint).count())).to.equal(0);
    const [entry, ...earlier] = await entries();
    expect(entry).to.deep.include({ action: 'delete' });
    expect(entry?.changes).to.deep.include({ name: ['painted', null], shade: ['dark', null] });
    expect(earlier.map(({ action }) => action)).to.deep.equal(['update', 'create']);
  });

  it('cannot be changed past the audit log', async () => {
    const error = await rejectionOf(
      core.store.transaction(root, (tables) => tables.of(Paint).updateWhere([], { shade: 'none' })),
    );
    expect(error.message).to.equal('Paint.shade is audited: use update, not updateWhere.');
  });

  it('cannot be set for a record that there is not', async () => {
    const error = await rejectionOf(
      core.store.transaction(root, (tables) => setFields(tables, Paint, plain + 1, { shade: 'dark' })),
    );
    expect(error).to.include({ code: 'not_found' });
    expect(await core.store.read((tables) => tables.of(Paint).count())).to.equal(1);
  });

  it('are not input of the record', async () => {
    const error = await rejectionOf(core.topics.save(root, unchecked({ id: painted, shade: 'light' })));
    expect(error.message).to.include('shade is not a field of Topic');
  });
});

type PaintRow = typeof Paint extends AddedFields<infer R> ? R : never;
