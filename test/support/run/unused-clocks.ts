import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { livingProcesses, readText } from '../program/processes.ts';

const folder = '/dev/shm';

/**
 * Removes what libfaketime leaves of processes that were killed: the memory that a process shares with its children, once no
 * process has it mapped or finds its name in its environment.
 */
export function removeUnusedClocks(): void {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const shared = names.filter((name) => /^(?:sem\.faketime_sem|faketime_shm)_\d+$/.test(name));
  if (shared.length === 0) return;
  const uses = livingProcesses().map(({ pid }) => readText(pid, 'maps') + readText(pid, 'environ'));
  const inUse = new Set(uses.join().match(/(?<=faketime_(?:shm|sem)_)\d+/g));
  for (const name of shared) if (!inUse.has(name.replace(/\D/g, ''))) rmSync(join(folder, name), { force: true });
}
