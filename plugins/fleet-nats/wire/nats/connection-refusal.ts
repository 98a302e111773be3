import { errors } from '@nats-io/transport-node';

const notTrusted =
  'its certificate is of an authority that is not trusted here: name the file of that authority (--tls-ca of an agent, tls_ca of the hosts)';
const unknownName = 'its name is unknown, or names cannot be looked up';

/** What errors of Node.js mean for a connection to NATS, by their code. */
const meanings: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: unknownName,
  EAI_AGAIN: unknownName,
  DEPTH_ZERO_SELF_SIGNED_CERT: notTrusted,
  SELF_SIGNED_CERT_IN_CHAIN: notTrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: notTrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: notTrusted,
  CERT_HAS_EXPIRED: 'its certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is of another name',
};

/** Returns why NATS does not let a user in, or has closed its connection, as a sentence. */
export function connectionRefusal(name: string, servers: readonly string[], error: unknown): string {
  const where = servers.length === 1 ? 'The NATS server' : 'None of the NATS servers';
  return `${where} ${servers.join(', ')} ${servers.length === 1 ? 'does not let' : 'lets'} the ${name} in: ${reasonOf(error, servers)}.`;
}

function reasonOf(error: unknown, servers: readonly string[]): string {
  const { message, code, cause } = error as Error & { readonly code?: string; readonly cause?: { code?: string } };
  const meaning = meanings[code ?? cause?.code ?? ''];
  if (meaning !== undefined) return meaning;
  if (error instanceof errors.UserAuthenticationExpiredError) return 'its JWT has expired';
  if (error instanceof errors.AuthorizationError)
    return 'its credential is refused, because the server has no such user, or the user was revoked or has expired';
  if (error instanceof errors.TimeoutError)
    return servers[0]?.startsWith('tls:')
      ? 'it does not answer in time, as a server does that asks clients for a certificate and gets none'
      : 'it does not answer in time';
  if (message === "server does not support 'tls'") return 'it offers no TLS, which the URL requires';
  if (message.includes('undefined error')) return 'it closed the connection at once';
  return message;
}
