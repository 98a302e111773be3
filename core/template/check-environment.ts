import { hasPlaceholder } from '../app/placeholder.ts';
import { checkVariable } from '../app/variable-value.ts';
import { readDeclaredKeys, undeclaredKeyErrors } from '../credential/declared-keys.ts';
import type { CheckContext } from '../resource/define-resource.ts';
import { isCiphertext } from '../secret/ciphertext.ts';

interface EnvironmentFields {
  readonly app_id: number;
  readonly credentials: readonly number[];
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * Checks the new and changed values of a template's environment against what its App and the types of its credentials
 * declare; all values when it changes to another App or other credentials. A value with a placeholder is checked when a
 * job starts, once the placeholder is replaced. Unchanged values whose declaration was removed stay, but reach no job.
 */
export async function checkEnvironment(
  template: EnvironmentFields,
  { tables, before, errors }: CheckContext<EnvironmentFields>,
): Promise<void> {
  const stored = before && declaresAlike(before, template) ? before.environment : {};
  const changed = Object.entries(template.environment).filter(([key, value]) => value !== stored[key]);
  if (changed.length === 0) return;
  const declared = await readDeclaredKeys(tables, template);
  const keys = changed.map(([key]) => key);
  errors.push(...undeclaredKeyErrors('environment', keys, declared));
  for (const [key, value] of changed) {
    if (isCiphertext(value) || hasPlaceholder(value) || !Object.hasOwn(declared.variables, key)) continue;
    const problem = checkVariable(declared.variables[key] ?? {}, value);
    const field = `environment.${key}`;
    if (problem) errors.push({ field, message: `${field} ${problem}` });
  }
}

/** Whether two versions of a template have the same App and credentials. */
function declaresAlike(before: EnvironmentFields, after: EnvironmentFields): boolean {
  const removed = before.credentials.some((id) => !after.credentials.includes(id));
  return before.app_id === after.app_id && !removed;
}
