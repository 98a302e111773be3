import { readlinkSync } from 'node:fs';
import { type ProcessEntry, type ProcessTable, processOf, signalProcess } from '../process-table.ts';

/** The first process of a PID namespace. When it ends, the kernel kills the others, and its end waits for theirs. */
export class NamespaceInit {
  readonly pid: number;
  readonly #beginning: number | undefined;

  constructor(pid: number) {
    this.pid = pid;
    this.#beginning = processOf(pid)?.beginning;
  }

  /** Whether it has ended, and with it every process of the namespace. */
  get hasEnded(): boolean {
    const entry = processOf(this.pid);
    return entry === null || entry.beginning !== this.#beginning;
  }

  kill(): void {
    if (!this.hasEnded) signalProcess(this.pid, 'SIGKILL');
  }

  /** The living processes of the namespace, but for itself. */
  members(table: ProcessTable): ProcessEntry[] {
    const namespace = namespaceOf(this.pid);
    if (this.hasEnded || namespace === null) return [];
    return table.entries.filter(({ pid }) => pid !== this.pid && namespaceOf(pid) === namespace);
  }
}

function namespaceOf(pid: number): string | null {
  try {
    return readlinkSync(`/proc/${pid}/ns/pid`);
  } catch {
    return null;
  }
}
