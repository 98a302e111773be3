import { mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';

/** A cgroup (v2), by the path of its folder. */
export class Cgroup {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  /** @throws Error with an errno code where this process may not create it. */
  create(): this {
    mkdirSync(this.path);
    return this;
  }

  /** Moves a process, with all its threads, into the cgroup. Its children begin there. @throws Error with an errno code. */
  add(pid: number): void {
    this.set('cgroup.procs', String(pid));
  }

  /** Kills every process in it and in the cgroups below; none can escape by forking. */
  kill(): void {
    try {
      this.set('cgroup.kill', '1');
    } catch {
      // It is removed already.
    }
  }

  /** Whether a process lives in it or in a cgroup below. Zombies do not count. */
  get isPopulated(): boolean {
    return this.read('cgroup.events').includes('populated 1');
  }

  /** Sets one of its files. @throws Error with an errno code. */
  set(file: string, value: string): void {
    writeFileSync(`${this.path}/${file}`, value);
  }

  /** Lets the cgroups below it have a controller. @returns whether the kernel does. */
  give(controller: string): boolean {
    try {
      this.set('cgroup.subtree_control', `+${controller}`);
      return true;
    } catch {
      return false;
    }
  }

  /** The processes in it, without those in the cgroups below. */
  ownPids(): number[] {
    return this.read('cgroup.procs')
      .split('\n')
      .map(Number)
      .filter((pid) => pid > 0);
  }

  /** The processes in it and in the cgroups below, which jobs with the right to may have made. */
  pids(): number[] {
    return [...this.ownPids(), ...this.#below().flatMap((cgroup) => cgroup.pids())];
  }

  /** Removes it with those below. What still has processes stays. */
  remove(): void {
    // Most have none below.
    if (this.#removeIfEmpty()) return;
    for (const cgroup of this.#below()) cgroup.remove();
    this.#removeIfEmpty();
  }

  #removeIfEmpty(): boolean {
    try {
      rmdirSync(this.path);
      return true;
    } catch {
      // It has processes, or is gone.
      return false;
    }
  }

  #below(): Cgroup[] {
    try {
      const entries = readdirSync(this.path, { withFileTypes: true }).filter((entry) => entry.isDirectory());
      return entries.map(({ name }) => new Cgroup(`${this.path}/${name}`));
    } catch {
      return [];
    }
  }

  /** The content of one of its files; empty where it has no such file. */
  read(file: string): string {
    try {
      return readFileSync(`${this.path}/${file}`, 'utf8');
    } catch {
      return '';
    }
  }
}

/** The cgroup (v2) that this process is in. @throws Error where the machine has none. */
export function ownCgroup(): Cgroup {
  const path = /^0::(\/.*)$/m.exec(readFileSync('/proc/self/cgroup', 'utf8'))?.[1];
  const mounts = readFileSync('/proc/self/mountinfo', 'utf8').split('\n');
  const mount = mounts.find((line) => / - cgroup2 /.test(line))?.split(' ');
  if (path === undefined || !mount) throw new Error('no cgroups of version 2 are mounted');
  const [root, mountPoint] = [mount[3] as string, mount[4] as string];
  const prefix = root === '/' ? '' : root;
  if (!`${path}/`.startsWith(`${prefix}/`)) throw new Error('the cgroup of this process is not below those mounted');
  return new Cgroup(`${mountPoint}${path.slice(prefix.length)}`.replace(/\/+$/, ''));
}
