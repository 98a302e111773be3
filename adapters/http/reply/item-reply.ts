import type { Reply, ResponseShape } from '@horarium/core';

/**
 * Builds a reply with one item that is not a record.
 * @param embedded the shapes of its members that are records or lists of them.
 */
export function itemReply(name: string, value: object, embedded: ResponseShape['embedded'] = {}): Reply {
  return { value, shape: { kind: 'item', name, fields: null, embedded } };
}
