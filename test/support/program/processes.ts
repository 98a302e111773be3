import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface LivingProcess {
  readonly pid: number;
  readonly parent: number;
  /** Its arguments, each followed by a space. */
  readonly command: string;
}

/** Lists the living processes of the machine, without zombies. */
export function livingProcesses(): LivingProcess[] {
  return processIds().flatMap((pid) => {
    const stat = readText(pid, 'stat');
    const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (stat === '' || state === 'Z') return [];
    return [{ pid, parent: Number(parent), command: readText(pid, 'cmdline').replaceAll('\0', ' ') }];
  });
}

/** Finds the living processes, without zombies, that have this text in their environment. */
export function processesWith(marker: string): number[] {
  return processIds().filter((pid) => readText(pid, 'environ').includes(marker));
}

/** Lists the descendants of a process, with their arguments and environments as /proc has them, separated by NUL. */
export function descendantProcesses(root: number) {
  const parents = new Map(livingProcesses().map(({ pid, parent }) => [pid, parent]));
  const isDescendant = (pid: number): boolean => pid === root || (pid > 1 && isDescendant(parents.get(pid) ?? 0));
  const found = [...parents.keys()].filter((pid) => pid !== root && isDescendant(pid));
  return found.map((pid) => ({ pid, cmdline: readText(pid, 'cmdline'), environ: readText(pid, 'environ') }));
}

/** Whether a process is stopped by a signal, until it is continued. */
export function isStopped(pid: number): boolean {
  return /^State:\s+T/m.test(readText(pid, 'status'));
}

/** None where there is no `/proc`. */
function processIds(): number[] {
  const names = existsSync('/proc/self') ? readdirSync('/proc') : [];
  return names.filter((name) => /^\d+$/.test(name)).map(Number);
}

/** A file of a process under `/proc`; empty when the process has ended, or its files may not be read. */
export function readText(pid: number, name: string): string {
  try {
    return readFileSync(join('/proc', String(pid), name), 'latin1');
  } catch {
    return '';
  }
}
