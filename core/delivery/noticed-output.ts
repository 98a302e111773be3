import type { AuditedStore } from '../audit/audited-store.ts';
import { readOutputTail } from '../job/job-output.ts';
import type { DeliveryRow } from './delivery.ts';

/** The maximum of a job's output that a notice has. */
const maxLines = 20;
const maxBytes = 4096;

/** Reads the last lines that the job of a delivery wrote; null if it has written none, or has only started. */
export async function readNoticedOutput(
  store: Pick<AuditedStore, 'read'>,
  { event, job_id }: Pick<DeliveryRow, 'event' | 'job_id'>,
): Promise<string | null> {
  if (job_id === null || event === 'on_start') return null;
  const tail = await store.read((tables) => readOutputTail(tables, job_id, { stream: null, size: maxBytes }));
  return lastLines(tail);
}

/** Returns the last lines as a terminal would leave them: what a carriage return overwrote, and control characters, are left out. */
export function lastLines(output: string): string | null {
  const lines = output.replace(/\s+$/, '').split('\n').slice(-maxLines);
  const text = lines.map(plainLine).join('\n');
  return text.trim() === '' ? null : text;
}

function plainLine(line: string): string {
  const shown = line.trimEnd();
  return shown.slice(shown.lastIndexOf('\r') + 1).replaceAll(controls, '');
}

/** Sequences that style a terminal, and every other control character but the tab. */
const controls = /\p{Cc}\[[0-9;?]*[ -/]*[@-~]|[^\P{Cc}\t]/gu;
