import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SpawnedProgram } from './spawned-program.ts';

const bundle = join(import.meta.dirname, '../../../bundle/main.js');

/** Writes an executable `horarium` into a folder, which runs the built program. */
export function installHorarium(folder: string): void {
  const text = `#!/bin/sh\nexec '${process.execPath}' '${bundle}' "$@"\n`;
  writeFileSync(join(folder, 'horarium'), text, { mode: 0o755 });
}

/** An interactive shell on a terminal of its own. Its prompt is `ready>`, and Ctrl-X Ctrl-P prints the line as `<<LINE>>` and empties it. */
export class TypedShell implements AsyncDisposable {
  readonly #program: SpawnedProgram;

  /**
   * @param command the shell with its arguments.
   * @param folder where it starts; programs in it are found before others.
   * @param environment further variables.
   */
  constructor(command: string, folder: string, environment: Readonly<Record<string, string>> = {}) {
    const PATH = `${folder}:${process.env['PATH']}`;
    const shell = { folder, environment: { PATH, HOME: folder, TERM: 'xterm', LC_ALL: 'C.UTF-8', ...environment } };
    // The program script of util-linux gives it the terminal.
    this.#program = new SpawnedProgram([command, '/dev/null'], shell, {
      node: 'script',
      program: '-qec',
      input: 'pipe',
    });
  }

  /** Types a line and further keys, and returns what the line is then. */
  async type(line: string, keys: string): Promise<string> {
    await this.#program.waitForOutput(/ready>/);
    this.#program.out = '';
    this.#program.process.stdin?.write(`${line}${keys}\u0018\u0010`);
    const [, typed = ''] = await this.#program.waitForOutput(/<<([\s\S]*)>>[\s\S]*ready>/);
    return typed;
  }

  /** Ends the shell with Ctrl-D. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#program.process.stdin?.write('\u0004');
    await this.#program.ended;
  }
}
