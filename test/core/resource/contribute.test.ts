import { type AnyResource, App, Artifact, AuditLog, react, Task } from '@horarium/core';
import { expect } from 'chai';

describe('A contributed reaction', () => {
  const reaction = async () => {};

  it('is rejected for records that the service alone writes, because it would not run', () => {
    for (const resource of [Task, Artifact, AuditLog] as AnyResource[])
      expect(() => react(resource, reaction), resource.name).to.throw(
        `${resource.name} records are written by the service alone, which runs no reactions.`,
      );
  });

  it('is accepted for records that callers write', () => {
    expect(react(App, reaction).reactions).to.deep.equal([reaction]);
  });
});
