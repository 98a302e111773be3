import { App } from '../app/app.ts';
import { checkVariable, hasPlaceholder } from '../app/variable-value.ts';
import type { CheckContext } from '../resource/define-resource.ts';
import { isCiphertext } from '../secret/ciphertext.ts';

interface WithEnvironment {
  readonly app_id: number;
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * Checks the values that a template gives to variables against the types that its App declares, where they are new. A
 * value with a placeholder is checked when a job starts, once it is complete.
 */
export async function checkEnvironment(
  { app_id, environment }: WithEnvironment,
  { tables, before, refuse }: CheckContext<WithEnvironment>,
): Promise<void> {
  const stored = before?.app_id === app_id ? before.environment : {};
  const given = Object.entries(environment).filter(
    ([key, value]) => value !== stored[key] && !isCiphertext(value) && !hasPlaceholder(value),
  );
  if (given.length === 0) return;
  const [app] = await tables.of(App).find({ where: [['id', '=', app_id]], columns: ['environment'] });
  for (const [key, value] of given) {
    const variable = Object.hasOwn(app?.environment ?? {}, key) ? app?.environment[key] : undefined;
    const problem = variable ? checkVariable(variable, value) : null;
    if (problem) refuse(`environment.${key}`, `environment.${key} ${problem}`);
  }
}
