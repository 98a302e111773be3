import { array, object } from 'yup';
import type { Field } from '../field/field-meta.ts';
import { choice, count, instant, integer, text } from '../field/fields.ts';
import {
  actionEvents,
  type NamedRecord,
  type Notice,
  type NoticeDigest,
  type NoticedJob,
  type NoticedTask,
} from './notice.ts';

type Shape<T> = { readonly [K in keyof T]: Field<T[K]> };

const id = count(0).defined();
const time = instant().nonNullable().defined();
const name = text(255).nonNullable().defined();
const state = text(16).nonNullable().defined();
const reason = text(65_535).defined();

const named = object({ id, code: text(64).defined(), name } satisfies Shape<NamedRecord>)
  .noUnknown()
  .required();

const task = object({
  id,
  state,
  window_start: time,
  window_end: time,
  deadline: time,
  attempts: count(0).defined(),
} satisfies Shape<NoticedTask>)
  .noUnknown()
  .nullable()
  .defined();

const job = object({
  id,
  state,
  attempt: count(1).defined(),
  exit_code: integer().defined(),
  signal: text(16).defined(),
} satisfies Shape<NoticedJob>)
  .noUnknown()
  .nullable()
  .defined();

/** The fields of a notice as it is stored. */
const stored = {
  event: choice(actionEvents).nonNullable().defined(),
  occurred_at: time,
  reason,
  company: named,
  runtemplate: named,
  app: named,
  task,
  job,
  run_id: text(36).nonNullable().defined(),
  failures: count(0).defined(),
  failing_since: instant().defined(),
} satisfies Shape<Omit<Notice, 'output' | 'digest' | 'link'>>;

const digest = object({
  count: count(0).defined(),
  first_at: time,
  last_at: time,
  failures: array()
    .of(object({ occurred_at: time, reason, task, job }).noUnknown())
    .defined(),
} satisfies Shape<NoticeDigest>)
  .noUnknown()
  .nullable()
  .defined();

/** A notice without what a delivery adds: the output, other failures that it reports, and where people read more. */
export const storedNotice = object(stored).noUnknown();

/** What an action tells. */
export const notice = object({
  ...stored,
  output: text(65_535).defined(),
  digest,
  link: text(65_535).defined(),
}).noUnknown();
