import { allResources, allTables, byRole, defineResource, text, visibleColumns } from '@horarium/core';
import { expect } from 'chai';
import { findResource } from '#core/resources';

describe('the tables of the store', () => {
  it('have unique names', () => {
    expect(new Set(allTables.map((table) => table.table)).size).to.equal(allTables.length);
  });

  it('come after the tables that they refer to', () => {
    allTables.forEach((table, place) => {
      for (const column of table.columns) {
        if (!column.references || column.foreignKey === false || column.kind !== 'reference') continue;
        const target = allTables.findIndex((other) => other.name === column.references);
        expect(target, `${table.name}.${column.name}`).to.be.within(0, place);
      }
    });
  });

  it('leave structured data and lists of long texts to single records, but for changes and settings of users', () => {
    const listed = allResources.flatMap((resource) =>
      visibleColumns(resource)
        .filter((column) => !column.detailOnly)
        .map((column) => ({ name: resource.name, column })),
    );
    const large = listed.filter(({ column: { kind, name } }) => kind === 'json' && !name.startsWith('on_'));
    expect(large.map(({ name, column }) => `${name}.${column.name}`)).to.have.members([
      'AuditLog.changes',
      'User.settings',
    ]);
    const fields = listed.filter(({ column }) => ['environment', 'arguments'].includes(column.name));
    expect(fields).to.deep.equal([]);
  });

  it('refer to resources only', () => {
    for (const table of allTables) {
      for (const column of table.columns) {
        if (column.references) expect(findResource(column.references).name).to.equal(column.references);
      }
    }
  });

  it('describe every resource of the specification', () => {
    const specified = ['App', 'Company', 'RunTemplate', 'Job', 'Task', 'User', 'UserRoles', 'CompanyUser'];
    specified.push(
      'Credential',
      'CredentialType',
      'Topic',
      'Event',
      'EventRule',
      'EventSource',
      'Token',
      'Artifact',
      'Delivery',
      'Pause',
      'Calendar',
      'MaintenanceWindow',
      'AuditLog',
    );
    expect(allResources.map((resource) => resource.name)).to.have.members(specified);
  });

  it('cannot be described without permissions', () => {
    const description = {
      name: 'Thing',
      names: { singular: 'thing', plural: 'things', id: 'thingId' },
      description: 'A sample.',
      example: {},
      operations: [],
      company: null,
      fields: { name: text(10) },
    } as const;
    // @ts-expect-error: permissions are required.
    defineResource(description);
    expect(
      defineResource({ ...description, permissions: byRole({ read: 'everybody', write: 'admin everywhere' }) }).name,
    ).to.equal('Thing');
  });
});
