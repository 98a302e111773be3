import { App } from '../app/app.ts';
import { declaredSecrets } from '../credential/declared-secrets.ts';
import { type FieldError, invalid } from '../errors.ts';
import { isCiphertext, mask } from '../secret/ciphertext.ts';
import { assertRotationKey } from '../secret/rotation-key.ts';
import type { Vault } from '../secret/vault.ts';
import type { Tables } from '../store/store.ts';
import type { RunTemplateRow } from '../template/run-template.ts';

type Texts = Readonly<Record<string, string>>;

/**
 * Values for one job alone as they are stored: only keys that the App declares, secrets sealed. The mask in place of a
 * secret keeps the one that is stored.
 * @throws HorariumError `invalid` naming each key that is not declared.
 */
export async function encryptOverrides(
  tables: Tables,
  vault: Vault,
  template: RunTemplateRow,
  given: Texts,
  stored: Texts = {},
): Promise<Record<string, string>> {
  if (Object.keys(given).length === 0) return {};
  const [app] = await tables.of(App).find({ where: [['id', '=', template.app_id]], columns: ['environment'] });
  const declared = app?.environment ?? {};
  const errors: FieldError[] = Object.entries(given).flatMap(([key, value]) => {
    const field = `environment.${key}`;
    if (!Object.hasOwn(declared, key))
      return [{ field, message: `${field} is not declared by App ${template.app_id}` }];
    if (value === mask && isCiphertext(stored[key])) return [];
    if (value === mask) return [{ field, message: `${field} must be given in full: the mask stands for nothing here` }];
    return isCiphertext(value) ? [{ field, message: `${field} may not begin like an encrypted value` }] : [];
  });
  if (errors.length > 0) throw invalid('Job', errors);
  const secret = await declaredSecrets(tables, [['id', '=', template.app_id]]);
  if (Object.keys(given).some((key) => secret.has(key))) await assertRotationKey(tables, vault);
  const sealed = (key: string, value: string): string => {
    if (value === mask) return stored[key] as string;
    return secret.has(key) ? encryptOverride(vault, template.id, key, value) : value;
  };
  return Object.fromEntries(Object.entries(given).map(([key, value]) => [key, sealed(key, value)]));
}

/** One secret value for one job, as it is stored. */
export function encryptOverride(vault: Vault, templateId: number, key: string, plain: string): string {
  return vault.encrypt(plain, contextOf(templateId, key));
}

/** The same values as people see them. */
export function maskOverrides(stored: Texts): Record<string, string> {
  return Object.fromEntries(Object.entries(stored).map(([key, value]) => [key, isCiphertext(value) ? mask : value]));
}

/** The same values, opened. */
export function decryptOverrides(vault: Vault, templateId: number, stored: Texts): Texts {
  return Object.fromEntries(
    Object.entries(stored).map(([key, value]) => [
      key,
      isCiphertext(value) ? vault.decrypt(value, contextOf(templateId, key)) : value,
    ]),
  );
}

/** The same values as they are stored, with what is sealed among them sealed anew under the newest key. */
export function reencryptOverrides(vault: Vault, templateId: number, stored: Texts): Record<string, string> {
  const opened = decryptOverrides(vault, templateId, stored);
  return Object.fromEntries(
    Object.entries(stored).map(([key, value]) => [
      key,
      isCiphertext(value) ? encryptOverride(vault, templateId, key, opened[key] as string) : value,
    ]),
  );
}

/** Retries of a job take its values over, so they are bound to the template, not to one job. */
function contextOf(templateId: number, key: string): string {
  return `RunTemplate ${templateId} one-off ${key}`;
}
