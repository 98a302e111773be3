import {
  type Attempt,
  type AttemptHandle,
  type AttemptReport,
  type Executor,
  type GivenOptions,
  HorariumError,
  type Milliseconds,
  seconds,
  text,
} from '@horarium/core/plugin';
import { missingProgram } from '../process/missing-program.ts';
import { type Collect, refusedRun } from '../process/program-run.ts';
import { Programs } from '../process/programs.ts';
import type { SandboxName } from '../process/sandbox/sandbox.ts';
import { nativeNeeds, sandboxFields } from '../process/sandbox/sandbox-fields.ts';
import { sandboxOptionsOf } from '../process/sandbox/sandbox-options.ts';
import { chooseUser, userRefusal } from '../process/users/choose-user.ts';
import { collectArtifacts } from '../process/working-folder/artifact-collection.ts';
import { forbiddenVariables } from './forbidden-variables.ts';
import { type NativeOptions, type NativeSettings, nativeSettings } from './settings.ts';

/** How long the answer to whether a program is there holds. */
const maxAge: Milliseconds = 1000;
const dayInSeconds = 24 * 60 * 60;

const options = {
  user: text(32, {
    restricts: true,
    description: 'Operating-system user that the job runs as; refused if the worker may not switch to it.',
  }),
  directory: text(4096, {
    description:
      'Where the job runs: an absolute path, or ~ for its HOME; null = in a working directory of its own, as with ~ and no HOME that exists.',
  }).matches(/^(?:~|\/.*)$/s, { message: ({ path }: { path: string }) => `${path} must be an absolute path, or ~` }),
  grace: seconds(0, { description: 'Seconds that the job has to end after it is asked to; then it is killed.' })
    .nullable()
    .default(null)
    .max(dayInSeconds),
  ...sandboxFields(true, nativeNeeds),
};

/** Runs attempts as processes of this machine. */
export class NativeExecutor implements Executor<typeof options> {
  readonly name = 'native';
  readonly options = options;
  readonly forbiddenVariables = forbiddenVariables;
  readonly takesFiles = true;
  readonly #settings: NativeSettings;
  readonly #programs: Programs;
  /** The program that was looked for last. */
  #looked: { readonly executable: string; readonly at: number; readonly answer: Promise<string | null> } | null = null;

  /** @throws HorariumError `invalid` for options that cannot work here. */
  constructor(configured: NativeOptions) {
    this.#settings = nativeSettings(configured);
    const { folder, sandbox, sandboxOptions, maxOutput, executables } = this.#settings;
    this.#programs = new Programs({ jobs: 'native jobs', folder, sandbox, sandboxOptions, maxOutput, executables });
  }

  /**
   * Starts the launcher ahead of the first attempt.
   * @returns how the processes of attempts are kept together.
   * @throws HorariumError `invalid` when the sandbox that was asked for cannot be had here.
   */
  async prepare(): Promise<SandboxName> {
    try {
      return await this.#programs.prepare();
    } catch (error) {
      throw new HorariumError('invalid', (error as Error).message);
    }
  }

  start(attempt: Attempt<typeof options>, report: AttemptReport): AttemptHandle {
    // An executor whose users were not checked must not run jobs as the user of this process, which may be root.
    const user = this.#settings.refusal ?? chooseUser(attempt.options.user ?? null, attempt, this.#settings);
    if (typeof user === 'string') return refusedRun(report, user);
    const { executable, arguments: words, stdin, timeout, options: wanted, files = [] } = attempt;
    const { identity, home, name } = user;
    const retainFolder = attempt.resultFile !== null || attempt.artifacts.length > 0;
    const owner = identity?.uid ?? null;
    const collect: Collect = (folder) => collectArtifacts(folder, { ...attempt, owner }, this.#settings);
    const environment = {
      ...this.#settings.environment,
      ...(home != null && { HOME: home }),
      ...(name !== undefined && { LOGNAME: name, USER: name }),
      ...attempt.environment,
    };
    const program = {
      executable,
      arguments: words,
      environment,
      stdin,
      timeout,
      grace: wanted.grace == null ? this.#settings.grace : wanted.grace * 1000,
      identity,
      directory: wanted.directory ?? null,
      ownHome: home === null,
      sandboxOptions: sandboxOptionsOf(wanted),
      retainFolder,
    };
    return this.#programs.run(program, report, {
      collect: retainFolder ? collect : null,
      files,
      reportsProgress: true,
    });
  }

  usualUser(): string | null {
    return this.#settings.environment.USER ?? null;
  }

  refuse({ user }: GivenOptions<typeof options>, runAs: string | null): string | null {
    return userRefusal(user ?? null, runAs, this.#settings);
  }

  missingProgram(executable: string): Promise<string | null> {
    const { environment, executables } = this.#settings;
    const now = performance.now();
    // Many records that are saved together run the same program, and each look takes a turn of the file system.
    if (this.#looked?.executable !== executable || now - this.#looked.at > maxAge)
      this.#looked = { executable, at: now, answer: missingProgram(executable, environment.PATH, executables) };
    return this.#looked.answer;
  }

  userRefusal(user: string): string | null {
    return this.#settings.jobUsers.refusal(user);
  }

  /**
   * Checks the users that jobs may run as.
   * @returns warnings.
   * @throws HorariumError `invalid` naming the first one that cannot be used.
   */
  checkUsers(): string[] {
    if (this.#settings.refusal !== null) throw new HorariumError('invalid', this.#settings.refusal);
    return this.#settings.jobUsers.check();
  }

  keepAlive(duration: Milliseconds): void {
    this.#programs.keepAlive(duration);
  }

  /** Whether it was closed, and starts no more attempts. */
  get isClosed(): boolean {
    return this.#programs.isClosed;
  }

  close(): Promise<void> {
    return this.#programs.close();
  }
}
