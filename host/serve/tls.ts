import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { constants } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { createSecureContext } from 'node:tls';
import { HorariumError, type Instant } from '@horarium/core';
import { secureContext, type Tls } from '../../adapters/restify/secure-context.ts';
import type { Config } from '../config/settings.ts';
import type { LogLines } from '../log-lines.ts';

/** A certificate with its key, and what is wrong with them although they can be used. */
interface ReadTls extends Tls {
  /** Sentences. */
  readonly warnings: readonly string[];
}

/**
 * Reads certificate and key from their files; undefined when the settings name none.
 * @param folder where relative paths start.
 * @throws HorariumError `invalid` naming the file that cannot be used.
 */
export async function readTls(
  { tls_cert, tls_key, public_url }: Pick<Config, 'tls_cert' | 'tls_key' | 'public_url'>,
  folder: string,
  now: Instant,
): Promise<ReadTls | undefined> {
  if (tls_cert === null || tls_key === null) return undefined;
  const certificate = await readPem('tls_cert', tls_cert, folder);
  const key = await readPem('tls_key', tls_key, folder);
  const first = parsed(() => new X509Certificate(certificate), `${tls_cert} (tls_cert) holds no certificate`);
  const secret: KeyObject = parsed(() => createPrivateKey(key), `${tls_key} (tls_key) holds no private key`);
  if (!first.checkPrivateKey(secret))
    throw unusable(`${tls_key} (tls_key) is not the key of the first certificate in ${tls_cert} (tls_cert)`);
  const tls = { certificate, key };
  try {
    createSecureContext(secureContext(tls));
  } catch (error) {
    const { reason, message } = error as Error & { readonly reason?: string };
    throw unusable(`${tls_cert} (tls_cert) cannot be used for TLS: ${reason ?? message}`);
  }
  const refusal = refusalOf(first, public_url, now);
  const { mode } = await stat(resolve(folder, tls_key));
  return {
    ...tls,
    warnings: [
      ...(refusal === null ? [] : [`The certificate in ${tls_cert} (tls_cert) ${refusal}: clients refuse it.`]),
      ...((mode & constants.S_IROTH) === 0
        ? []
        : [`Every user of this machine can read ${tls_key} (tls_key); chmod 600 keeps it to its owner.`]),
    ],
  };
}

/** Returns why clients refuse a certificate; null = nothing is known. */
function refusalOf(certificate: X509Certificate, publicUrl: string | null, now: Instant): string | null {
  const { validFromDate: from, validToDate: to } = certificate;
  if (to.getTime() < now) return `expired at ${to.toISOString()}`;
  if (from.getTime() > now) return `is valid from ${from.toISOString()} on only`;
  const host = publicUrl === null ? null : new URL(publicUrl).hostname.replace(/^\[|\]$/g, '');
  if (host === null || (isIP(host) ? certificate.checkIP(host) : certificate.checkHost(host))) return null;
  return `is not for ${host}, the host of public_url`;
}

async function readPem(setting: string, file: string, folder: string): Promise<string> {
  try {
    return await readFile(resolve(folder, file), 'utf8');
  } catch (error) {
    throw unusable(`${file} (${setting}) cannot be read: ${(error as Error).message}`);
  }
}

/** Leaves out what OpenSSL says: it helps no operator. */
function parsed<T>(read: () => T, otherwise: string): T {
  try {
    return read();
  } catch {
    throw unusable(`${otherwise} that can be read; it must be PEM, and a key without a password`);
  }
}

function unusable(reason: string): HorariumError {
  return new HorariumError('invalid', `The file ${reason}.`);
}

/** The part of `process` that delivers SIGHUP, so that a test can send it. */
export interface SighupSource {
  on(signal: 'SIGHUP', listener: () => void): unknown;
  off(signal: 'SIGHUP', listener: () => void): unknown;
}

/** Reloads the certificate at each SIGHUP. One that cannot be used is logged, and the old one stays in use. */
export class ReloadOnSighup implements Disposable {
  readonly #signals: SighupSource;
  readonly #listener: () => void;
  #reloading: Promise<void> = Promise.resolve();

  constructor(
    signals: SighupSource,
    reload: () => Promise<void>,
    lines: Pick<LogLines, 'tlsReloaded' | 'tlsReloadFailed'>,
  ) {
    this.#signals = signals;
    this.#listener = () => {
      this.#reloading = this.#reloading.then(reload).then(lines.tlsReloaded, lines.tlsReloadFailed);
    };
    signals.on('SIGHUP', this.#listener);
  }

  /** Settles when every reload that was requested so far has succeeded or failed. */
  get done(): Promise<void> {
    return this.#reloading;
  }

  [Symbol.dispose](): void {
    this.#signals.off('SIGHUP', this.#listener);
  }
}
