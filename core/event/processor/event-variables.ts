import type { EventRow } from '../event.ts';

/** Returns the variables that tell every job of an event what caused it. */
export function eventVariables(event: EventRow): Record<string, string> {
  const isSource = event.kind === 'source';
  return {
    EVENT_ID: String(event.id),
    EVENT_EVIDENCE: (isSource ? event.evidence : event.event) ?? '',
    EVENT_OPERATION: (isSource ? event.operation : null) ?? '',
    EVENT_RECORD_ID: isSource ? (event.record_id ?? '') : String(event.task_id ?? event.job_id ?? ''),
  };
}
