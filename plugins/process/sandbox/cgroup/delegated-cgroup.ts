import { existsSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { Cgroup } from './cgroup.ts';
import { type Controller, controllers } from './cgroup-limits.ts';

/** The cgroup that the service moves to, so that the one above it has no processes of its own. */
const leafName = 'horarium-service';

/** Where cgroups for jobs can be, and by what those can be limited and measured. */
export interface Delegation {
  /** The cgroup of this process. */
  readonly home: Cgroup;
  /** The cgroup that those for jobs are made in. */
  readonly parent: Cgroup;
  readonly controllers: readonly Controller[];
  /** Why there are no controllers; null where there are. */
  readonly problem: string | null;
}

/**
 * Gives the cgroups below one's own as many controllers as that has. A cgroup with processes can give none to those below
 * it, unless it is the root, so the service moves to one below itself; it does so only where all of it is alone there.
 * @param service the processes of the service.
 * @param mayMove whether that cgroup is the service's to change; under systemd, the unit says so by `Delegate=yes`.
 */
export function delegate(own: Cgroup, service: readonly number[], mayMove: boolean): Delegation {
  if (basename(own.path) === leafName) {
    const parent = new Cgroup(dirname(own.path));
    return { home: own, parent, controllers: wanted(parent.read('cgroup.subtree_control')), problem: null };
  }
  const without = (problem: string): Delegation => ({ home: own, parent: own, controllers: [], problem });
  const available = wanted(own.read('cgroup.controllers'));
  if (available.length === 0)
    return without(`the cgroup ${own.path} has none of the controllers ${controllers.join(', ')}`);
  if (!mayMove)
    return without(`the cgroup ${own.path} is only changed where the option containment of executor-native is cgroup`);
  const others = own.ownPids().filter((pid) => !service.includes(pid));
  const isRoot = !existsSync(`${own.path}/cgroup.type`);
  if (!isRoot && others.length > 0) return without(`the cgroup ${own.path} has other processes, such as ${others[0]}`);
  try {
    const home = isRoot ? own : moveTo(new Cgroup(`${own.path}/${leafName}`), own.ownPids());
    const given = available.filter((controller) => own.give(controller));
    return { home, parent: own, controllers: given, problem: given.length > 0 ? null : `${own.path} gives none on` };
  } catch (error) {
    return without((error as Error).message);
  }
}

function moveTo(leaf: Cgroup, pids: readonly number[]): Cgroup {
  if (!existsSync(leaf.path)) leaf.create();
  for (const pid of pids) leaf.add(pid);
  return leaf;
}

function wanted(names: string): Controller[] {
  const available = names.split(/\s+/);
  return controllers.filter((controller) => available.includes(controller));
}
