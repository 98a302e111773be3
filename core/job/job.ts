import { environmentMap } from '../app/environment-map.ts';
import { maxMessage } from '../executor/attempt-progress.ts';
import { choice, count, flag, instant, integer, ref, text, texts } from '../field/fields.ts';
import { json, optionalJson } from '../field/structured.ts';
import { defineResource, type InputOfResource, type Resource } from '../resource/define-resource.ts';
import { byMembership, isAdmin } from '../resource/permissions.ts';
import { readable } from '../secret/ciphertext.ts';
import type { RowOfTable } from '../store/table.ts';
import { maxReason } from '../task/task.ts';
import { inputFiles } from './artifact.ts';
import { jobDetails } from './job-details.ts';
import { jobStates } from './job-states.ts';

export const triggers = ['schedule', 'retry', 'adhoc', 'event', 'chain', 'catch_up'] as const;
export type Trigger = (typeof triggers)[number];

const described = defineResource({
  name: 'Job',
  names: { singular: 'job', plural: 'jobs', id: 'jobId' },
  description: 'One attempt at running an app.',
  example: {
    runtemplate_id: 1,
    app_id: 1,
    company_id: 1,
    task_id: 1,
    state: 'succeeded',
    scheduled_at: Date.UTC(2026, 10, 20, 23, 30),
    started_at: Date.UTC(2026, 10, 20, 23, 30),
    finished_at: Date.UTC(2026, 10, 20, 23, 31, 12),
    exit_code: 0,
    command: '/usr/bin/pg_dump',
    arguments: ['--file', 'backup.sql', 'shop'],
    environment: { DATABASE: 'shop', PGUSER: 'backup', PGPASSWORD: '••••••••' },
    worker: 'host7:4711:Zk3f0aQ1bC2d',
    app_version: '2.1.0',
    peak_memory: 48_234_496,
  },
  operations: ['list', 'get', 'delete'],
  permissions: byMembership(
    { read: 'viewer', create: 'operator', update: 'operator', delete: 'admin' },
    {
      fields: ['task_id'],
      // What was tried to meet an obligation is evidence, also against the company.
      refuse: async (actor, { task_id }, _tables, verb) =>
        verb === 'delete' && task_id !== null && !isAdmin(actor)
          ? `${actor.name} may not delete an attempt of Task ${task_id}: that takes the role admin.`
          : undefined,
    },
  ),
  company: 'company_id',
  sharesEntries: true,
  computed: [jobDetails],
  indexes: [
    ['runtemplate_id', 'state', 'queue_at'],
    ['company_id', 'state'],
    ['executor', 'id'],
    ['state', 'id'],
  ],
  // The queue: in the order in which jobs are due, and in which the jobs of a company start.
  partialIndexes: [
    { columns: ['queue_at', 'id', 'executor', 'company_id'], present: ['queue_at'] },
    { columns: ['company_id', 'caught_up', 'rank', 'queue_at', 'id', 'executor'], present: ['queue_at'] },
    { columns: ['placement', 'company_id', 'caught_up', 'rank', 'queue_at', 'id'], present: ['queue_at', 'placement'] },
  ],
  summaryFields: [
    'id',
    'runtemplate_id',
    'task_id',
    'attempt',
    'state',
    'trigger',
    'scheduled_at',
    'finished_at',
    'exit_code',
    'reason',
  ],
  secondaryFields: ['exit_code', 'trigger', 'attempt', 'finished_at', 'task_id'],
  fields: {
    runtemplate_id: ref('RunTemplate', { indexed: false, immutable: true }).required(),
    app_id: ref('App', { readOnly: true }).required(),
    company_id: ref('Company', { readOnly: true }).required(),
    task_id: ref('Task', { immutable: true, description: 'Null for an ad hoc job.' }),
    event_id: ref('Event', { readOnly: true, onDelete: 'setNull', description: 'The event that caused it.' }),
    attempt: count(1, { readOnly: true, description: 'The number of the attempt at its Task, from 1.' }),
    state: choice(jobStates).default('scheduled').nonNullable(),
    trigger: choice(triggers, { readOnly: true, description: 'Why it was created.' }).default('schedule').nonNullable(),
    launched_by: ref('User', { readOnly: true, onDelete: 'setNull' }),
    scheduled_at: instant({ indexed: true, description: 'When it is due.' }).required(),
    started_at: instant({ readOnly: true }),
    finished_at: instant({ readOnly: true }),
    exit_code: integer({ readOnly: true, description: 'Null if no process has ended by itself.' }),
    signal: text(16, { readOnly: true, description: 'The signal that ended the process, if one did.' }),
    reason: text(maxReason, { readOnly: true, description: 'Why it ended as it did.' }).test(readable),
    peak_memory: integer({
      readOnly: true,
      description: 'The most memory that its processes used together, in bytes; null if it was not measured.',
    }),
    command: text(1024, { readOnly: true }),
    arguments: texts(32_768, { readOnly: true, detailOnly: true }),
    environment: json(environmentMap(), {}, { detailOnly: true }),
    executor: text(64, { names: 'executors' }).default('native').nonNullable(),
    output_deleted_at: instant({
      readOnly: true,
      detailOnly: true,
      description: 'When its output was deleted, because it is kept no longer; null = it has not been.',
    }),
    worker: text(128, { readOnly: true, description: 'The process of the service that ran it.' }),
    pid: integer({ readOnly: true, unaudited: true }),
    app_version: text(64, { readOnly: true, description: 'The version of the App when the attempt started.' }),
    heartbeat_at: instant({ readOnly: true, unaudited: true }),
    progress: integer({ readOnly: true, unaudited: true, description: 'In percent.' }).min(0).max(100),
    message: text(maxMessage, { readOnly: true, unaudited: true }).test(readable),
    /** When a runner may claim the job; null while another job blocks it, and once it has started or ended. */
    queue_at: instant({ hidden: true }),
    /**
     * Whether it is an attempt at a Task that is caught up or repeated, whose deadline does not count: such a job comes after
     * those that are owed now, and replaces none.
     */
    caught_up: flag(false, { hidden: true, unaudited: true }),
    /** The agents that it waits for, as `writePlacement` writes it; null = a worker of the service or a program elsewhere. */
    placement: text(1280, { hidden: true, unaudited: true }),
    /** The negated priority of its template, so that an index has the highest first. */
    rank: integer({ hidden: true, unaudited: true }).default(0).nonNullable(),
    /** How many workers have reserved it and not started it: see `Reservation`. */
    claims: count(0, { hidden: true }),
    /** One-off environment values of this job, the secrets among them encrypted. */
    overrides: json(environmentMap(), {}, { hidden: true, detailOnly: true }),
    /** Artifacts of other jobs that it is given as files. */
    input_files: optionalJson(inputFiles, { hidden: true, detailOnly: true }),
    /** The reason of a request to stop the running attempt; null = there is no such request. */
    stop_reason: text(maxReason, { hidden: true }),
    /** The secrets that the running attempt was given, encrypted as `encryptGivenSecrets` does; null once it has ended. */
    given_secrets: text(16 * 1024 * 1024, { hidden: true, unaudited: true, detailOnly: true }),
    /** SHA-256 of the heartbeat key in its PING_URL. */
    ping_key_hash: text(64, { hidden: true }),
  },
});
export type JobRow = { [K in keyof RowOfTable<typeof described>]: RowOfTable<typeof described>[K] };
/** What may be set of a pending job. Its `scheduled_at` may be `now`; the `state` cancelled cancels it. */
export type JobInput = {
  [K in Exclude<keyof InputOfResource<typeof described>, 'id'>]?: NonNullable<InputOfResource<typeof described>[K]>;
};
/** What may be set of a new job. Its `scheduled_at` may be `now`. */
export type NewJob = {
  [K in Exclude<keyof InputOfResource<typeof described>, 'id' | 'state'>]?: NonNullable<
    InputOfResource<typeof described>[K]
  >;
};

/** One attempt at fulfilling a Task, or an ad hoc run without a Task. */
export const Job: Resource<JobRow> = described;
