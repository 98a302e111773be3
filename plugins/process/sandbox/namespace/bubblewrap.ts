import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Program, startedBy, systemProgram } from '../program.ts';
import { isIsolated, type SandboxOptions } from '../sandbox-options.ts';

/** Starts programs under `bwrap`: always in a PID namespace of their own, and isolated as far as is asked for. */
export class Bubblewrap {
  readonly #bwrap = systemProgram('bwrap');
  readonly #setsid = systemProgram('setsid');

  /** The same program, started by `bwrap`, with further arguments for that. */
  around(program: Program, options: SandboxOptions, more: readonly string[]): Program {
    const namespaces = ['--unshare-pid', ...(options.privateNetwork ? ['--unshare-net'] : [])];
    const files = [...filesOf(program, options), '--proc', '/proc', '--chdir', program.directory];
    const { capabilities, user } = switchUser(program, options);
    const own = ['--die-with-parent', ...namespaces, ...files, ...capabilities, ...more];
    return startedBy([this.#bwrap, ...own, '--', this.#setsid, ...user], program);
  }
}

function filesOf({ folder, home, inputs }: Program, { readOnlyRoot }: SandboxOptions): string[] {
  if (!readOnlyRoot) return ['--dev-bind', '/', '/'];
  const temporary = ['/tmp', '/var/tmp', '/dev/shm'].filter((path) => existsSync(path));
  const own = home === null ? [folder] : [folder, home];
  const given = inputs === null ? [] : [inputs];
  const above = new Set([...own, ...given].flatMap((path) => foldersBetween(temporary, path)));
  return [
    ...['--ro-bind', '/', '/', '--dev', '/dev'],
    // The job need not run as the user who makes these, to whom bwrap would give them alone.
    ...temporary.flatMap((path) => ['--perms', '1777', '--tmpfs', path]),
    ...[...above].flatMap((path) => ['--perms', '0711', '--dir', path]),
    // The folders of the job come last, because they may be in one of those.
    ...own.flatMap((path) => ['--bind', path, path]),
    ...given.flatMap((path) => ['--ro-bind', path, path]),
  ];
}

/** The folders that lead to a path from the one of the folders that it is in, the outermost first. */
function foldersBetween(folders: readonly string[], path: string): string[] {
  const top = folders.find((folder) => path.startsWith(`${folder}/`));
  if (top === undefined || dirname(path) === top) return [];
  return [...foldersBetween([top], dirname(path)), dirname(path)];
}

/**
 * Root that is isolated has no capabilities, because it could lift the isolation with them. Another user has none anyway,
 * and cannot get any: under `bwrap` setuid programs do not work.
 */
function switchUser(
  { identity }: Program,
  options: SandboxOptions,
): { readonly capabilities: string[]; readonly user: string[] } {
  if (!identity) return { capabilities: isIsolated(options) ? ['--cap-drop', 'ALL'] : [], user: [] };
  const ids = ['--reuid', String(identity.uid), '--regid', String(identity.gid), '--clear-groups'];
  return { capabilities: [], user: [systemProgram('setpriv'), ...ids] };
}
