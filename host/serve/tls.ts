import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { HorariumError } from '@horarium/core';
import type { Tls } from '../../adapters/restify/api-server.ts';
import type { Config } from '../config/settings.ts';
import type { LogLines } from '../log-lines.ts';

/**
 * Reads certificate and key from their files; undefined when the settings name none.
 * @param folder where relative paths start.
 * @throws HorariumError `invalid` naming the file that cannot be used.
 */
export async function readTls({ tls_cert, tls_key }: Config, folder: string): Promise<Tls | undefined> {
  if (tls_cert === null || tls_key === null) return undefined;
  const certificate = await readPem('tls_cert', tls_cert, folder);
  const key = await readPem('tls_key', tls_key, folder);
  const first = parsed(() => new X509Certificate(certificate), `${tls_cert} (tls_cert) holds no certificate`);
  const secret: KeyObject = parsed(() => createPrivateKey(key), `${tls_key} (tls_key) holds no private key`);
  if (!first.checkPrivateKey(secret))
    throw unusable(`${tls_key} (tls_key) is not the key of the first certificate in ${tls_cert} (tls_cert)`);
  return { certificate, key };
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
