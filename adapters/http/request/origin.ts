import { randomUUID } from 'node:crypto';
import type { Actor, HttpRequest } from '@horarium/core';
import { clientAddress, type TrustedProxies } from '../security/transport.ts';
import { header } from './request.ts';

/** Where a request came from: it becomes part of the Actor, and so of the audit log. */
export interface RequestOrigin {
  readonly channel: 'http';
  readonly ip: string;
  readonly requestId: string;
}

export function originOf(request: HttpRequest, proxies: TrustedProxies): RequestOrigin {
  return { channel: 'http', ip: clientAddress(request, proxies), requestId: requestIdOf(request) };
}

/** Who calls before anybody has signed in: they may do nothing. */
export function nobody(visit: RequestOrigin): Actor {
  return { ...visit, name: 'nobody', userId: null, roles: new Set(), memberships: new Map() };
}

/** A caller's own id where it is a harmless one, so that logs of both sides can be laid side by side. */
function requestIdOf(request: HttpRequest): string {
  const given = header(request, 'x-request-id');
  return given !== undefined && /^[A-Za-z0-9._:-]{1,128}$/.test(given) ? given : randomUUID();
}
