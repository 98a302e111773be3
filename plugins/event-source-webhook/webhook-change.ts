import { HorariumError, isPlainObject, readJson, type SourceChange } from '@horarium/core/plugin';

/** What happened, by the last word of a type such as `order.created`. */
const operations: Readonly<Record<string, string>> = {
  create: 'create',
  created: 'create',
  update: 'update',
  updated: 'update',
  delete: 'delete',
  deleted: 'delete',
};

/**
 * Makes a change of the body of a webhook, as Standard Webhooks advises to write it: `type`, `timestamp` and `data`.
 * @param id the id of the message, which is the same for every delivery of it.
 * @throws HorariumError for a body that is no object of JSON.
 */
export function changeOf(id: string, body: string): SourceChange {
  const payload = readJson(body, 'The body');
  if (!isPlainObject(payload)) throw new HorariumError('invalid', 'The body must be an object of JSON.');
  const { type, data } = payload;
  const evidence = typeof type === 'string' ? type : null;
  const verb = evidence?.split(/[._:]/).at(-1)?.toLowerCase();
  const recordId = isPlainObject(data) ? data['id'] : undefined;
  return {
    key: id,
    evidence,
    operation: (verb !== undefined && operations[verb]) || null,
    recordId: ['string', 'number'].includes(typeof recordId) ? String(recordId) : null,
    payload,
  };
}
