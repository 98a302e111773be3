import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Milliseconds } from '@horarium/core/plugin';
import type { CliSettings } from './container-cli.ts';

/** What the service tells its watchdog, a line each. */
export type WatchdogMessage =
  | { readonly cli: CliSettings; readonly owner: string }
  | { readonly lease: Milliseconds }
  | { readonly close: true };

const program = fileURLToPath(import.meta.resolve('#plugins/executor-container/watchdog/main'));

/** The watchdog of an executor: a process that removes its containers when this one dies or loses its lease. */
export class WatchdogLink {
  readonly #process: ChildProcess;

  /** @param onLapse called when the lease ran out, and the containers are being removed. */
  constructor(cli: CliSettings, owner: string, onLapse: () => void) {
    // Detached, so that what kills the group of the service does not kill it.
    this.#process = spawn(process.execPath, ['--no-warnings', program], {
      detached: true,
      env: {},
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.#process.on('error', () => undefined);
    this.#process.stdin?.on('error', () => undefined);
    this.#process.stdout?.on('data', onLapse);
    this.#process.unref();
    for (const stream of [this.#process.stdin, this.#process.stdout]) (stream as { unref?(): void } | null)?.unref?.();
    this.send({ cli, owner });
  }

  send(message: WatchdogMessage): void {
    if (this.#process.stdin?.writable) this.#process.stdin.write(`${JSON.stringify(message)}\n`);
  }

  /** Ends the process, which removes nothing. */
  async close(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    this.send({ close: true });
    this.#process.ref();
    const exited = once(this.#process, 'exit');
    this.#process.stdin?.end();
    await exited;
  }
}
