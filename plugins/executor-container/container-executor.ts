import { randomUUID } from 'node:crypto';
import { tmpdir, userInfo } from 'node:os';
import {
  attemptLimitOptions,
  attemptLimits,
  defineAsyncExecutor,
  flag,
  json,
  type Milliseconds,
  mapOf,
  type PluginSetup,
  seconds,
  text,
  texts,
} from '@horarium/core/plugin';
import { string } from 'yup';
import { Programs } from '../process/programs.ts';
import { usualPath } from '../process/sandbox/program.ts';
import { sandboxFields } from '../process/sandbox/sandbox-fields.ts';
import { unrestricted } from '../process/sandbox/sandbox-options.ts';
import { ContainerCli } from './container-cli.ts';
import { ContainerRun } from './container-run.ts';
import { containerRefusal } from './create-arguments.ts';

/** The options of the plugin. */
export const containerOptions = {
  docker: text(4096, { description: 'Path of docker; null = it is looked for in the usual folders.' }),
  podman: text(4096, { description: 'Path of podman; null = it is looked for in the usual folders.' }),
  environment: json(
    mapOf(string().max(4096).defined(), { pattern: /^[A-Za-z_]\w*$/, description: 'the name of a variable' }),
    {},
    { description: 'Variables for docker and podman, such as DOCKER_HOST and CONTAINERS_CONF.' },
  ),
  arguments: texts(4096, {
    description: 'Further arguments for podman create or docker create of every container, such as --cap-drop=ALL.',
  }),
  folder: text(4096, {
    description:
      'Folder for the register of containers and for the files of jobs; null = the folder for temporary files.',
  }),
  grace: seconds(10, { description: 'Seconds that a program has to end after it is asked to.' }),
  ...attemptLimitOptions,
};

const dayInSeconds = 24 * 60 * 60;
/** How much longer than the grace of a program its command line may take to stop and remove it. */
const cliTime: Milliseconds = 30_000;

/** The options of templates. */
const options = {
  grace: seconds(0, { description: 'Seconds that the program has to end after it is asked to; then it is killed.' })
    .nullable()
    .default(null)
    .max(dayInSeconds),
  ...sandboxFields(true),
  read_only_root: flag(false, { restricts: true, description: 'The job cannot write to any file of the image.' }),
};

/**
 * Makes an executor of containers, by the command line of docker or podman. The launcher that runs the command line removes
 * them when this process dies or its lease runs out.
 */
export function containerExecutor(
  name: 'docker' | 'podman',
  { options: configured, clock, log }: PluginSetup<typeof containerOptions>,
) {
  const [limits, grace, folder] = [attemptLimits(configured), configured.grace * 1000, configured.folder ?? tmpdir()];
  // The engine starts what runs in containers, so a sandbox around its command line would hold nothing of them.
  const programs = new Programs({
    jobs: `containers of ${name}`,
    folder,
    sandbox: 'none',
    sandboxOptions: unrestricted,
    maxOutput: Number.MAX_SAFE_INTEGER,
    executables: null,
  });
  const environment = { ...usualEnvironment(), ...configured.environment };
  const cli = new ContainerCli(programs, { program: configured[name] ?? name, environment });
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
      const settings = { cli, folder, log, clock, limits, extra: configured.arguments, grace: graceOf };
      return new ContainerRun(attempt, `horarium-${attempt.jobId}-${randomUUID()}`, settings).run();
    },
    keepAlive: (duration) => programs.keepAlive(duration),
    close: () => programs.close(),
  });
}

/** What a command line needs of the environment: nothing of the service's own. */
function usualEnvironment(): Readonly<Record<string, string>> {
  const { homedir, uid } = userInfo();
  return {
    PATH: usualPath,
    HOME: homedir,
    ...(uid > 0 && { XDG_RUNTIME_DIR: `/run/user/${uid}` }),
  };
}
