import { actionEvents, type Notice } from '../action/notice.ts';
import { storedNotice } from '../action/notice-shape.ts';
import type { Field } from '../field/field-meta.ts';
import { choice, count, flag, instant, integer, ref, text } from '../field/fields.ts';
import { json } from '../field/structured.ts';
import { defineJournal, type Resource } from '../resource/define-resource.ts';
import { byMembership } from '../resource/permissions.ts';
import type { RowOfTable } from '../store/table.ts';
import { deliveryReason } from './delivery-reason.ts';

const deliveryStates = ['pending', 'delivered', 'failed'] as const;

/** Whose list an action stands in: that of the template, of its company, or of the whole service. */
export const listOwners = ['runtemplate', 'company', 'service'] as const;
export type ListOwner = (typeof listOwners)[number];

/** The notice as it is stored: a delivery adds the output, the other failures that it reports, and where people read more. */
export type StoredNotice = Omit<Notice, 'output' | 'digest' | 'link'>;

/** The maximum length of the beginning of an answer, and of a reason. */
export const maxAnswer = 1000;

const exampleNotice: StoredNotice = {
  event: 'on_failure',
  occurred_at: Date.UTC(2026, 10, 21, 0, 31, 12),
  reason: 'the last attempt failed (exit code 3); all 3 attempts are used up',
  company: { id: 1, code: 'acme', name: 'Acme Inc.' },
  runtemplate: { id: 1, code: 'nightly-backup', name: 'Nightly backup of the shop' },
  app: { id: 1, code: 'pg-backup', name: 'PostgreSQL backup' },
  task: {
    id: 1,
    state: 'failed',
    window_start: Date.UTC(2026, 10, 20, 23),
    window_end: Date.UTC(2026, 10, 21, 23),
    deadline: Date.UTC(2026, 10, 21, 5),
    attempts: 3,
  },
  job: { id: 3, state: 'failed', attempt: 3, exit_code: 3, signal: null },
  run_id: 'b6a1f1e0-5b1c-8a3f-9c57-0d7f3a2c4e11',
  failures: 1,
  failing_since: Date.UTC(2026, 10, 21, 0, 31, 12),
};

const described = defineJournal({
  name: 'Delivery',
  names: { singular: 'delivery', plural: 'deliveries', id: 'deliveryId' },
  description: 'A notice that an action delivers, and the result.',
  example: {
    action: 'webhook',
    endpoint: 'https://hooks.acme.example',
    event: 'on_failure',
    owner: 'runtemplate',
    company_id: 1,
    runtemplate_id: 1,
    task_id: 1,
    state: 'delivered',
    attempts: 2,
    delivered_at: Date.UTC(2026, 10, 21, 0, 31, 20),
    status: 200,
    response: 'ok',
    message_id: '6f1b2f0e-3a5d-4c5b-9a57-0d7f3a2c4e11',
    notice: exampleNotice,
  },
  permissions: byMembership({
    read: 'viewer',
    create: 'the service',
    update: 'operator',
    delete: 'the service',
  }),
  company: 'company_id',
  period: 'created_at',
  auditsDeletions: true,
  computed: [deliveryReason],
  // A claim passes over endpoints and companies without reading the rows.
  indexes: [['state', 'next_at', 'id', 'endpoint', 'company_id']],
  summaryFields: [
    'id',
    'created_at',
    'event',
    'runtemplate_id',
    'action',
    'endpoint',
    'state',
    'reason',
    'attempts',
    'error',
  ],
  secondaryFields: ['attempts', 'reason', 'runtemplate_id', 'action'],
  fields: {
    action: text(64, { readOnly: true }).required(),
    endpoint: text(255, {
      readOnly: true,
      description: 'The receiver. A receiver that does not answer delays no deliveries to others.',
    })
      .default('')
      .nonNullable(),
    event: choice(actionEvents, { readOnly: true, description: 'The event that it tells of.' }).required(),
    owner: choice(listOwners, {
      readOnly: true,
      description: 'Whether the action is in a list of the template, of the company or of the service.',
    }).required(),
    /** The `id` that the action has in its list. */
    listed_id: text(64, { hidden: true }).default('0').nonNullable(),
    company_id: ref('Company', {
      readOnly: true,
      foreignKey: false,
      description: "Null if the action is the service's: only admins see its deliveries.",
    }),
    runtemplate_id: ref('RunTemplate', { readOnly: true, foreignKey: false }),
    task_id: ref('Task', { readOnly: true, foreignKey: false }),
    job_id: ref('Job', { readOnly: true, foreignKey: false, indexed: false }),
    state: choice(deliveryStates, {
      readOnly: true,
      meanings: {
        pending: 'it is delivered at next_at',
        delivered: 'it arrived',
        failed: 'it was tried for a day without success; it can be retried',
      },
    })
      .default('pending')
      .nonNullable(),
    attempts: count(0, { readOnly: true, description: 'Attempts at delivering it.' }),
    next_at: instant({
      readOnly: true,
      description: 'When the next attempt is due, if the present one does not succeed.',
    }),
    delivered_at: instant({ readOnly: true }),
    status: integer({ readOnly: true, description: 'The answer of the receiver: an HTTP status or an exit code.' }),
    response: text(maxAnswer, { readOnly: true, description: 'The beginning of the answer.' }),
    error: text(maxAnswer, { readOnly: true, description: 'Why the last attempt did not deliver it.' }),
    message_id: text(36, {
      readOnly: true,
      unique: true,
      description: 'Stays the same in each attempt, so that the receiver recognises a repeated delivery.',
    }).required(),
    digest_id: ref('Delivery', {
      readOnly: true,
      foreignKey: false,
      description: 'The digest: the delivery that tells of this failure and of others.',
    }),
    /** Whether it waits to be told together with other failures of its template. */
    collected: flag(false, { hidden: true }),
    /** Attempts since it was written or retried by hand: they decide the back-off. */
    tries: count(0, { hidden: true }),
    notice: json(storedNotice as Field<StoredNotice>, {} as StoredNotice, {
      readOnly: true,
      detailOnly: true,
      description: 'What it tells.',
    }),
  },
});
export type DeliveryRow = { [K in keyof RowOfTable<typeof described>]: RowOfTable<typeof described>[K] };

/**
 * The outbox of actions: what is to be told to whom, written with the change of state that it tells of. It is not audited,
 * because each attempt changes it. Its references are plain ids, so that a delivery outlives what it is about.
 */
export const Delivery: Resource<DeliveryRow> = described;

export type FailedDelivery = Pick<DeliveryRow, 'id' | 'action' | 'endpoint' | 'runtemplate_id' | 'state'>;

/** Says in a sentence that a delivery did not arrive, and whether it is tried again. */
export function describeFailedDelivery(
  { id, action, endpoint, runtemplate_id, state }: FailedDelivery,
  error: string,
): string {
  const outcome = state === 'failed' ? 'is tried no more' : 'did not arrive and is tried again for a day';
  return `Delivery ${id} of the action ${action} to ${endpoint} for RunTemplate ${runtemplate_id} ${outcome}: ${error}`;
}
