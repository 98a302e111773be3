import { AuditTrail } from './audit/audit-trail.ts';
import type { AuditedStore } from './audit/audited-store.ts';
import { Records } from './audit/records.ts';
import type { Reaction } from './audit/removal.ts';
import type { CoreOptions } from './core-options.ts';
import type { RecordFields } from './resource/define-resource.ts';
import type { Surroundings } from './resource/surroundings.ts';
import { allResources, allTables, findResource } from './resources.ts';
import { keepLiveJob } from './run/kept-files.ts';
import { sealGivenValues } from './run/seal-given-values.ts';
import { followApp, followCompany, followOwnTemplate } from './schedule/follow-records.ts';
import { sealNewlyDeclared } from './schedule/seal-newly-declared.ts';
import { endLoginTokens } from './user/end-login-tokens.ts';
import { keepSuperAdminRole, keepSuperAdminUser } from './user/last-super-admin.ts';
import { permissionGuard } from './user/permission-guard.ts';

type Options = Omit<CoreOptions, 'store'> & { readonly store: AuditedStore };

/**
 * The records of every resource by its name, with what follows from their changes.
 * @param wake called after changes that background work should look at.
 */
export function allRecords(options: Options, wake: () => void): ReadonlyMap<string, Records<RecordFields>> {
  const { store, timezone, executors, actions, eventSourceKinds, vault, passwords, checkPattern } = options;
  const service: Surroundings = {
    timezone,
    executors,
    actions,
    eventSourceKinds,
    vault,
    hasher: passwords,
    checkPattern,
  };
  const sealing = sealNewlyDeclared(service, sealGivenValues);
  const wakes: Reaction<RecordFields> = async (_change, tables) => tables.afterCommit(wake);
  const reactions = {
    RunTemplate: [followOwnTemplate, wakes],
    App: [followApp, sealing.app, wakes],
    Company: [followCompany, wakes],
    CredentialType: [sealing.credentialType],
    User: [endLoginTokens, keepSuperAdminUser],
    UserRoles: [keepSuperAdminRole],
    Job: [keepLiveJob],
  };
  const context = { store, guard: permissionGuard, find: findResource, service, tables: allTables, reactions };
  return new Map(
    [...allResources, AuditTrail].map((resource) => [resource.name, new Records<RecordFields>(resource, context)]),
  );
}
