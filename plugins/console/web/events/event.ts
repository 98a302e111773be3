/** An event as its list has it. */
export interface EventRow {
  readonly id: number;
  readonly created_at: string;
  readonly kind: 'source' | 'job' | 'task';
  readonly event: string | null;
  readonly company_id: number | null;
  readonly event_source_id: number | null;
  readonly runtemplate_id: number | null;
  readonly job_id: number | null;
  readonly task_id: number | null;
  readonly key: string | null;
  readonly evidence: string | null;
  readonly operation: string | null;
  readonly record_id: string | null;
  readonly state: 'pending' | 'done' | 'set_aside';
  readonly reason: string | null;
  readonly attempts: number;
}

/** A job that an event caused. */
export interface CausedJob {
  readonly id: number;
  readonly event_id: number;
  readonly runtemplate_id: number;
  readonly task_id: number | null;
  readonly attempt: number;
  readonly state: string;
  readonly scheduled_at: string;
  readonly reason: string | null;
}

/** How often events are read, in milliseconds: sources report what no person does. */
export const eventInterval = 5000;
