import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import {
  type AttemptLimits,
  type Clock,
  defineAsyncExecutor,
  flag,
  integer,
  type Milliseconds,
} from '@horarium/core/plugin';
import { Programs } from '../process/programs.ts';
import { sandboxFields } from '../process/sandbox/sandbox-fields.ts';
import { unrestricted } from '../process/sandbox/sandbox-options.ts';
import { type CliSettings, ContainerCli } from './container-cli.ts';
import { ContainerRun } from './container-run.ts';
import { containerRefusal } from './create-arguments.ts';

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
  /** Where the launcher has its register, and files of jobs are for a moment. @default the folder for temporary files */
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
  ...sandboxFields(true),
  read_only_root: flag(false, { restricts: true, description: 'The job can write to no file of the image.' }),
};

/**
 * Makes an executor of containers, by the command line of docker or podman. The launcher that runs the command line removes
 * them when this process dies or its lease runs out.
 */
export function containerExecutor(config: ContainerExecutorConfig) {
  const { name, clock, limits, grace = 10_000, folder = tmpdir(), log = () => undefined } = config;
  // The engine starts what runs in containers, so a sandbox around its command line would hold nothing of them.
  const programs = new Programs({
    jobs: `containers of ${name}`,
    folder,
    sandbox: 'none',
    sandboxOptions: unrestricted,
    maxOutput: Number.MAX_SAFE_INTEGER,
    executables: null,
  });
  const cli = new ContainerCli(programs, config.cli);
  return defineAsyncExecutor({
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
    run(attempt) {
      const graceOf = attempt.options.grace == null ? grace : attempt.options.grace * 1000;
      const settings = { cli, folder, log, clock, limits, extra: config.arguments ?? [], grace: graceOf };
      return new ContainerRun(attempt, `horarium-${attempt.jobId}-${randomUUID()}`, settings).run();
    },
    keepAlive: (duration) => programs.keepAlive(duration),
    close: () => programs.close(),
  });
}
