import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Lists the descendants of a process, with their arguments and environments as /proc has them, separated by NUL. */
export function descendantProcesses(root: number) {
  const read = (pid: string, name: string) => {
    try {
      return readFileSync(join('/proc', pid, name), 'latin1');
    } catch {
      return '';
    }
  };
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const parents = new Map(
    all.map((pid) => [Number(pid), Number(/^PPid:\s*(\d+)/m.exec(read(pid, 'status'))?.[1] ?? 0)]),
  );
  const isDescendant = (pid: number): boolean => pid === root || (pid > 1 && isDescendant(parents.get(pid) ?? 0));
  const found = all.filter((pid) => Number(pid) !== root && isDescendant(Number(pid)));
  return found.map((pid) => ({ pid, cmdline: read(pid, 'cmdline'), environ: read(pid, 'environ') }));
}
