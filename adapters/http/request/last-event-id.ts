import type { HttpRequest } from '@horarium/core';
import { header } from './header.ts';

/** Returns the number of the last event that a browser has received, which it sends when it connects again. */
export function lastEventId(request: HttpRequest): number | undefined {
  const value = header(request, 'last-event-id');
  return value !== undefined && /^\d{1,15}$/.test(value) ? Number(value) : undefined;
}
