import { isIP } from 'node:net';
import { WireError } from '../wire-error.ts';

/** A URL of a NATS server; what authenticates stands elsewhere. */
export const serverUrl = /^(?:nats|tls):\/\/(?:[A-Za-z0-9.-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?$/;

/**
 * Whether connections to the servers must use TLS.
 * @throws WireError where only some of them do, or where one that does has no name to check its certificate against.
 */
export function requiresTls(servers: readonly string[]): boolean {
  const secure = servers.filter((server) => server.startsWith('tls:'));
  if (secure.length !== 0 && secure.length !== servers.length)
    throw new WireError('The URLs of the NATS servers must all begin with tls://, or all with nats://.');
  // The client of NATS would check the certificate of an address against `localhost`.
  const unnamed = secure.find((server) => isIP(new URL(server).hostname.replaceAll(/[[\]]/g, '')) !== 0);
  if (unnamed !== undefined)
    throw new WireError(`${unnamed} must have the name that the certificate of the server has, not an address.`);
  return secure.length > 0;
}
