import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { errorMessage } from '@horarium/core/plugin';
import type { PrivateKeys } from '../wire/keys/keys.ts';
import type { NatsAccess } from '../wire/nats/connect-nats.ts';
import type { Subjects } from '../wire/subjects.ts';
import { WireError } from '../wire/wire-error.ts';
import { type FleetOptions, hostKeyFile } from './settings.ts';

/**
 * Returns what this host connects to NATS with.
 * @param readKeys reads the keys that all hosts share.
 * @throws WireError where no server is named, or a file cannot be used.
 */
export async function hostAccess(
  options: FleetOptions,
  subjects: Subjects,
  readKeys: (path: string) => PrivateKeys,
): Promise<NatsAccess> {
  const { servers, jwt_file, tls_ca: ca, tls_certificate: certificate, tls_key: key } = options;
  if (servers.length === 0) throw new WireError('The option servers of fleet-nats names no NATS server.');
  const tls = { ca, certificate, key };
  try {
    const keys = readKeys(hostKeyFile(options));
    const jwt = jwt_file === null ? null : (await readFile(jwt_file, 'utf8')).trim();
    return { name: `host ${hostname()}`, servers, keys, jwt, inbox: subjects.hostsInbox, tls };
  } catch (error) {
    throw error instanceof WireError ? error : new WireError(errorMessage(error));
  }
}
