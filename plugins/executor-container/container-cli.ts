import { type ChildProcess, spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';

/** How the command line of docker or podman is called. */
export interface CliSettings {
  /** By path or name. */
  readonly program: string;
  /** The whole environment of the command line. */
  readonly environment: Readonly<Record<string, string>>;
}

/** The end of a call of a command line. */
export interface CliResult {
  /** Null when a signal ended it, or it could not be started. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  /** Its last line, which says why it failed. */
  readonly error: string;
  /** Whether there is no such program. */
  readonly missing: boolean;
}

/**
 * Starts the command line, with pipes, in a process group of its own: it hands signals on to its container, and Ctrl-C in
 * the terminal of the service is not for that.
 */
export function startCli(
  { program, environment }: CliSettings,
  args: readonly string[],
  passed: Readonly<Record<string, string>> = {},
): ChildProcess {
  return spawn(program, args, { env: { ...passed, ...environment }, detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
}

/** Calls the command line and waits for its end. Never rejects. @param signal kills it. */
export async function callCli(
  settings: CliSettings,
  args: readonly string[],
  { passed = {}, signal }: { readonly passed?: Readonly<Record<string, string>>; readonly signal?: AbortSignal } = {},
): Promise<CliResult> {
  const child = startCli(settings, args, passed);
  child.stdin?.on('error', () => undefined).end();
  const kill = () => child.kill();
  signal?.addEventListener('abort', kill, { once: true });
  if (signal?.aborted) kill();
  const [stdout, stderr, end] = await Promise.all([
    child.stdout ? text(child.stdout).catch(() => '') : '',
    child.stderr ? text(child.stderr).catch(() => '') : '',
    endOf(child),
  ]);
  signal?.removeEventListener('abort', kill);
  return { ...end, stdout, error: end.failure ?? lastLine(stderr) };
}

/** Waits until a process has ended and its pipes are closed. Never rejects. */
export function endOf(
  child: ChildProcess,
): Promise<Pick<CliResult, 'code' | 'signal' | 'missing'> & { readonly failure: string | null }> {
  return new Promise((resolve) => {
    child.once('error', (error: NodeJS.ErrnoException) => {
      const missing = error.code === 'ENOENT';
      const failure = missing ? `there is no program ${child.spawnfile}` : error.message;
      resolve({ code: null, signal: null, missing, failure });
    });
    child.once('close', (code, signal) => resolve({ code, signal, missing: false, failure: null }));
  });
}

/** The last line of a text that is not empty, without the word with which command lines begin it. */
export function lastLine(output: string): string {
  const line = output.trimEnd().split('\n').at(-1) ?? '';
  return line.replace(/^(?:Error|docker): */i, '').slice(0, 500);
}
