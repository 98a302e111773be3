import type { AppRow } from '../app/app.ts';
import { secretVariables, type Variable } from '../app/declarations.ts';
import { checkVariable } from '../app/variable-value.ts';
import { declaredKeysOf, undeclaredKeyErrors } from '../credential/declared-keys.ts';
import { secretsOfCredentialTypes } from '../credential/declared-secrets.ts';
import { invalid } from '../errors.ts';
import { isCiphertext, mask } from '../secret/ciphertext.ts';
import { assertMayEncrypt } from '../secret/key-registry.ts';
import { excessErrors } from '../secret/secrets-size.ts';
import { isShortSecret, warnOfShortSecrets } from '../secret/short-secrets.ts';
import type { Vault } from '../secret/vault.ts';
import type { Tables } from '../store/store.ts';
import type { RunTemplateRow } from '../template/run-template.ts';
import type { JobRow } from './job.ts';

/** Values of environment variables by name. */
export type Texts = Readonly<Record<string, string>>;

/** The template of a job, and its App as it is stored. */
export interface OverridesOwner {
  readonly template: Pick<RunTemplateRow, 'id' | 'credentials'>;
  readonly app: Pick<AppRow, 'id' | 'environment'>;
}

/**
 * Checks the overrides of a job, its one-off environment values, and encrypts the secrets among them. The mask as a value
 * stands for the secret that is stored already.
 * @throws HorariumError `invalid` naming each key that is not declared, unless its value is stored already, and each with
 *   an invalid value.
 */
export async function encryptOverrides(
  tables: Tables,
  vault: Vault,
  owner: OverridesOwner,
  values: Texts,
  stored: Texts = {},
): Promise<Record<string, string>> {
  if (Object.keys(values).length === 0) return {};
  await checkOverrides(tables, owner, values, stored);
  const { template, app } = owner;
  const secrets = new Set([...secretVariables(app.environment), ...(await secretsOfCredentialTypes(tables))]);
  if (Object.keys(values).some((key) => secrets.has(key))) await assertMayEncrypt(tables, vault);
  checkSize(vault, template.id, values, stored, secrets);
  const short = Object.keys(values).filter((key) => secrets.has(key) && isShortSecret(values[key] as string));
  warnOfShortSecrets(
    tables,
    short.map((key) => `environment.${key}`),
  );
  return mapTexts(values, (key, value) => {
    if (value === mask) return stored[key] as string;
    return secrets.has(key) ? encryptOverride(vault, template.id, key, value) : value;
  });
}

async function checkOverrides(
  tables: Tables,
  { template, app }: OverridesOwner,
  values: Texts,
  stored: Texts,
): Promise<void> {
  const declared = await declaredKeysOf(tables, app, template.credentials);
  const shown = maskOverrides(stored);
  const changed = Object.keys(values).filter((key) => !Object.hasOwn(shown, key) || values[key] !== shown[key]);
  const errors = undeclaredKeyErrors('environment', changed, declared);
  for (const [key, value] of Object.entries(values)) {
    const variable = Object.hasOwn(declared.variables, key) ? (declared.variables[key] as Variable) : {};
    const problem = overrideProblem(variable, value, stored[key]);
    if (problem !== null) errors.push({ field: `environment.${key}`, message: `environment.${key} ${problem}` });
  }
  if (errors.length > 0) throw invalid('Job', errors);
}

/** @throws HorariumError `invalid` naming the value with which the secrets are too large together. */
function checkSize(vault: Vault, templateId: number, values: Texts, stored: Texts, secrets: ReadonlySet<string>): void {
  const given = Object.entries(values).filter(([key]) => secrets.has(key));
  const kept = given.filter(([, value]) => value === mask);
  const changed = given.filter(([, value]) => value !== mask);
  const errors = excessErrors(
    kept.map(
      ([key]) =>
        () =>
          decryptOverride(vault, templateId, key, stored[key] as string),
    ),
    changed.map(([key, plain]) => ({ field: `environment.${key}`, plain })),
  );
  if (errors.length > 0) throw invalid('Job', errors);
}

/** Returns the end of a sentence that says what is wrong with a value; null where nothing is. */
function overrideProblem(variable: Variable, value: string, stored: string | undefined): string | null {
  if (value === mask) return isCiphertext(stored) ? null : 'must be given in full: the mask stands for nothing here';
  return isCiphertext(value) ? 'may not begin like an encrypted value' : checkVariable(variable, value);
}

/** Encrypts one value, bound to its key and template: retries copy it to other jobs of the template. */
export function encryptOverride(vault: Vault, templateId: number, key: string, plain: string): string {
  return vault.encrypt(plain, encryptionContext(templateId, key));
}

/** Masks the secrets among stored overrides. The variables that the service sets are left out. */
export function maskOverrides(stored: Texts): Record<string, string> {
  return mapTexts(splitOverrides(stored).given, (_key, value) => (isCiphertext(value) ? mask : value));
}

/**
 * Splits stored overrides into those that were given for the job, and the variables that tell it of the
 * event that caused it; people can set none of these.
 */
export function splitOverrides(stored: Texts): { readonly given: Texts; readonly event: Texts } {
  const [event = [], given = []] = [true, false].map((isEvent) =>
    Object.entries(stored).filter(([key]) => key.startsWith('EVENT_') === isEvent),
  );
  return { given: Object.fromEntries(given), event: Object.fromEntries(event) };
}

/** Decrypts the secrets among stored overrides. */
export function decryptOverrides(vault: Vault, templateId: number, stored: Texts): Texts {
  return mapTexts(stored, (key, value) => decryptOverride(vault, templateId, key, value));
}

function decryptOverride(vault: Vault, templateId: number, key: string, value: string): string {
  return isCiphertext(value) ? vault.decrypt(value, encryptionContext(templateId, key)) : value;
}

/** Encrypts the secrets among the overrides of a job again, with the newest key of the vault. */
export function reencryptOverrides(
  vault: Vault,
  { runtemplate_id: templateId, overrides }: Pick<JobRow, 'runtemplate_id' | 'overrides'>,
): Texts {
  return mapTexts(overrides, (key, value) =>
    isCiphertext(value)
      ? encryptOverride(vault, templateId, key, decryptOverride(vault, templateId, key, value))
      : value,
  );
}

function encryptionContext(templateId: number, key: string): string {
  return `RunTemplate ${templateId} one-off ${key}`;
}

function mapTexts(texts: Texts, map: (key: string, value: string) => string): Record<string, string> {
  return Object.fromEntries(Object.entries(texts).map(([key, value]) => [key, map(key, value)]));
}
