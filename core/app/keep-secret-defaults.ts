import { isCiphertext, mask } from '../secret/ciphertext.ts';
import type { AppRow } from './app.ts';
import type { AppInput } from './app-input.ts';
import { isSecretType, type Variable } from './declarations.ts';

/**
 * An import that leaves out the default of a secret variable keeps the stored one: exported definitions leave all of
 * them out, and taking one back must not clear them. `stored` is the row as the store holds it, secrets sealed.
 */
export function keepSecretDefaults(input: AppInput, stored: Pick<AppRow, 'environment'> | undefined): AppInput {
  if (!input.environment || !stored) return input;
  const kept = (key: string, { type, default: given }: Variable) =>
    isSecretType(type) && given === undefined && isCiphertext(stored.environment[key]?.default);
  const environment = Object.entries(input.environment).map(([key, variable]) => [
    key,
    kept(key, variable) ? { ...variable, default: mask } : variable,
  ]);
  return { ...input, environment: Object.fromEntries(environment) };
}
