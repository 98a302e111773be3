import { App, type AppRow } from '../app/app.ts';
import { Company, type CompanyRow } from '../company/company.ts';
import { Credential, type CredentialRow } from '../credential/credential.ts';
import { CredentialType, type CredentialTypeRow } from '../credential/credential-type.ts';
import { readByIds } from '../store/read-by-ids.ts';
import type { Tables } from '../store/store.ts';
import type { Claim } from './claim-jobs.ts';

/** The records that say what jobs are started with, by their ids. */
export interface RelatedRecords {
  readonly apps: ReadonlyMap<number, AppRow>;
  readonly companies: ReadonlyMap<number, CompanyRow>;
  readonly credentials: ReadonlyMap<number, CredentialRow>;
  readonly types: ReadonlyMap<number, CredentialTypeRow>;
}

export async function readRelatedRecords(tables: Tables, claims: readonly Claim[]): Promise<RelatedRecords> {
  const ids = {
    apps: claims.map(({ template }) => template.app_id),
    companies: claims.map(({ job }) => job.company_id),
    credentials: claims.flatMap(({ template }) => template.credentials),
  };
  const [apps, companies, credentials] = await Promise.all([
    readByIds(tables, App, ids.apps),
    readByIds(tables, Company, ids.companies),
    readByIds(tables, Credential, ids.credentials),
  ]);
  const typeIds = [...credentials.values()].flatMap((credential) => credential.credential_type_id ?? []);
  return { apps, companies, credentials, types: await readByIds(tables, CredentialType, typeIds) };
}
