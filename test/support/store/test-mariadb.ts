import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Connection } from 'mysql2/promise';
import { temporaryFolder } from '../mocha/temporary-folder.ts';
import { freePort } from '../run/free-port.ts';

/** The path of mariadbd, which comes from the operating system; undefined = tests that need it are skipped. */
export const mariadbd = process.env['HORARIUM_TEST_MARIADB'];

/** The file of a certificate and that of its key. */
interface CertificateFiles {
  readonly certificate: string;
  readonly key: string;
}

/** A MariaDB server on loopback, for the tests of one file. It dies with this process. */
export class TestMariadb {
  port = 0;
  readonly folder = temporaryFolder('mariadb');
  #server: ChildProcess | undefined;
  #output = '';

  /** @param tls with which it accepts TLS. */
  async start(tls?: CertificateFiles): Promise<this> {
    const data = join(this.folder, 'data');
    mkdirSync(data);
    for (const path of [this.folder, data, ...Object.values(tls ?? {})]) giveToNobody(path);
    const install = join(dirname(mariadbd as string), '..', 'bin', 'mariadb-install-db');
    const setup = ['--no-defaults', `--datadir=${data}`, '--auth-root-authentication-method=normal', '--skip-test-db'];
    const [program, ...words] = asNobody(install, setup);
    await promisify(execFile)(program as string, words, { env: { PATH: process.env['PATH'] ?? '' }, cwd: data });
    this.port = await freePort();
    await this.run(tls);
    return this;
  }

  /** Runs the server on the data that there is, until it accepts connections. */
  async run(tls?: CertificateFiles): Promise<void> {
    const settings = {
      datadir: join(this.folder, 'data'),
      'bind-address': '127.0.0.1',
      port: this.port,
      socket: join(this.folder, 'socket'),
      'pid-file': join(this.folder, 'pid'),
      'innodb-buffer-pool-size': '32M',
      'innodb-flush-log-at-trx-commit': 0,
      'max-allowed-packet': '64M',
      ...(tls && { 'ssl-cert': tls.certificate, 'ssl-key': tls.key }),
    };
    const flags = Object.entries(settings).map(([name, value]) => `--${name}=${value}`);
    const [program, ...words] = asNobody(mariadbd as string, ['--no-defaults', '--skip-name-resolve', ...flags]);
    const server = spawn(program as string, words, { env: {}, cwd: this.folder, stdio: ['ignore', 'ignore', 'pipe'] });
    this.#server = server;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).once('close', () => reject(new Error(`MariaDB did not start: ${this.#output}`)));
      server.stderr?.on('data', (chunk) => {
        this.#output = (this.#output + chunk).slice(-10_000);
        if (this.#output.includes('ready for connections')) resolve();
      });
    });
  }

  async connect(database?: string): Promise<Connection> {
    const { createConnection } = await import('mysql2/promise');
    const place = { host: '127.0.0.1', port: this.port, user: 'root', ...(database && { database }) };
    return createConnection({ ...place, multipleStatements: true });
  }

  /** Kills the server, as when its machine loses power; `run` starts it again. */
  async kill(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    this.#output = '';
    if (!server || server.exitCode !== null || server.signalCode !== null) return;
    const closed = once(server, 'close');
    server.kill('SIGKILL');
    await closed;
  }

  async close(): Promise<void> {
    await this.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

const isRoot = process.getuid?.() === 0;

function nobody(): { uid: number; gid: number } {
  const [, , uid, gid] = (/^nobody:.*$/m.exec(readFileSync('/etc/passwd', 'utf8'))?.[0] ?? '').split(':');
  return { uid: Number(uid), gid: Number(gid) };
}

function giveToNobody(path: string): void {
  const { uid, gid } = nobody();
  if (isRoot) chownSync(path, uid, gid);
}

/** The line that runs a program as a user without rights, because MariaDB refuses root, until this process ends. */
function asNobody(program: string, words: readonly string[]): string[] {
  const { uid, gid } = nobody();
  const user = isRoot ? [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'] : [];
  return ['setpriv', ...user, '--pdeathsig', 'KILL', program, ...words];
}
