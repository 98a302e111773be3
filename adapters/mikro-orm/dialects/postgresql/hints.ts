import type { Hints, Milliseconds, OpenHints } from '@horarium/core';
import pg from 'pg';
import { connectionOptions } from './connection.ts';

const channel = 'horarium';
/**
 * How long a hint waits for others to go with it. The process that made the work takes it within that time if it can, and
 * the others then find none.
 */
const sendDelay: Milliseconds = 5;
const firstRetry: Milliseconds = 1000;
const maxRetry: Milliseconds = 60_000;

/**
 * Hints by LISTEN and NOTIFY, on one connection of each process. They are sent after the commit, and not with it: that
 * would serialize the commits of all processes. Behind a pooler of transactions, which does not pass notifications on,
 * there are none.
 */
export function postgresHints(url: string): Hints {
  return { open: (onHint) => new PostgresHints(url, onHint) };
}

class PostgresHints implements OpenHints {
  readonly #url: string;
  readonly #onHint: () => void;
  /** Null while it is not connected. */
  #client: pg.Client | null = null;
  #connecting: Promise<void>;
  #retry: NodeJS.Timeout | undefined;
  #sending: NodeJS.Timeout | undefined;
  #failures = 0;
  #isClosed = false;

  constructor(url: string, onHint: () => void) {
    this.#url = url;
    this.#onHint = onHint;
    this.#connecting = this.#connect();
  }

  send(): void {
    if (!this.#client || this.#sending) return;
    this.#sending = setTimeout(() => {
      this.#sending = undefined;
      // A connection that is lost says so itself.
      this.#client?.query('select pg_notify($1, $2)', [channel, '']).catch(() => undefined);
    }, sendDelay).unref();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#retry);
    clearTimeout(this.#sending);
    await this.#connecting;
    await this.#client?.end().catch(() => undefined);
  }

  async #connect(): Promise<void> {
    const client = new pg.Client(connectionOptions({ url: this.#url }));
    client.on('error', () => this.#lost(client));
    client.on('end', () => this.#lost(client));
    client.on('notification', ({ processId }) => {
      if (processId !== (client as pg.Client & { readonly processID: number }).processID) this.#onHint();
    });
    try {
      await client.connect();
      await client.query(`listen ${channel}`);
    } catch {
      void client.end().catch(() => undefined);
      return this.#tryAgain();
    }
    this.#client = client;
    if (this.#failures > 0) this.#onHint();
    this.#failures = 0;
  }

  #lost(client: pg.Client): void {
    if (this.#client !== client) return;
    this.#client = null;
    this.#tryAgain();
  }

  /** Connects again later, each time after a longer wait, so that a database that is down is not asked all the time. */
  #tryAgain(): void {
    if (this.#isClosed) return;
    const wait = Math.min(firstRetry * 2 ** this.#failures, maxRetry);
    this.#failures += 1;
    this.#retry = setTimeout(() => {
      this.#connecting = this.#connect();
    }, wait).unref();
  }
}
