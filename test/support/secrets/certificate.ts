import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Tls } from '../../../adapters/restify/secure-context.ts';
import { temporaryFolder } from '../mocha/temporary-folder.ts';

/** Whether the machine has openssl, which issues the certificates. */
export function hasOpenssl(): boolean {
  return !spawnSync('openssl', ['version']).error;
}

const ellipticCurve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];

/**
 * Issues a self-signed certificate for a host name, which is valid for two days.
 * @param newKey the options of `openssl req` that make its key.
 */
export function selfSignedCertificate(name: string, newKey: readonly string[] = ellipticCurve): Tls {
  const folder = temporaryFolder('tls');
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
  const kind = ['-x509', ...newKey, '-nodes', '-days', '2'];
  execFileSync('openssl', ['req', ...kind, '-subj', `/CN=${name}`, '-keyout', key, '-out', certificate], {
    stdio: 'ignore',
  });
  const tls = { certificate: readFileSync(certificate, 'utf8'), key: readFileSync(key, 'utf8') };
  rmSync(folder, { recursive: true });
  return tls;
}
