import { array, number, object, string } from 'yup';
import { CompanyUser } from './company/company-user.ts';
import { type FieldTable, fieldTable } from './field/field-table.ts';
import { count, instant, text } from './field/fields.ts';
import { json } from './field/structured.ts';
import { Artifact } from './job/artifact.ts';
import { Job } from './job/job.ts';
import type { AnyResource } from './resource/define-resource.ts';
import { Task } from './task/task.ts';
import { RunTemplate } from './template/run-template.ts';
import { User } from './user/user.ts';

const file = object({
  id: number().integer().min(1).required(),
  filename: string().required(),
  content_type: string().required(),
  size: number().integer().min(0).required(),
  sha256: string().required(),
}).noUnknown();

const scheduleFields = fieldTable({
  last_scheduled_at: instant({ readOnly: true, description: 'When its last Task was made.' }),
  next_scheduled_at: instant({ readOnly: true, description: 'Start of the first window that has no Task yet.' }),
  successful_jobs_count: count(0, { readOnly: true }),
  failed_jobs_count: count(0, { readOnly: true }),
});

const jobFields = fieldTable({
  stdout: text(65_536, { readOnly: true, description: 'The last 64 KiB.' }).default('').nonNullable(),
  stderr: text(65_536, { readOnly: true, description: 'The last 64 KiB.' }).default('').nonNullable(),
  artifacts: json(array().of(file).defined(), [], { readOnly: true, description: 'The files that it left.' }),
});

const member = object({
  id: number().integer().min(1).required(),
  login: string().required(),
  email: string().nullable().defined(),
  first_name: string().nullable().defined(),
  last_name: string().nullable().defined(),
}).noUnknown();

const memberFields = fieldTable({
  user: json(
    member,
    { id: 2, login: 'jane', email: 'jane@acme.example', first_name: 'Jane', last_name: 'Doe' },
    { readOnly: true },
  ),
});

/** What `show` adds to the fields of a record, described as they are; the records that it embeds are not among them. */
export function computedFields(resource: AnyResource, detail: 'item' | 'list'): FieldTable {
  if (resource.name === RunTemplate.name) return scheduleFields;
  if (resource.name === CompanyUser.name) return memberFields;
  return resource.name === Job.name && detail === 'item' ? jobFields : [];
}

const none: Readonly<Record<string, AnyResource>> = {};
const user = { user: User };
const artifacts = { artifacts: Artifact };
const jobs = { jobs: Job };

/** Of what kind the records are that `show` puts into a record, by the field that holds them. */
export function embeddedResources(
  resource: AnyResource,
  detail: 'item' | 'list',
): Readonly<Record<string, AnyResource>> {
  if (resource.name === CompanyUser.name) return user;
  if (detail === 'list') return none;
  if (resource.name === Job.name) return artifacts;
  return resource.name === Task.name ? jobs : none;
}
