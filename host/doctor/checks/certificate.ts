import { systemClock } from '@horarium/core';
import { readTls } from '../../serve/tls.ts';
import { type Finding, ok, warn } from '../finding.ts';
import type { Installation } from '../installation.ts';

/** Reads the certificate and its key as the service does. */
export async function checkCertificate(installation: Installation): Promise<Finding[]> {
  const { config } = await installation.settings();
  const tls = await readTls(config, installation.io.folder, systemClock.now());
  if (!tls) return [ok(`none: the service answers over HTTP on ${config.host}`)];
  if (tls.warnings.length === 0) return [ok(`${config.tls_cert} can be used`)];
  return tls.warnings.map((warning) => warn(warning, 'horarium help https'));
}
