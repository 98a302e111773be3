import { App, serializeRow } from '@horarium/core';
import { assert } from 'chai';
import { newRow } from '#core/store/table';

const stamps = { id: 7, revision: 1, created_at: 0, updated_at: 0 };
const row = { ...newRow(App, { name: 'Backup', uuid: 'u', executable: 'true', stdin: 'yes' }), ...stamps };

describe('serializeRow', () => {
  it('returns every field of the record except hidden ones', () => {
    const serialized = serializeRow(App, row);
    assert.deepInclude(serialized, {
      id: 7,
      name: 'Backup',
      stdin: 'yes',
      code: null,
      created_at: '1970-01-01T00:00:00.000Z',
    });
    assert.notProperty(serialized, 'revision');
  });

  it('omits fields that were not read', () => {
    const { stdin: _stdin, code: _code, ...partialRow } = row;
    const serialized = serializeRow(App, partialRow);
    assert.notProperty(serialized, 'stdin');
    assert.notProperty(serialized, 'code');
    assert.property(serialized, 'translations');
  });

  it('masks encrypted values at any depth and leaves the row unchanged', () => {
    const environment = { KEY: { type: 'secret', default: 'vault:v1:abc' } };
    const serialized = serializeRow(App, { ...row, environment });
    assert.deepEqual(serialized['environment'], { KEY: { type: 'secret', default: '••••••••' } });
    assert.equal(environment.KEY.default, 'vault:v1:abc');
  });
});
