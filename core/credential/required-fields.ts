import { eachPage, type PageQuery } from '../store/rows.ts';
import type { Tables } from '../store/store.ts';
import { Credential, type CredentialRow } from './credential.ts';
import { type CredentialField, isMissing } from './credential-field.ts';
import type { CredentialTypeRow } from './credential-type.ts';

const batchSize = 500;
const maxNamed = 10;

/**
 * Reacts to a change of a credential type: warns of the credentials that lack a value which the change makes required.
 * Jobs go on with these as they are, because their owners did not ask for the change; the next save needs the value.
 */
export async function warnOfMissingValues(
  { before, after }: { readonly before: CredentialTypeRow | undefined; readonly after: CredentialTypeRow | undefined },
  tables: Tables,
): Promise<void> {
  if (!before || !after) return;
  const wasRequired = new Set(before.fields.filter(({ required }) => required).map(({ keyword }) => keyword));
  const added = after.fields.filter(({ required, keyword }) => required && !wasRequired.has(keyword));
  if (added.length === 0) return;
  const lacking = await credentialsLacking(tables, after.id, added);
  if (lacking.length === 0) return;
  const more = lacking.length - maxNamed;
  const ids = `${lacking.slice(0, maxNamed).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  const keywords = added.map(({ keyword }) => keyword).join(', ');
  tables.warn(`Credential ${ids}: no value for ${keywords}; jobs get what is stored, and the next save needs a value`);
}

async function credentialsLacking(tables: Tables, typeId: number, fields: readonly CredentialField[]) {
  const lacking: number[] = [];
  const read = (page: PageQuery<CredentialRow>) => tables.of(Credential).find(page);
  for await (const rows of eachPage(read, { where: [['credential_type_id', '=', typeId]], size: batchSize }))
    for (const { id, values } of rows) if (fields.some((field) => isMissing(field, values))) lacking.push(id);
  return lacking;
}
