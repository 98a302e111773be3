import { hostname } from 'node:os';
import type { Attempt, Fields } from '@horarium/core/plugin';
import { sandboxOptionsOf } from '../process/sandbox/sandbox-options.ts';
import { userNamed } from '../process/users/users.ts';

export type ContainerAttempt = Pick<
  Attempt<Fields>,
  'jobId' | 'executable' | 'arguments' | 'stdin' | 'environment' | 'runAs' | 'image' | 'resultFile' | 'artifacts'
> & { readonly options: Parameters<typeof sandboxOptionsOf>[0] };

/** A container as the command line of docker and podman creates it. */
export interface ContainerDefinition {
  /** What follows `create`. The environment file is put before them. */
  readonly arguments: readonly string[];
  /** The lines `KEY=value` of the environment file. */
  readonly environmentFile: string;
  /** Variables that do not fit into a line of the file, which the command line takes from its own environment. */
  readonly passed: Readonly<Record<string, string>>;
}

/** The working directory of programs whose files are stored. */
export const workingFolder = '/horarium';

/** Docker reads at most 64 KiB a line. */
const maxLine = 60_000;

/** The names of variables that the command lines themselves obey. */
const obeyed =
  /^(?:PATH|HOME|TMPDIR|SSL_.*|XDG_.*|DOCKER_.*|BUILDKIT_.*|PODMAN_.*|CONTAINER.*|REGISTRY_.*|.*_PROXY|.*_proxy|GO.*|_.*|STORAGE_.*)$/;

/** Returns why an attempt cannot run in a container; null = it can. */
export function containerRefusal({ image, runAs, environment, executable }: ContainerAttempt): string | null {
  if (image === null) return `${executable} cannot run in a container: its App names no oci_image`;
  if (image.startsWith('-')) return `${executable} cannot run in a container: ${image} is no image`;
  if (runAs !== null && userOf(runAs) === null)
    return `${executable} cannot run as ${runAs} in a container: there is no such user on this machine`;
  const name = Object.keys(environment).find((key) => !fitsFile(environment[key] as string) && obeyed.test(key));
  return name === undefined ? null : `the variable ${name} is too long, or has several lines, for a container`;
}

/** Describes the container of an attempt. @param extra the arguments that the operator adds. */
export function containerDefinition(
  attempt: ContainerAttempt,
  name: string,
  extra: readonly string[],
): ContainerDefinition {
  const { jobId, executable, stdin, environment, runAs, image, resultFile, artifacts, options } = attempt;
  const user = runAs === null ? null : userOf(runAs);
  const folder = leavesFiles({ resultFile, artifacts }) ? workingFolder : null;
  const entries = Object.entries({ ...environment, ...(folder !== null && { HORARIUM_WORKDIR: folder }) });
  const passed = entries.filter(([, value]) => !fitsFile(value));
  const { privateNetwork, readOnlyRoot, memoryMax, pidsMax, cpuMax } = sandboxOptionsOf(options);
  return {
    arguments: [
      ...['--name', name],
      ...['--label', `horarium.job=${jobId}`, '--label', `horarium.host=${hostname()}`],
      // The output is stored by this service alone.
      ...['--log-driver', 'none', '--security-opt', 'no-new-privileges'],
      ...extra,
      ...(privateNetwork ? ['--network', 'none'] : []),
      ...(readOnlyRoot ? ['--read-only'] : []),
      ...(memoryMax === null ? [] : ['--memory', `${memoryMax}b`]),
      ...(pidsMax === null ? [] : ['--pids-limit', String(pidsMax)]),
      ...(cpuMax === null ? [] : ['--cpus', String(cpuMax / 100)]),
      ...(user === null ? [] : ['--user', user]),
      // A volume without a name, which is removed with the container, is there in any image.
      ...(folder === null ? [] : ['--volume', folder, '--workdir', folder]),
      ...passed.flatMap(([key]) => ['--env', key]),
      // Without the streams by name, docker leaves the stdin of the program open when all of it was sent.
      ...(stdin === null
        ? []
        : ['--interactive', ...['stdin', 'stdout', 'stderr'].flatMap((name) => ['--attach', name])]),
      ...['--entrypoint', executable, image as string, ...attempt.arguments],
    ],
    environmentFile: entries
      .filter(([, value]) => fitsFile(value))
      .map(([key, value]) => `${key}=${value}\n`)
      .join(''),
    passed: Object.fromEntries(passed),
  };
}

function fitsFile(value: string): boolean {
  return value.length <= maxLine && !/[\r\n]/.test(value);
}

/** Whether files of an attempt are stored, so that its program has a working directory of its own. */
export function leavesFiles({ resultFile, artifacts }: Pick<ContainerAttempt, 'resultFile' | 'artifacts'>): boolean {
  return resultFile !== null || artifacts.length > 0;
}

/** Returns the ids of a user of this machine, whose name the image need not know: `1000:1000`; null = there is none. */
function userOf(runAs: string): string | null {
  if (/^\d+$/.test(runAs)) return `${runAs}:${runAs}`;
  const user = userNamed(runAs);
  return user && `${user.uid}:${user.gid}`;
}
