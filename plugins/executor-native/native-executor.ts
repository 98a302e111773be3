import { randomUUID } from 'node:crypto';
import { uptime } from 'node:os';
import {
  type Attempt,
  type AttemptHandle,
  type AttemptReport,
  type Executor,
  flag,
  HorariumError,
  integer,
  type Milliseconds,
  outputCut,
  text,
} from '@horarium/core/plugin';
import { collectArtifacts } from '../working-folder/artifact-collection.ts';
import type { ContainmentName } from './containment/containment.ts';
import { restrictionsOf, strictest } from './containment/restrictions.ts';
import { forbiddenVariables } from './forbidden-variables.ts';
import { runWithFiles } from './given-files.ts';
import { LauncherLink } from './launcher-link.ts';
import { launcherFolderPrefix, type RunCommand } from './messages.ts';
import { type Collect, NativeAttempt } from './native-attempt.ts';
import { type NativeExecutorConfig, type NativeSettings, nativeSettings } from './settings.ts';
import { type ChosenUser, chooseUser } from './user/choose-user.ts';

/** The precision of the lease, in seconds: jobs may be killed that much too early when it is no longer renewed. */
const leaseStep = 0.25;
const dayInSeconds = 24 * 60 * 60;

const options = {
  user: text(32, {
    restricts: true,
    description: 'User of the machine that the job runs as; refused where the worker may not switch to it.',
  }),
  grace: integer({ description: 'Seconds that the job has to end after it was asked to, before it is killed.' })
    .min(0)
    .max(dayInSeconds),
  private_network: flag(false, {
    restricts: true,
    description: 'The job reaches no network, not even its PING_URL. Needs bubblewrap.',
  }),
  read_only_root: flag(false, {
    restricts: true,
    description: 'The job can write only to its working directory and to a /tmp of its own. Needs bubblewrap.',
  }),
  memory_max: integer({
    restricts: true,
    description: 'Bytes of memory that the job may use; beyond them it is killed. Needs a delegated cgroup.',
  }).min(1),
  pids_max: integer({
    restricts: true,
    description: 'Processes and threads that the job may have. Needs a delegated cgroup.',
  }).min(1),
  cpu_max: integer({
    restricts: true,
    description: 'Percent of one processor that the job may use: 200 is two. Needs a delegated cgroup.',
  }).min(1),
};

/**
 * Runs attempts as processes of this machine, through a launcher. The launcher is a small process of its own, so that
 * starting programs never blocks this process, and so that jobs are killed when this process dies.
 */
export class NativeExecutor implements Executor<typeof options> {
  readonly name = 'native';
  readonly options = options;
  readonly forbiddenVariables = forbiddenVariables;
  readonly takesFiles = true;
  readonly #settings: NativeSettings;
  #link: LauncherLink | null = null;
  #last = 0;
  #leasedUntil: number | null = null;
  #closed = false;

  /** @throws HorariumError `invalid` when the configuration cannot work. */
  constructor(config: NativeExecutorConfig = {}) {
    this.#settings = nativeSettings(config);
  }

  /**
   * Starts the launcher ahead of the first attempt.
   * @returns how the processes of attempts are kept together.
   * @throws HorariumError `invalid` when the containment that was asked for cannot be had here.
   */
  async prepare(): Promise<ContainmentName> {
    try {
      return await this.#launcher().begun;
    } catch (error) {
      throw new HorariumError('invalid', (error as Error).message);
    }
  }

  start(attempt: Attempt<typeof options>, report: AttemptReport): AttemptHandle {
    const user = chooseUser(attempt.options.user ?? null, attempt, this.#settings);
    const refusal = this.#closed ? 'Native jobs are not started any more: the worker is shutting down.' : user;
    if (this.#closed || typeof user === 'string') {
      const refused = new NativeAttempt(report, null, () => {});
      refused.refused(refusal as string);
      return refused;
    }
    const number = ++this.#last;
    const link = this.#launcher();
    const command = this.#runCommand(attempt, user);
    const owner = user.identity?.uid ?? null;
    const collect: Collect = (folder) => collectArtifacts(folder, { ...attempt, owner }, this.#settings);
    const running = new NativeAttempt(report, command.retainFolder ? collect : null, (message) =>
      link.send(number, message),
    );
    const { files = [] } = attempt;
    if (files.length === 0) link.run(number, running, command);
    else void runWithFiles(link, number, running, command, files);
    return running;
  }

  userRefusal(user: string): string | null {
    return this.#settings.jobUsers.refusal(user);
  }

  /**
   * Checks the users that jobs of companies may run as.
   * @returns warnings.
   * @throws HorariumError `invalid` naming the first one that cannot be used.
   */
  checkUsers(): string[] {
    return this.#settings.jobUsers.check();
  }

  /** Renews the lease of the launcher, but only by steps that make a difference, so it may be called at any rate. */
  keepAlive(duration: Milliseconds): void {
    const until = uptime() + duration / 1000;
    if (this.#leasedUntil !== null && Math.abs(until - this.#leasedUntil) < leaseStep) return;
    this.#leasedUntil = until;
    this.#link?.send(0, { command: 'lease', until: this.#leasedUntil });
  }

  /** Whether it was closed, and starts no more attempts. */
  get isClosed(): boolean {
    return this.#closed;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#link?.end('The worker was shut down.');
  }

  #runCommand(attempt: Attempt<typeof options>, { identity, home }: ChosenUser): RunCommand {
    const { environment, grace, restrictions } = this.#settings;
    return {
      command: 'run',
      executable: attempt.executable,
      arguments: attempt.arguments,
      environment: { ...environment, ...(home != null && { HOME: home }), ...attempt.environment },
      stdin: attempt.stdin,
      timeout: attempt.timeout,
      grace: attempt.options.grace == null ? grace : attempt.options.grace * 1000,
      identity,
      ownHome: home === null,
      restrictions: strictest(restrictions, restrictionsOf(attempt.options)),
      inputs: null,
      retainFolder: attempt.resultFile !== null || attempt.artifacts.length > 0,
    };
  }

  #launcher(): LauncherLink {
    if (this.#link) return this.#link;
    const { maxOutput, executables, containment, restrictions } = this.#settings;
    const name = `${launcherFolderPrefix}${randomUUID()}`;
    const folder = `${this.#settings.folder}/${name}`;
    const scratch = `${this.#settings.scratch}/${name}${folder.startsWith(this.#settings.scratch) ? '-scratch' : ''}`;
    const settings = {
      launcher: name,
      folder,
      scratch,
      containment,
      restrictions,
      maxOutput,
      outputCut: outputCut(maxOutput),
      executables,
    };
    const link = new LauncherLink(settings, () => {
      if (this.#link === link) this.#link = null;
    });
    this.#link = link;
    if (this.#leasedUntil !== null) link.send(0, { command: 'lease', until: this.#leasedUntil });
    return link;
  }
}
