import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chownSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { AttemptResult } from '@horarium/core/plugin';
import type { SandboxName } from '../../../plugins/process/sandbox/sandbox.ts';
import type { Identity } from '../../../plugins/process/users/users.ts';
import { eventually } from '../../support/mocha/eventually.ts';
import { livingProcesses } from '../../support/program/processes.ts';
import type { Command } from './server.ts';

const program = fileURLToPath(new URL('./server.js', import.meta.url));

/** A message of the server on its stdout. */
interface ServerMessage {
  readonly started?: number;
  readonly stdout?: string;
  readonly ended?: AttemptResult;
}

interface ServerOptions {
  /** What the shell runs before it becomes the server. */
  readonly prelude?: string;
  /** A folder that an earlier server had. */
  readonly folder?: string;
  readonly sandbox?: SandboxName;
  /** The user that it runs as, where this process is root. */
  readonly user?: Identity;
}

/** Whether root can run a server as that user, who may not be allowed to read this checkout. */
export function canServe({ uid, gid }: Identity): boolean {
  if (process.getuid?.() !== 0) return false;
  const words = ['--reuid', `${uid}`, '--regid', `${gid}`, '--clear-groups', process.execPath, '--check', program];
  return spawnSync('setpriv', words, { stdio: 'ignore' }).status === 0;
}

/** A real server process, which a test may kill, pause or starve. */
export class Server {
  readonly folder: string;
  readonly messages: ServerMessage[] = [];
  readonly process: ChildProcess;

  constructor({ prelude = '', folder, sandbox, user }: ServerOptions = {}) {
    this.folder = folder ?? mkdtempSync(`${tmpdir()}/horarium-test-`);
    mkdirSync(`${this.folder}/jobs`, { recursive: true });
    if (user) for (const each of [this.folder, `${this.folder}/jobs`]) chownSync(each, user.uid, user.gid);
    const change = user ? `setpriv --reuid ${user.uid} --regid ${user.gid} --clear-groups` : '';
    const script = `${prelude} exec ${change} "$@"`;
    const command = [process.execPath, program, `${this.folder}/jobs`, ...(sandbox ? [sandbox] : [])];
    this.process = spawn('bash', ['-c', script, 'bash', ...command], { stdio: ['pipe', 'pipe', 'inherit'] });
    const lines = createInterface({ input: this.process.stdout as NodeJS.ReadableStream });
    lines.on('line', (line) => this.messages.push(JSON.parse(line)));
  }

  send(command: Command): void {
    this.process.stdin?.write(`${JSON.stringify(command)}\n`);
  }

  get ended(): AttemptResult[] {
    return this.messages.flatMap(({ ended }) => ended ?? []);
  }

  /** The process id of its launcher. @throws Error where none runs. */
  get launcher(): number {
    const launcher = livingProcesses().find(
      ({ parent, command }) => parent === this.process.pid && command.startsWith('job-launcher'),
    );
    if (!launcher) throw new Error('No launcher is running.');
    return launcher.pid;
  }

  /** Whether the folders of all launchers are removed. */
  get isClean(): boolean {
    return readdirSync(`${this.folder}/jobs`).length === 0;
  }

  async end(): Promise<void> {
    this.process.kill('SIGKILL');
    await eventually('the launcher has removed its folders', () => this.isClean);
    rmSync(this.folder, { recursive: true, force: true });
  }
}
