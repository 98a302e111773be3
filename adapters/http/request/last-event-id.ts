import { type HttpRequest, type QueryParameters, readWholeNumber } from '@horarium/core';
import { header } from './header.ts';

/**
 * Returns the number of the event behind which a stream goes on: the last one that a browser has received, which it sends when
 * it connects again to the same URL, or else `after` of the query.
 * @throws HorariumError `bad_request` for an `after` that is no whole number.
 */
export function lastEventId(request: HttpRequest, query: QueryParameters): number | undefined {
  const after = readWholeNumber(query, 'after');
  const value = header(request, 'last-event-id');
  return value !== undefined && /^\d{1,15}$/.test(value) ? Number(value) : after;
}
