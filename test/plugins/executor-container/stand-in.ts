import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Attempt, preparePlugin, systemClock } from '@horarium/core';
import { attemptOf } from '@horarium/core/contracts';
import type { Executor } from '@horarium/core/plugin';
import { containerExecutor } from '../../../plugins/executor-container/container-executor.ts';
import plugin from '../../../plugins/executor-container/plugin.ts';
import { sourceRoot } from '../../house/source-files.ts';
import { temporaryFolder } from '../../support/mocha/temporary-folder.ts';

/** How the stand-in misbehaves; see `stand-in.sh`. */
type Misbehaviour = 'no-daemon' | 'hangs' | 'dies' | 'stops-nothing' | 'out-of-memory';

/** A stand-in for docker and podman, and what it was called with. */
export class StandIn {
  readonly folder = temporaryFolder('stand-in');
  readonly cli = {
    program: join(sourceRoot, 'test/plugins/executor-container/stand-in.sh'),
    environment: { PATH: process.env['PATH'] ?? '', STAND_IN: this.folder },
  };

  /** Makes it misbehave from now on. */
  misbehave(how: Misbehaviour): void {
    writeFileSync(join(this.folder, how), '');
  }

  /** The calls of a command, as a shell would quote them. */
  calls(command: string): string[] {
    if (!existsSync(join(this.folder, 'calls'))) return [];
    const lines = readFileSync(join(this.folder, 'calls'), 'utf8').split('\n');
    return lines.filter((line) => line.startsWith(`${command} `));
  }

  /** The containers that there are. */
  containers(): string[] {
    const folder = join(this.folder, 'containers');
    return existsSync(folder) ? readdirSync(folder) : [];
  }

  read(file: string): string {
    return readFileSync(join(this.folder, file), 'utf8');
  }

  executor(options: object = {}) {
    const { program: podman, environment } = this.cli;
    return podmanExecutor({ podman, environment, grace: 2, folder: this.folder, ...limits, ...options });
  }
}

/** The executor podman with those options of its plugin. */
export function podmanExecutor(options: object, log?: (sentence: string) => void) {
  const { setup } = preparePlugin(plugin, options, systemClock, (_name, sentence) => log?.(sentence));
  return containerExecutor('podman', setup as Parameters<typeof containerExecutor>[1]);
}

/** Gives every attempt an image, which the contract of executors knows nothing of. */
export function withImage(executor: Executor, image = 'image:1'): Executor {
  return {
    name: executor.name,
    options: executor.options,
    start: (attempt, report) => executor.start({ ...attempt, image }, report),
    keepAlive: (duration) => executor.keepAlive?.(duration),
    close: async () => executor.close?.(),
  };
}

/** What is stored of an attempt, unless a test says otherwise. */
export const limits = { max_output: 10_000_000, max_file_size: 1000, max_total_file_size: 2000, max_files: 10 };

/** Runs an attempt to its end. @returns its result and what it wrote. */
export async function runAttempt(executor: Executor, attempt: Partial<Attempt>, started = () => undefined as unknown) {
  const written = { stdout: '', stderr: '' };
  const output = (stream: 'stdout' | 'stderr', bytes: Uint8Array) => {
    written[stream] += Buffer.from(bytes).toString();
  };
  const given = attemptOf({ image: 'image:1', ...attempt });
  const { files: _files, finishedAt: _finishedAt, ...result } = await executor.start(given, { started, output }).done;
  return { ...result, ...written };
}
