import { createPrivateKey, sign, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { type Authenticator, connect, type NatsConnection, type TlsOptions } from '@nats-io/transport-node';
import type { PrivateKeys } from '../keys/keys.ts';
import { WireError } from '../wire-error.ts';
import { connectionRefusal } from './connection-refusal.ts';
import { requiresTls } from './servers.ts';

/** Paths of files in PEM; null = none. */
export interface TlsFiles {
  /** The authorities that are trusted. null = those that Node.js trusts. */
  readonly ca: string | null;
  /** The certificate of this client and its key, for servers that ask for one. */
  readonly certificate: string | null;
  readonly key: string | null;
}

/** What a connection to NATS is made with. */
export interface NatsAccess {
  /** Who connects, for people: `agent NAME`, `host NAME`. */
  readonly name: string;
  readonly servers: readonly string[];
  readonly keys: PrivateKeys;
  /** The JWT of the user, where NATS runs in operator mode. */
  readonly jwt: string | null;
  /** The prefix of its inboxes. */
  readonly inbox: string;
  readonly tls: TlsFiles;
}

/** The longest message that is published, with its headers: a part of an answer. */
const minPayload = 576 * 1024;

/**
 * Connects to NATS; later losses of the connection are mended for as long as it is open, also when the server refuses the
 * user meanwhile, because its configuration may be put right.
 * @throws WireError with the reason where no server lets it in.
 */
export async function connectNats(access: NatsAccess): Promise<NatsConnection> {
  const { name, servers, keys, jwt, inbox } = access;
  const tls = await tlsOptions(access);
  let connection: NatsConnection;
  try {
    connection = await connect({
      name,
      servers: [...servers],
      authenticator: authenticatorOf(keys, jwt),
      inboxPrefix: inbox,
      ...(tls && { tls }),
      timeout: 5000,
      pingInterval: 5000,
      maxReconnectAttempts: -1,
      reconnectTimeWait: 500,
      reconnectJitter: 500,
      reconnectJitterTLS: 500,
      ignoreAuthErrorAbort: true,
      // The servers that the credential or the settings name, and no others that one of them names.
      ignoreClusterUpdates: true,
    });
  } catch (error) {
    throw new WireError(connectionRefusal(name, servers, error));
  }
  const payload = connection.info?.max_payload ?? 0;
  if (payload >= minPayload) return connection;
  await connection.close();
  throw new WireError(
    `The NATS server ${connection.getServer()} takes messages of at most ${payload} bytes: its max_payload must be at least ${minPayload}.`,
  );
}

/** Signs the nonces of NATS with node:crypto, as all messages are. */
function authenticatorOf({ publicKeys, signing }: PrivateKeys, jwt: string | null): Authenticator {
  return (nonce = '') => {
    const sig = nonce && sign(null, Buffer.from(nonce), signing).toString('base64url');
    const user = { nkey: publicKeys.texts.signing, sig };
    return jwt === null ? user : { jwt, ...user };
  };
}

/** Reads the files of TLS; undefined where connections do not require it. */
async function tlsOptions({ servers, tls: { ca, certificate, key } }: NatsAccess): Promise<TlsOptions | undefined> {
  if (!requiresTls(servers)) {
    if (ca === null && certificate === null && key === null) return undefined;
    throw new WireError('Files for TLS are set, but the URLs of the NATS servers begin with nats://.');
  }
  if ((certificate === null) !== (key === null))
    throw new WireError('A certificate of this client and its key must be set together.');
  return {
    ...(ca !== null && { ca: await readPem(ca, (pem) => new X509Certificate(pem)) }),
    ...(certificate !== null && { cert: await readPem(certificate, (pem) => new X509Certificate(pem)) }),
    ...(key !== null && { key: await readPem(key, createPrivateKey) }),
  };
}

/** Node.js would ignore a file of authorities that holds none. */
async function readPem(path: string, check: (pem: string) => unknown): Promise<string> {
  let pem: string;
  try {
    pem = await readFile(path, 'utf8');
  } catch (error) {
    throw new WireError(`The file ${path} for TLS cannot be read (${(error as { code?: unknown }).code}).`);
  }
  try {
    check(pem);
  } catch {
    throw new WireError(`The file ${path} for TLS does not hold what it should in PEM.`);
  }
  return pem;
}
