import { AuditTrail } from './audit/audit-trail.ts';
import type { AuditedStore } from './audit/audited-store.ts';
import type { CoreOptions } from './core-options.ts';
import { encryptNewKeysOfApp, encryptNewKeysOfCredentialType } from './job/encrypt-newly-declared.ts';
import { refuseLiveJobDeletion } from './job/store-artifacts.ts';
import { Records } from './records/records.ts';
import type { Reaction } from './records/removal.ts';
import type { RecordServices } from './resource/record-services.ts';
import { allResources, allTables, findResource } from './resources.ts';
import { onAppChange, onCompanyChange, onTemplateChange } from './scheduler/schedule-reactions.ts';
import type { AnyRow } from './store/table.ts';
import { endLoginTokens } from './user/end-login-tokens.ts';
import { keepSuperAdminRole, keepSuperAdminUser } from './user/last-super-admin.ts';
import { permissionGuard } from './user/permission-guard.ts';

type Options = Omit<CoreOptions, 'store'> & { readonly store: AuditedStore };

/**
 * The records of every resource by its name, with what follows from their changes.
 * @param wake called after changes that background work should look at.
 */
export function allRecords(options: Options, wake: () => void): ReadonlyMap<string, Records> {
  const { store, timezone, executors, actions, eventSourceKinds, vault, passwords, checkPattern } = options;
  const service: RecordServices = {
    timezone,
    executors,
    actions,
    eventSourceKinds,
    vault,
    hasher: passwords,
    checkPattern,
  };
  const wakes: Reaction<AnyRow> = async (_change, tables) => tables.afterCommit(wake);
  const reactions = {
    RunTemplate: [onTemplateChange, wakes],
    App: [onAppChange, encryptNewKeysOfApp(service), wakes],
    Company: [onCompanyChange, wakes],
    CredentialType: [encryptNewKeysOfCredentialType(service)],
    User: [endLoginTokens, keepSuperAdminUser],
    UserRoles: [keepSuperAdminRole],
    Job: [refuseLiveJobDeletion],
  };
  const context = { store, guard: permissionGuard, find: findResource, service, tables: allTables, reactions };
  return new Map([...allResources, AuditTrail].map((resource) => [resource.name, new Records(resource, context)]));
}
