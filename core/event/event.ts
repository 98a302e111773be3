import { array, number } from 'yup';
import { choice, count, instant, ref, text } from '../field/fields.ts';
import { anything, json, optionalJson } from '../field/structured.ts';
import { defineResource, type Resource } from '../resource/define-resource.ts';
import { byMembership } from '../resource/permissions.ts';
import type { RowOfTable } from '../store/table.ts';
import { maxReason } from '../task/task.ts';

const eventStates = ['pending', 'done', 'set_aside'] as const;

/** The maximum length of the key that a source gives an event. */
export const maxEventKey = 512;

/** An id that the event outlives: what it points to may be deleted. */
const origin = (resource: string, description: string) => ref(resource, { foreignKey: false, description });

const described = defineResource({
  name: 'Event',
  names: { singular: 'event', plural: 'events', id: 'eventId' },
  description: 'Something that happened: a change in an event source, or the end of a job or a task.',
  example: {
    kind: 'job',
    event: 'succeeded',
    runtemplate_id: 1,
    company_id: 1,
    job_id: 1,
    state: 'done',
    attempts: 1,
  },
  operations: ['list', 'get'],
  permissions: byMembership({ read: 'viewer', write: 'the service' }),
  company: 'company_id',
  sharesEntries: true,
  period: 'created_at',
  unique: [['event_source_id', 'key']],
  indexes: [
    ['state', 'id'],
    ['kind', 'event', 'id'],
  ],
  summaryFields: [
    'id',
    'created_at',
    'kind',
    'event',
    'event_source_id',
    'job_id',
    'task_id',
    'key',
    'state',
    'reason',
  ],
  secondaryFields: ['kind', 'task_id', 'job_id', 'key'],
  fields: {
    kind: choice(['source', 'job', 'task'], {
      description: 'Where it comes from: an event source, a job that ended, or a task that ended.',
    }).required(),
    event: text(255, {
      description:
        'How a job or a task ended: succeeded, failed, task_fulfilled, task_failed, task_missed. Null for a change.',
    }),
    /** Null for the event of a source until a rule matches it, or if rules of several companies do: then only admins see it. */
    company_id: ref('Company', {
      description: 'The company of the event; null if it belongs to no company, or to several.',
    }),
    event_source_id: origin('EventSource', 'The source that reported it.'),
    runtemplate_id: origin('RunTemplate', 'The template whose job or task ended.'),
    job_id: origin('Job', 'The job that ended, or that decided the task.'),
    task_id: origin('Task', 'The task that ended.'),
    key: text(maxEventKey, { description: 'The number or id that the source gives to the change.' }),
    evidence: text(255, { description: 'What kind of record changed, as the source names it.' }),
    operation: text(255, { description: 'What happened to that record: create, update or delete.' }),
    record_id: text(1024, { description: 'Which record changed.' }),
    state: choice(eventStates).default('pending').nonNullable(),
    reason: text(maxReason, { description: 'Why no rule fired, or why it was set aside.' }),
    attempts: count(0, { unaudited: true, description: 'How often its rules have been tried.' }),
    /** Tries that were begun since it was written, or retried by hand, and have not come to an end. */
    tries: count(0, { hidden: true }),
    /** Until when the host that tries it has it to itself; null = none has begun. */
    claimed_until: instant({ hidden: true }),
    /** What the source told of the change. */
    payload: json(anything, {}, { hidden: true, detailOnly: true }),
    /** Why the source could not read it; no retry helps. */
    problem: text(maxReason, { hidden: true }),
    /** The length of the chain that led to it: 1 for what no event caused. */
    depth: count(1, { hidden: true }),
    /** The ids of the rules that have fired, so that a retry fires only the others. */
    fired: optionalJson(array().of(number().required()).required(), { hidden: true }),
  },
});
export type EventRow = { [K in keyof RowOfTable<typeof described>]: RowOfTable<typeof described>[K] };

/**
 * Something that happened: a change that an event source reported, or the end of a job or a Task. It is written in the
 * transaction that ends the job or the Task, or that stores what the source reported. It is pending until its rules were
 * tried, and then `done`, or `set_aside` if one could not fire.
 */
export const Event: Resource<EventRow> = described;
