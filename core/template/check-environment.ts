import { App } from '../app/app.ts';
import { hasPlaceholder } from '../app/placeholder.ts';
import { checkVariable } from '../app/variable-value.ts';
import type { CheckContext } from '../resource/define-resource.ts';
import { isCiphertext } from '../secret/ciphertext.ts';

interface EnvironmentFields {
  readonly app_id: number;
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * Checks the new and changed values of a template's environment against the types that its App declares. A value with a
 * placeholder is checked when a job starts, once the placeholder is replaced.
 */
export async function checkEnvironment(
  { app_id, environment }: EnvironmentFields,
  { tables, before, errors }: CheckContext<EnvironmentFields>,
): Promise<void> {
  const stored = before?.app_id === app_id ? before.environment : {};
  const changed = Object.entries(environment).filter(
    ([key, value]) => value !== stored[key] && !isCiphertext(value) && !hasPlaceholder(value),
  );
  if (changed.length === 0) return;
  const [app] = await tables.of(App).find({ where: [['id', '=', app_id]], columns: ['environment'] });
  for (const [key, value] of changed) {
    const variable = Object.hasOwn(app?.environment ?? {}, key) ? app?.environment[key] : undefined;
    const problem = variable ? checkVariable(variable, value) : null;
    const field = `environment.${key}`;
    if (problem) errors.push({ field, message: `${field} ${problem}` });
  }
}
