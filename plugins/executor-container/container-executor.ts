import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import {
  type AsyncAttempt,
  type AsyncOutcome,
  type AttemptLimits,
  type Clock,
  defineAsyncExecutor,
  flag,
  integer,
  type Milliseconds,
} from '@horarium/core/plugin';
import type { CliSettings } from './container-cli.ts';
import { type ContainerOwner, newOwner } from './container-owner.ts';
import { ContainerRun } from './container-run.ts';
import { type ContainerAttempt, containerRefusal } from './create-arguments.ts';
import { OwnerMarks } from './owner-marks.ts';
import { removeOrphans } from './remove-orphans.ts';
import { WatchdogLink } from './watchdog-link.ts';

export interface ContainerExecutorConfig {
  /** The name of the executor: `docker`. */
  readonly name: string;
  readonly clock: Clock;
  readonly cli: CliSettings;
  /** What the operator adds to the arguments of `create`. @default none */
  readonly arguments?: readonly string[];
  /** The time between SIGTERM and SIGKILL. @default 10 s */
  readonly grace?: Milliseconds;
  /** What is stored of one attempt. */
  readonly limits: AttemptLimits;
  /** Where environment files are for the moment in which they are read. @default the folder for temporary files */
  readonly folder?: string;
  /** Logs a sentence. @default nothing is logged */
  log?(sentence: string): void;
}

const dayInSeconds = 24 * 60 * 60;
/** How much longer than the grace of a program its command line may take to stop and remove it. */
const cliTime: Milliseconds = 30_000;

const options = {
  grace: integer({ description: 'Seconds that the program has to end after it was asked to, before it is killed.' })
    .min(0)
    .max(dayInSeconds),
  private_network: flag(false, {
    restricts: true,
    description: 'The program reaches no network, not even its PING_URL.',
  }),
  read_only_root: flag(false, { restricts: true, description: 'The program can write to no file of the image.' }),
  memory_max: integer({ restricts: true, description: 'Bytes of memory that the program may use.' }).min(1),
  pids_max: integer({ restricts: true, description: 'Processes and threads that the program may have.' }).min(1),
  cpu_max: integer({
    restricts: true,
    description: 'Percent of one processor that the program may use: 200 is two.',
  }).min(1),
};

/**
 * Makes an executor of containers, by the command line of docker or podman. A watchdog, a process of its own, removes them
 * when this process dies or its lease runs out.
 */
export function containerExecutor(config: ContainerExecutorConfig) {
  const { name, clock, cli, limits, grace = 10_000, folder = tmpdir(), log = () => undefined } = config;
  const owner: ContainerOwner = newOwner();
  const marks = new OwnerMarks(folder, name);
  const closing = new AbortController();
  const running = new Set<ContainerRun>();
  let watchdog: WatchdogLink | null = null;
  let lease: Milliseconds | null = null;

  function watch(): void {
    if (watchdog) return;
    marks.add(owner.name);
    watchdog = new WatchdogLink(cli, owner.name, () => {
      for (const each of running) each.lapse();
    });
    if (lease !== null) watchdog.send({ lease });
  }

  async function run(attempt: AsyncAttempt & ContainerAttempt): Promise<AsyncOutcome> {
    watch();
    const graceOf = attempt.options.grace == null ? grace : attempt.options.grace * 1000;
    const settings = { cli, owner, folder, log, clock, limits, extra: config.arguments ?? [], grace: graceOf };
    const each = new ContainerRun(attempt, `horarium-${attempt.jobId}-${randomUUID()}`, settings);
    running.add(each);
    try {
      return await each.run();
    } finally {
      running.delete(each);
    }
  }

  return {
    owner,
    /**
     * Removes the containers of earlier processes that were killed, where there were any.
     * @returns how many.
     * @throws Error when the engine cannot be asked.
     */
    async removeOrphans(): Promise<number> {
      const dead = marks.dead();
      if (dead.length === 0) return 0;
      const removed = await removeOrphans(cli, owner.host, closing.signal);
      for (const each of dead) marks.remove(each);
      return removed;
    },
    executor: defineAsyncExecutor({
      name,
      options,
      clock,
      grace: Math.max(grace, dayInSeconds * 1000) + cliTime,
      maxOutput: limits.maxOutput,
      reportsStart: true,
      recognizes: ({ oci_image }) => oci_image !== null,
      refusal: (attempt) => {
        const reason = containerRefusal(attempt);
        return reason === null ? null : { exitCode: 126, reason };
      },
      run,
      keepAlive(duration) {
        lease = duration;
        watchdog?.send({ lease });
      },
      async close() {
        closing.abort();
        await watchdog?.close();
        marks.remove(owner.name);
      },
    }),
  };
}
