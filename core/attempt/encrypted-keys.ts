import type { AppRow } from '../app/app.ts';
import { containsCiphertext } from '../secret/ciphertext.ts';
import type { Claim } from './claim-jobs.ts';
import type { RelatedRecords } from './related-records.ts';

/**
 * The keys of a job's environment that some layer holds encrypted. They are secret also where neither its App nor its
 * credentials declare them so: another App of the company may, or whoever stored them was promised that they would be.
 */
export function encryptedKeys(
  { job, template }: Claim,
  app: AppRow,
  { companies, credentials, types }: RelatedRecords,
): string[] {
  const used = template.credentials.flatMap((id) => credentials.get(id) ?? []);
  const fields = used.flatMap(({ credential_type_id: id }) => (id === null ? [] : (types.get(id)?.fields ?? [])));
  const layers: readonly Readonly<Record<string, unknown>>[] = [
    app.environment,
    companies.get(job.company_id)?.environment ?? {},
    template.environment,
    job.overrides,
    ...used.map(({ values }) => values),
  ];
  return [
    ...layers.flatMap((layer) => Object.keys(layer).filter((key) => containsCiphertext(layer[key]))),
    ...fields.filter(containsCiphertext).map(({ keyword }) => keyword),
  ];
}
