import type { LogLines } from '../log-lines.ts';

/** What of a process this needs; a test stands in for it. */
export interface Hangups {
  on(signal: 'SIGHUP', listener: () => void): unknown;
  off(signal: 'SIGHUP', listener: () => void): unknown;
}

/** Has the certificate read anew at each SIGHUP. One that cannot be used is reported, and the old one stays. */
export class RenewOnHangup implements Disposable {
  readonly #signals: Hangups;
  readonly #listener: () => void;
  #renewing: Promise<void> = Promise.resolve();

  constructor(signals: Hangups, renew: () => Promise<void>, lines: Pick<LogLines, 'tlsRenewed' | 'tlsKept'>) {
    this.#signals = signals;
    this.#listener = () => {
      this.#renewing = this.#renewing.then(renew).then(lines.tlsRenewed, lines.tlsKept);
    };
    signals.on('SIGHUP', this.#listener);
  }

  /** Settles when every renewal that was asked for so far has been tried. */
  get done(): Promise<void> {
    return this.#renewing;
  }

  [Symbol.dispose](): void {
    this.#signals.off('SIGHUP', this.#listener);
  }
}
