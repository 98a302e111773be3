import type { Reply, ResponseShape } from '@horarium/core';

/**
 * A reply that is one thing, and no record.
 * @param embedded the shapes of its members that are records or lists of them.
 */
export function itemReply(name: string, value: object, embedded: ResponseShape['embedded'] = {}): Reply {
  return { value, shape: { kind: 'item', name, fields: null, embedded } };
}
