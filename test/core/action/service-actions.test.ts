import type { AnyAction, CoreOptions } from '@horarium/core';
import { defineAction, text } from '@horarium/core/plugin';
import { expect } from 'chai';
import { MemoryCore } from '../../support/worlds/memory-core.ts';

describe('The actions of the service', () => {
  const tell = defineAction({
    name: 'tell',
    adminOnly: true,
    options: { to: text(20).required(), password: text(20, { secret: 'encrypted' }) },
    refuse: ({ to }) => (to === 'nobody' ? 'nobody has no mailbox' : null),
    deliver: async () => ({}),
  });
  const actions = new Map<string, AnyAction>([['tell', tell]]);
  const start = (serviceActions: object) =>
    new MemoryCore({ actions, serviceActions: serviceActions as NonNullable<CoreOptions['serviceActions']> });

  it('are those of any event, also of actions that only admins may use', () => {
    expect(() => start({ on_missed: [{ action: 'tell', to: 'ops', password: 'secret' }] })).not.to.throw();
  });

  const wrong: readonly (readonly [lists: object, sentence: RegExp])[] = [
    [{ on_fail: [] }, /on_fail is not an event: the events are on_start, on_success/],
    [{ on_failure: {} }, /on_failure must be a list such as/],
    [{ on_failure: [{ to: 'ops' }] }, /on_failure must be a list such as/],
    [{ on_failure: [{ action: 'sing' }] }, /on_failure\[0\]\.action: no loaded plugin provides the action sing/],
    [{ on_failure: [{ action: 'tell' }] }, /on_failure\[0\]\.to is required/],
    [{ on_failure: [{ action: 'tell', to: 'ops', cc: 'boss' }] }, /on_failure\[0\]\.cc/],
    [{ on_failure: [{ action: 'tell', to: 'nobody' }] }, /on_failure\[0\] cannot be delivered: nobody has no mailbox/],
  ];
  for (const [lists, sentence] of wrong)
    it(`keep the core from being made where they are ${JSON.stringify(lists)}`, () => {
      expect(() => start(lists))
        .to.throw(sentence)
        .with.property('code', 'invalid');
    });
});
