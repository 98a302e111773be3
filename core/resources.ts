import { App } from './app/app.ts';
import { Topic } from './app/topic.ts';
import { AuditLog } from './audit/audit-log.ts';
import { Repeat } from './audit/repeat.ts';
import { Company } from './company/company.ts';
import { CompanyUser } from './company/membership.ts';
import { Credential } from './credential/credential.ts';
import { CredentialType } from './credential/credential-type.ts';
import { EventRule } from './event/event-rule.ts';
import { EventSource } from './event/event-source.ts';
import type { AnyResource, TableDescription } from './resource/define-resource.ts';
import { Setting } from './resource/setting.ts';
import { Artifact, ArtifactContent } from './run/artifact.ts';
import { ExternalLease } from './run/external-lease.ts';
import { JobOutput } from './run/job-output.ts';
import { Worker } from './run/worker.ts';
import { Job } from './schedule/job.ts';
import { RunTemplate } from './schedule/run-template.ts';
import { Schedule } from './schedule/schedule.ts';
import { Task } from './schedule/task.ts';
import { Guess } from './user/guess.ts';
import { Token } from './user/token.ts';
import { User } from './user/user.ts';
import { UserRoles } from './user/user-roles.ts';

/** Every kind of record, each after those it refers to. All of them are audited. */
export const allResources: readonly AnyResource[] = [
  Topic,
  App,
  Company,
  User,
  UserRoles,
  Token,
  CompanyUser,
  CredentialType,
  Credential,
  RunTemplate,
  Task,
  Job,
  Artifact,
  EventSource,
  EventRule,
];

/** The service's own books, and the audit log itself: changes of them are no changes of a record. */
const bookkeeping: readonly TableDescription[] = [
  AuditLog,
  Schedule,
  Worker,
  ExternalLease,
  JobOutput,
  ArtifactContent,
  Setting,
  Repeat,
  Guess,
] as readonly TableDescription[];

/** Every table of the store, each after those it refers to. */
export const allTables: readonly TableDescription[] = [...allResources, ...bookkeeping];

/**
 * What is not audited, written down so that nothing joins it unnoticed: the log itself, where schedulers stand and
 * their counters, leases, output, the bytes of files (their records are audited), what the store knows of itself, the
 * answers to requests that may be sent again, and how often somebody guessed wrong.
 */
export const notAudited: readonly string[] = [
  'AuditLog',
  'Schedule',
  'Worker',
  'ExternalLease',
  'JobOutput',
  'ArtifactContent',
  'Setting',
  'Repeat',
  'Guess',
];

const byName = new Map(allResources.map((resource) => [resource.name, resource]));

/** The resource of that name, as the API writes it. */
export function findResource(name: string): AnyResource {
  const resource = byName.get(name);
  if (!resource) throw new Error(`There is no resource ${name}.`);
  return resource;
}
