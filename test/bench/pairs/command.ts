import { spawn } from 'node:child_process';

export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly signal?: AbortSignal | undefined;
}

/** A program that did not succeed. */
export class CommandError extends Error {
  /** What it printed, on both streams. */
  readonly output: string;

  constructor(message: string, output: string) {
    super(message);
    this.output = output;
  }
}

/** Runs a program. @returns what it prints on stdout, trimmed. @throws CommandError when it does not succeed; the reason of the signal when that interrupts it. */
export function runCommand({ program, args, cwd, signal }: Command): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'], env: plainEnvironment(), signal });
    let printed = '';
    let output = '';
    child.stdout.on('data', (chunk) => {
      printed += chunk;
      output += chunk;
    });
    child.stderr.on('data', (chunk) => {
      output += chunk;
    });
    const words = [program, ...args].join(' ');
    child.on('error', (error) =>
      reject(signal?.aborted ? signal.reason : new CommandError(`${words} could not be run.`, error.message)),
    );
    child.on('close', (code) =>
      code === 0 ? resolve(printed.trim()) : reject(new CommandError(`${words} ended with ${code}.`, output)),
    );
  });
}

/**
 * The environment without the variables that npm sets for its scripts, which tell another npm that it works in this
 * checkout, and without the service's settings.
 */
export function plainEnvironment(): NodeJS.ProcessEnv {
  const own = /^(npm_(package|lifecycle|config_local|command|execpath|node)|HORARIUM_|INIT_CWD)/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !own.test(name)));
}
