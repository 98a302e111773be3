import { type ChildProcess, spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Identity } from '../../../plugins/process/users/users.ts';
import { withoutEventLoopNotices } from './event-loop-notices.ts';
import type { TestCli } from './test-cli.ts';

const horarium = join(import.meta.dirname, '../../../host/horarium.js');

/** Where commands keep what they compiled; services that tests start use it too, and so start a fifth sooner. */
const compileCache = join(import.meta.dirname, '../../../cache');

type ProgramEnvironment = Pick<TestCli, 'folder' | 'environment'>;

/** The level of errors in the log; that of fatal ones is higher. */
const errorLevel = 50;

/**
 * Whether a line of the log reports an error of the service itself, and not a job that failed, a Task that was missed, or a
 * lease that was renewed too late, for which a busy machine is enough.
 */
export function isServiceError(line: Readonly<Record<string, unknown>>): boolean {
  const isOfJobs = ['task_id', 'job_id', 'job_ids'].some((name) => line[name] !== undefined);
  return (line['level'] as number) >= errorLevel && !isOfJobs;
}

/** Runs one command of the built program, or another program, in a process of its own. */
export class SpawnedProgram {
  readonly process: ChildProcess;
  out = '';
  err = '';
  /** The exit code of the process, or the signal that ended it. */
  readonly ended: Promise<number | string>;

  constructor(
    line: readonly string[],
    cli: ProgramEnvironment,
    {
      node = process.execPath,
      program = horarium,
      input = 'ignore',
      user,
    }: {
      readonly node?: string;
      readonly program?: string;
      readonly input?: 'ignore' | 'pipe';
      /** Whom it runs as. @default the user of this process */
      readonly user?: Identity | undefined;
    } = {},
  ) {
    const { PATH = '' } = process.env;
    this.process = spawn(node, [program, ...line], {
      cwd: cli.folder,
      env: {
        PATH,
        TMPDIR: tmpdir(),
        NODE_COMPILE_CACHE: compileCache,
        HORARIUM_LOG_FORMAT: 'json',
        // The settings of the machine, if it has some, are not the test's.
        HORARIUM_CONFIG: '',
        ...cli.environment,
      },
      stdio: [input, 'pipe', 'pipe'],
      ...(user && { uid: user.uid, gid: user.gid }),
    });
    this.process.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.out += text;
    });
    this.process.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.err += text;
    });
    this.ended = new Promise((resolve, reject) => {
      this.process.on('error', reject);
      this.process.on('close', (code, signal) => resolve(code ?? signal ?? 'unknown'));
    });
  }

  /** Resolves with the first match in the output; rejects when the process ends without one. */
  waitForOutput(pattern: RegExp): Promise<RegExpExecArray> {
    return this.#waitFor(pattern, 'stdout', () => this.out);
  }

  /** As `waitForOutput`, for the standard error output. */
  waitForError(pattern: RegExp): Promise<RegExpExecArray> {
    return this.#waitFor(pattern, 'stderr', () => this.err);
  }

  #waitFor(pattern: RegExp, name: 'stdout' | 'stderr', text: () => string): Promise<RegExpExecArray> {
    return new Promise((resolve, reject) => {
      const match = () => {
        const result = pattern.exec(text());
        if (!result) return;
        this.process[name]?.off('data', match);
        resolve(result);
      };
      this.process[name]?.on('data', match);
      match();
      void this.ended.then((code) =>
        reject(new Error(`The process ended with ${code} without writing ${pattern}: ${this.err}`)),
      );
    });
  }

  /** The complete lines of its log. */
  get log(): Record<string, unknown>[] {
    const lines = this.err.split('\n').slice(0, -1);
    return lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line));
  }

  /** The lines of its log that report errors of the service itself. */
  get loggedErrors(): Record<string, unknown>[] {
    return this.log.filter(isServiceError);
  }

  /** The standard error output without notices of a blocked event loop. */
  get problems(): string {
    return withoutEventLoopNotices(this.err);
  }

  /** The standard error output without the lines of the log, and without notices of a blocked event loop. */
  get messages(): string {
    return this.problems.replace(/^\{.*\n/gm, '');
  }
}

/** Starts the service in a process of its own on the store of the test and a free port, and waits until it listens. */
export async function spawnService(cli: ProgramEnvironment, options: readonly string[] = [], program = horarium) {
  const service = new SpawnedProgram(['serve', '--port', '0', '--workers', '4', ...options], cli, { program });
  const [, url] = await service.waitForOutput(/^listening on (\S+)$/m);
  return { service, url: url as string };
}
