import { type AnyAction, systemClock } from '@horarium/core';
import { noticeOf } from '@horarium/core/contracts';
import { type ActionDelivery, defineAction, defineEventSourceKind } from '@horarium/core/plugin';
import { expect } from 'chai';
import { attemptDelivery } from '#core/delivery/attempt-delivery';
import { maskedMessage } from '#core/event/source-options';
import { Registry } from '#core/registry/registry';

describe('The message of an error that an extension throws', () => {
  /** Delivers by an action that throws. @returns why the delivery did not arrive. */
  async function failureOf(error: Error, { owned = true } = {}): Promise<string | null> {
    const action: AnyAction = defineAction({
      name: 'chat',
      options: {},
      deliver: () => {
        throw error;
      },
    });
    if (owned) new Registry<AnyAction>('action').put('chat', action, 'my-chat');
    const delivery: ActionDelivery = {
      id: '6f1b2f0e-3a5d-4c5b-9a57-0d7f3a2c4e11',
      attempt: 1,
      options: {},
      notice: noticeOf('on_failure'),
      hasEnded: true,
      deactivateTemplate: async () => '',
    };
    const context = { clock: systemClock, stop: new AbortController().signal };
    return (await attemptDelivery({ action, delivery, secrets: [] }, context)).error;
  }

  it('names the plugin of an action, where the error is a mistake in its code', async () => {
    expect(await failureOf(new TypeError('text.trim is not a function'))).to.equal(
      'The plugin my-chat failed: text.trim is not a function',
    );
  });

  it('is that of the error where the action tells of its receiver, or belongs to no plugin', async () => {
    expect(await failureOf(new Error('the chat is full'))).to.equal('the chat is full');
    const unreachable = new TypeError('fetch failed', { cause: new Error('ECONNREFUSED') });
    expect(await failureOf(unreachable)).to.equal('fetch failed');
    expect(await failureOf(new TypeError('x is undefined'), { owned: false })).to.equal('x is undefined');
  });

  it('names the plugin of a kind of event sources, but not for a warning in words', async () => {
    const kind = defineEventSourceKind({ name: 'feed', options: {}, probe: async () => {} });
    new Registry<typeof kind>('event source kind').put('feed', kind, 'my-feed');
    expect(await maskedMessage(kind, {}, new ReferenceError('url is not defined'))).to.equal(
      'The plugin my-feed failed: url is not defined',
    );
    expect(await maskedMessage(kind, {}, 'a line is too long')).to.equal('a line is too long');
  });
});
