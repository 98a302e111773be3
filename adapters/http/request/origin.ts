import { randomUUID } from 'node:crypto';
import type { Actor, HttpRequest, RequestOrigin } from '@horarium/core';
import { clientNetwork, type TrustedProxies } from '../security/networks.ts';
import { clientAddress } from '../security/transport.ts';
import { header } from './header.ts';

/** The channel of a request: `ui` for pages, which send the cookie of a session, and `http` for all other callers. */
export type HttpChannel = Extract<RequestOrigin['channel'], 'http' | 'ui'>;

/** The origin of an HTTP request: part of its actor, and so of the audit log. */
export class HttpOrigin implements RequestOrigin {
  readonly channel: HttpChannel;
  readonly ip: string;
  readonly requestId: string;

  constructor(request: HttpRequest, proxies: TrustedProxies, channel: HttpChannel) {
    this.channel = channel;
    this.ip = clientAddress(request, proxies);
    this.requestId = requestIdOf(request);
  }

  /** The address, or the /64 of an IPv6 one. */
  get network(): string {
    return clientNetwork(this.ip);
  }
}

/** Builds the actor of a request without authentication; it may do nothing. */
export function anonymousActor({ channel, ip, network, requestId }: HttpOrigin): Actor {
  return { channel, ip, network, requestId, name: 'anonymous', userId: null, roles: new Set(), memberships: new Map() };
}

/**
 * Returns the caller's own request id where it is well-formed, so that the logs of both sides can be compared, and a
 * new one otherwise.
 */
function requestIdOf(request: HttpRequest): string {
  const callerId = header(request, 'x-request-id');
  return callerId !== undefined && /^[A-Za-z0-9._:-]{1,128}$/.test(callerId) ? callerId : randomUUID();
}
