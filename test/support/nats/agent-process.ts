import { chownSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { userNamed } from '../../../plugins/process/users/users.ts';
import { temporaryFolder } from '../mocha/temporary-folder.ts';
import { SpawnedProgram } from '../program/spawned-program.ts';

/** `horarium agent` as on a machine of its own: it has its credential, a folder and, where the tests run as root, a user. */
export class AgentProcess implements AsyncDisposable {
  readonly folder: string;
  readonly program: SpawnedProgram;

  /**
   * @param line further words of its command line.
   * @param settings environment variables of its machine.
   * @param folder that of an earlier process on the same machine; a new one by default.
   */
  constructor(
    credential: string,
    line: readonly string[] = [],
    settings: Readonly<Record<string, string>> = {},
    folder = temporaryFolder('agent'),
  ) {
    this.folder = folder;
    const user = process.getuid?.() === 0 ? (userNamed('nobody') ?? undefined) : undefined;
    const file = join(this.folder, 'credential');
    writeFileSync(file, credential, { mode: 0o600 });
    if (user) for (const path of [this.folder, file]) chownSync(path, user.uid, user.gid);
    const options = JSON.stringify({ 'executor-native': { folder: this.folder, grace: 1 } });
    const environment = { HORARIUM_PLUGIN_OPTIONS: options, ...settings };
    this.program = new SpawnedProgram(
      ['agent', '--credential', file, ...line],
      { folder: this.folder, environment },
      { user },
    );
  }

  /** Resolves when it claims jobs. */
  async started(): Promise<this> {
    await this.program.waitForOutput(/^agent \S+ of /m);
    return this;
  }

  /** Asks it to end, and waits until it has. */
  async stop(): Promise<void> {
    this.program.process.kill('SIGTERM');
    await this.program.ended;
  }

  /** Kills it, and removes its folder. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.program.process.kill('SIGKILL');
    await this.program.ended;
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 10 });
  }
}
