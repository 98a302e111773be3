import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { HorariumError } from '@horarium/core';
import type { Tls } from '../../adapters/restify/api-server.ts';
import type { Config } from '../config/settings.ts';

/**
 * Certificate and key as they stand in their files at this moment; undefined when there are to be none.
 * @throws HorariumError `invalid` naming the file that cannot be used.
 */
export async function readTls({ tls_cert, tls_key }: Config): Promise<Tls | undefined> {
  if (tls_cert === null || tls_key === null) return undefined;
  const certificate = await readPem('tls_cert', tls_cert);
  const key = await readPem('tls_key', tls_key);
  const first = parsed(() => new X509Certificate(certificate), `${tls_cert} (tls_cert) holds no certificate`);
  const secret: KeyObject = parsed(() => createPrivateKey(key), `${tls_key} (tls_key) holds no private key`);
  if (!first.checkPrivateKey(secret))
    throw unusable(`${tls_key} (tls_key) is not the key of the first certificate in ${tls_cert} (tls_cert)`);
  return { certificate, key };
}

async function readPem(name: string, file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw unusable(`${file} (${name}) cannot be read: ${(error as Error).message}`);
  }
}

/** What OpenSSL says of it helps nobody. */
function parsed<T>(read: () => T, otherwise: string): T {
  try {
    return read();
  } catch {
    throw unusable(`${otherwise} that can be read; it must be PEM, and a key without a password`);
  }
}

function unusable(what: string): HorariumError {
  return new HorariumError('invalid', `The file ${what}.`);
}
