import { array, object, string } from 'yup';
import type { FieldError } from '../errors.ts';
import type { ValuePath } from '../field/value-path.ts';
import { keepStoredSecrets, readOptions, secretOptionPaths } from '../records/plugin-options.ts';
import type { OptionSchemas } from '../resource/record-services.ts';

/** What a template does when a Task or ad hoc job of it ends: the name of a plugin's action, and its options. */
export interface TemplateAction extends Readonly<Record<string, unknown>> {
  readonly action: string;
}

const action = object({ action: string().max(64).required() });
/** The actions of one kind of ending. */
export const actions = array().of(action).max(50).defined();

export const actionFields = ['on_success', 'on_failure', 'on_missed'] as const;
export type ActionLists = Record<(typeof actionFields)[number], readonly TemplateAction[]>;

/**
 * Reads the actions of one list by the options that their plugins describe, and keeps stored secrets that were left out.
 * An action that no loaded plugin brings is added to `errors`.
 */
export function readActions(
  field: string,
  given: readonly TemplateAction[],
  stored: readonly TemplateAction[] | undefined,
  schemas: OptionSchemas,
  errors: FieldError[],
): TemplateAction[] {
  return given.map(({ action, ...options }, at) => {
    const schema = schemas.get(action);
    if (!schema) {
      const path = `${field}[${at}].action`;
      errors.push({ field: path, message: `${path}: no loaded plugin brings the action ${action}` });
      return { action, ...options };
    }
    const { action: storedAction, ...storedOptions } = stored?.[at] ?? { action: null };
    const complete = keepStoredSecrets(schema.options, options, storedAction === action ? storedOptions : undefined);
    return { action, ...readOptions([field, at], schema.options, complete, errors) };
  });
}

/** The paths of the secrets among the options of actions. */
export function secretsOfActions(lists: ActionLists, schemas: OptionSchemas): ValuePath[] {
  return actionFields.flatMap((field) =>
    lists[field].flatMap(({ action }, at) => secretOptionPaths([field, at], schemas.get(action)?.options)),
  );
}
