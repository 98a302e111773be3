import { array, object, string } from 'yup';
import type { FieldError } from '../errors.ts';
import type { ValuePath } from '../field/value-path.ts';
import { keepStoredSecrets, readOptions, secretOptionPaths } from '../records/plugin-options.ts';
import type { OptionSchemas } from '../resource/record-services.ts';

/**
 * An action that a template runs when a Task or an ad hoc job of it ends: the name of a plugin's action, and its options.
 * No plugin can provide actions yet, so any action is rejected.
 */
export interface TemplateAction extends Readonly<Record<string, unknown>> {
  readonly action: string;
}

const action = object({ action: string().max(64).required() });
/** The actions for one kind of ending: success, failure or a missed window. */
export const actions = array().of(action).max(50).defined();

export const actionFields = ['on_success', 'on_failure', 'on_missed'] as const;
export type ActionLists = Record<(typeof actionFields)[number], readonly TemplateAction[]>;

/**
 * Validates a list of actions against the options that their plugins declare, and completes it with the stored secrets
 * that the input leaves out. Unknown actions and invalid options are added to `errors`.
 */
export function readActions(
  field: string,
  input: readonly TemplateAction[],
  stored: readonly TemplateAction[] | undefined,
  schemas: OptionSchemas,
  errors: FieldError[],
): TemplateAction[] {
  return input.map(({ action, ...options }, index) => {
    const schema = schemas.get(action);
    if (!schema) {
      const path = `${field}[${index}].action`;
      errors.push({ field: path, message: `${path}: no loaded plugin provides the action ${action}` });
      return { action, ...options };
    }
    const { action: storedAction, ...storedOptions } = stored?.[index] ?? { action: null };
    const withSecrets = keepStoredSecrets(schema.options, options, storedAction === action ? storedOptions : undefined);
    return { action, ...readOptions([field, index], schema.options, withSecrets, `the action ${action}`, errors) };
  });
}

/** Lists the paths of the secret options in lists of actions. */
export function secretsOfActions(lists: ActionLists, schemas: OptionSchemas): ValuePath[] {
  return actionFields.flatMap((field) =>
    lists[field].flatMap(({ action }, index) => secretOptionPaths([field, index], schemas.get(action)?.options)),
  );
}
