import { App } from '../app/app.ts';
import { secretVariables } from '../app/declarations.ts';
import type { ValuePath } from '../field/value-path.ts';
import type { Tables, Where } from '../store/store.ts';
import { CredentialType, isSecretField } from './credential-type.ts';

/**
 * The environment keys whose values are secret: those that one of these apps, or any credential type, declares so.
 * A company's environment reaches all of its jobs, so for it every app counts.
 */
export async function declaredSecrets(tables: Tables, apps: Where = []): Promise<ReadonlySet<string>> {
  const [declaring, types] = await Promise.all([
    tables.of(App).find({ where: apps, columns: ['environment'] }),
    tables.of(CredentialType).find({ columns: ['fields'] }),
  ]);
  return new Set([
    ...declaring.flatMap(({ environment }) => secretVariables(environment)),
    ...types.flatMap(({ fields }) => fields.filter(isSecretField).map(({ keyword }) => keyword)),
  ]);
}

/** The places of the secrets in a field that sets environment variables. */
export function secretKeys(field: string, values: object, secret: ReadonlySet<string>): ValuePath[] {
  return Object.keys(values).flatMap((key) => (secret.has(key) ? [[field, key]] : []));
}
