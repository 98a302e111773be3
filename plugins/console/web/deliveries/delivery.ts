/** A delivery as its list has it. */
export interface DeliveryRow {
  readonly id: number;
  readonly created_at: string;
  readonly action: string;
  readonly endpoint: string;
  readonly event: string;
  readonly owner: string;
  readonly company_id: number | null;
  readonly runtemplate_id: number | null;
  readonly task_id: number | null;
  readonly job_id: number | null;
  readonly state: 'pending' | 'delivered' | 'failed';
  readonly attempts: number;
  readonly next_at: string | null;
  readonly delivered_at: string | null;
  readonly status: number | null;
  readonly response: string | null;
  readonly error: string | null;
  readonly message_id: string;
  readonly digest_id: number | null;
  readonly reason: string | null;
}

interface Named {
  readonly id: number;
  readonly name: string;
}

/** What a delivery tells, as it was when it happened. */
export interface Notice {
  readonly event: string;
  readonly occurred_at: string;
  readonly reason: string | null;
  readonly company: Named;
  readonly runtemplate: Named;
  readonly app: Named;
  readonly task: {
    readonly id: number;
    readonly state: string;
    readonly window_start: string;
    readonly window_end: string;
    readonly deadline: string;
  } | null;
  readonly job: {
    readonly id: number;
    readonly attempt: number;
    readonly exit_code: number | null;
    readonly signal: string | null;
  } | null;
  readonly failures: number;
  readonly failing_since: string | null;
}

/** How often deliveries are read, in milliseconds: what becomes of one is no change of a record that is audited. */
export const deliveryInterval = 5000;
