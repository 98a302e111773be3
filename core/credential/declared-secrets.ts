import { App, type AppRow } from '../app/app.ts';
import { secretVariables } from '../app/declarations.ts';
import type { ValuePath } from '../field/value-path.ts';
import type { Where } from '../store/query.ts';
import type { Tables } from '../store/store.ts';
import { secretKeywords } from './credential-field.ts';
import { CredentialType } from './credential-type.ts';

/**
 * Returns the names of the variables that one of these apps, or any credential type, declares secret. A company's
 * environment reaches all of its jobs, so for a company every app counts.
 */
export async function declaredSecrets(tables: Tables, apps: Where<AppRow> = []): Promise<ReadonlySet<string>> {
  const [declaring, types] = await Promise.all([
    tables.of(App).find({ where: apps, columns: ['environment'] }),
    secretsOfCredentialTypes(tables),
  ]);
  return new Set([...declaring.flatMap(({ environment }) => secretVariables(environment)), ...types]);
}

/** Returns the names of the variables that any credential type declares secret. */
export async function secretsOfCredentialTypes(tables: Tables): Promise<string[]> {
  const types = await tables.of(CredentialType).find({ columns: ['fields'] });
  return types.flatMap(({ fields }) => secretKeywords(fields));
}

/** Returns the paths of the secrets in a field that sets environment variables. */
export function secretPaths(field: string, values: object, secretVariables: ReadonlySet<string>): ValuePath[] {
  return Object.keys(values).flatMap((key) => (secretVariables.has(key) ? [[field, key]] : []));
}
