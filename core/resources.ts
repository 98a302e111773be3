import { App } from './app/app.ts';
import { Topic } from './app/topic.ts';
import { AuditLog } from './audit/audit-log.ts';
import { Company } from './company/company.ts';
import { CompanyUser } from './company/company-user.ts';
import { Credential } from './credential/credential.ts';
import { CredentialType } from './credential/credential-type.ts';
import { EventRule } from './event/event-rule.ts';
import { EventSource } from './event/event-source.ts';
import { ExternalLease } from './external/external-lease.ts';
import { Artifact, ArtifactContent } from './job/artifact.ts';
import { Job } from './job/job.ts';
import { JobOutput } from './job/job-output.ts';
import { encryptedOverrides } from './job/overrides.ts';
import { IdempotencyRecord } from './records/idempotency-record.ts';
import type { AnyResource } from './resource/define-resource.ts';
import { type EncryptedTable, encryptedTablesOf } from './secret/encrypted-tables.ts';
import { Setting } from './store/setting.ts';
import type { TableDescription } from './store/table.ts';
import { Task } from './task/task.ts';
import { RunTemplate } from './template/run-template.ts';
import { Schedule } from './template/schedule.ts';
import { LoginAttempt } from './user/login-throttle.ts';
import { isAdmin } from './user/permissions.ts';
import { Token } from './user/token.ts';
import { User } from './user/user.ts';
import { UserRoles } from './user/user-roles.ts';
import { Worker, workersWithoutKey } from './worker/worker.ts';

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
  IdempotencyRecord,
  LoginAttempt,
] as readonly TableDescription[];

/** Every table of the store, each after those it refers to. */
export const allTables: readonly TableDescription[] = [...allResources, ...bookkeeping];

const encryptedTables: readonly EncryptedTable[] = [...encryptedTablesOf(allTables), encryptedOverrides];

/** What a rotation of the vault must know of other rooms: where secrets are, who may rotate, and which workers run. */
export const rotationRules = { tables: encryptedTables, mayRotate: isAdmin, workersWithoutKey };

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
  'IdempotencyRecord',
  'LoginAttempt',
];

const byName = new Map(allResources.map((resource) => [resource.name, resource]));

/** The resource of that name, as the API writes it. */
export function findResource(name: string): AnyResource {
  const resource = byName.get(name);
  if (!resource) throw new Error(`There is no resource ${name}.`);
  return resource;
}
