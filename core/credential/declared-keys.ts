import { App, type AppRow } from '../app/app.ts';
import type { Variable } from '../app/declarations.ts';
import type { FieldError } from '../errors.ts';
import { didYouMean } from '../registry/did-you-mean.ts';
import { readByIds } from '../store/rows.ts';
import type { Tables } from '../store/store.ts';
import { Credential } from './credential.ts';
import { CredentialType } from './credential-type.ts';

/** The environment that jobs of a run template may get. */
export interface DeclaredKeys {
  readonly appId: number;
  /** The variables that the App declares. */
  readonly variables: Readonly<Record<string, Variable>>;
  /** All keys: those of the App, and the keywords of the types of the credentials that the template lists. */
  readonly keys: ReadonlySet<string>;
}

/** Reads what the App and the types of the credentials of a run template declare. */
export async function readDeclaredKeys(
  tables: Tables,
  { app_id: id, credentials }: { readonly app_id: number; readonly credentials: readonly number[] },
): Promise<DeclaredKeys> {
  const [[app], keywords] = await Promise.all([
    tables.of(App).find({ where: [['id', '=', id]], columns: ['environment'] }),
    keywordsOf(tables, credentials),
  ]);
  return declaredKeys({ id, environment: app?.environment ?? {} }, keywords);
}

/** Returns what an App that was read and the types of these credentials declare. */
export async function declaredKeysOf(
  tables: Tables,
  app: Pick<AppRow, 'id' | 'environment'>,
  credentials: readonly number[],
): Promise<DeclaredKeys> {
  return declaredKeys(app, await keywordsOf(tables, credentials));
}

/** Reads the keywords of the types of these credentials. */
async function keywordsOf(tables: Tables, credentials: readonly number[]): Promise<string[]> {
  const listed = await readByIds(tables, Credential, credentials);
  const typeIds = [...listed.values()].flatMap(({ credential_type_id: id }) => id ?? []);
  const types = await readByIds(tables, CredentialType, typeIds);
  return [...types.values()].flatMap(({ fields }) => fields.map(({ keyword }) => keyword));
}

function declaredKeys({ id, environment }: Pick<AppRow, 'id' | 'environment'>, keywords: string[]): DeclaredKeys {
  return { appId: id, variables: environment, keys: new Set([...Object.keys(environment), ...keywords]) };
}

/** The maximum number of declared keys that an error lists, and of keys for which a similar one is looked for. */
const maxListed = 20;

/** Returns an error for each key of a field that is not declared and would therefore never reach a job. */
export function undeclaredKeyErrors(
  field: string,
  keys: readonly string[],
  { appId, keys: declared }: DeclaredKeys,
): FieldError[] {
  const names = [...declared];
  const more = names.length > maxListed ? ` and ${names.length - maxListed} more` : '';
  const known =
    names.length === 0 ? 'nothing is declared' : `declared are ${names.slice(0, maxListed).join(', ')}${more}`;
  return keys
    .filter((key) => !declared.has(key))
    .map((key, index) => {
      const hint = index < maxListed ? didYouMean(key, names) : '';
      const message = `${field}.${key} is declared neither by App ${appId} nor by the type of a credential of the template; ${known}${hint && `.${hint}`}`;
      return { field: `${field}.${key}`, message };
    });
}
