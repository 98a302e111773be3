import { tmpdir, userInfo } from 'node:os';
import {
  attemptLimitOptions,
  attemptLimits,
  count,
  definePlugin,
  json,
  mapOf,
  type PluginSetup,
  text,
  texts,
} from '@horarium/core/plugin';
import { string } from 'yup';
import { endDeadLaunchers } from '../process/launcher/register.ts';
import { usualPath } from '../process/sandbox/program.ts';
import { containerExecutor } from './container-executor.ts';

const options = {
  docker: text(4096, { description: 'The command line of docker; null = that of the usual folders.' }),
  podman: text(4096, { description: 'The command line of podman; null = that of the usual folders.' }),
  environment: json(
    mapOf(string().max(4096).defined(), { pattern: /^[A-Za-z_]\w*$/, description: 'the name of a variable' }),
    {},
    { description: 'Variables of the command lines, such as DOCKER_HOST and CONTAINERS_CONF.' },
  ),
  arguments: texts(4096, { description: 'Further arguments of create, for every container: --cap-drop=ALL.' }),
  folder: text(4096, {
    description: 'Where the register of containers and files of jobs are; null = the folder for temporary files.',
  }),
  grace: count(10, { description: 'Seconds that a program has to end after it was asked to.' }),
  ...attemptLimitOptions,
};

type Setup = PluginSetup<typeof options>;

/** Runs jobs in containers, by docker and podman. */
export default definePlugin({
  name: 'executor-container',
  api: 1,
  options,
  executors: executorsOf,
  start: ({ options: { folder }, log }) => {
    const removed = endDeadLaunchers(folder ?? tmpdir()).then((remove) => remove());
    void removed.then((launchers) => {
      for (const { succeeded, problems } of launchers) {
        if (succeeded > 0) log(`removed ${succeeded} containers whose service died`);
        for (const problem of problems) log(`a container whose service died remains: ${problem}`);
      }
    });
  },
});

function executorsOf({ options: given, clock, log }: Setup) {
  return (['docker', 'podman'] as const).map((name) => {
    const cli = { program: given[name] ?? name, environment: { ...usualEnvironment(), ...given.environment } };
    return containerExecutor({
      name,
      clock,
      cli,
      arguments: given.arguments,
      grace: given.grace * 1000,
      limits: attemptLimits(given),
      folder: given.folder ?? tmpdir(),
      log,
    });
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
