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
    description: 'Where environment files and files of jobs are for a moment; null = the folder for temporary files.',
  }),
  grace: count(10, { description: 'Seconds that a program has to end after it was asked to.' }),
  ...attemptLimitOptions,
};

type Setup = PluginSetup<typeof options>;

/** The executors by the setup of their plugin, so that its start removes what others left behind. */
const prepared = new WeakMap<object, ReturnType<typeof executorsOf>>();

/** Runs jobs in containers, by docker and podman. */
export default definePlugin({
  name: 'executor-container',
  api: 1,
  options,
  executors: (setup) => {
    const executors = executorsOf(setup);
    prepared.set(setup, executors);
    return executors.map(({ executor }) => executor);
  },
  start: (setup) => {
    for (const { executor, removeOrphans } of prepared.get(setup) ?? [])
      void removeOrphans().then(
        (removed) => removed > 0 && setup.log(`removed ${removed} containers of ${executor.name} whose service died`),
        (error: Error) => setup.log(`the containers of ${executor.name} whose service died remain: ${error.message}`),
      );
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
    PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    HOME: homedir,
    ...(uid > 0 && { XDG_RUNTIME_DIR: `/run/user/${uid}` }),
  };
}
