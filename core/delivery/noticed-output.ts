import { readOutputTail } from '../job/job-output.ts';
import type { Tables } from '../store/store.ts';
import type { DeliveryRow } from './delivery.ts';

/** The most that a notice tells of the output of a job. */
const maxLines = 20;
const maxBytes = 4096;

/** Reads the last lines that the job of a delivery wrote; null if it has written none, or has only started. */
export async function readNoticedOutput(
  tables: Tables,
  { event, job_id }: Pick<DeliveryRow, 'event' | 'job_id'>,
): Promise<string | null> {
  if (job_id === null || event === 'on_start') return null;
  return lastLines(await readOutputTail(tables, job_id, { stream: null, size: maxBytes }));
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
