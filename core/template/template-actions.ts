import { array, object, string } from 'yup';
import type { FieldError } from '../errors.ts';
import type { ValuePath } from '../field/value-path.ts';
import { keepSecretOptions, readOptions, secretOptions } from '../resource/options.ts';
import type { OptionSchemas } from '../resource/record-services.ts';

/** Something to do when a task or job of a template ends: the name of a plugin's action, and its options. */
export interface TemplateAction extends Readonly<Record<string, unknown>> {
  readonly action: string;
}

const action = object({ action: string().max(64).required() });
/** What a template does at one kind of ending. */
export const actions = array().of(action).max(50).defined();

export const actionFields = ['on_success', 'on_failure', 'on_missed'] as const;
export type ActionLists = Record<(typeof actionFields)[number], readonly TemplateAction[]>;

/** Reads the actions of one list; an action that no loaded plugin brings is an error. */
export function readActions(
  field: string,
  given: readonly TemplateAction[],
  stored: readonly TemplateAction[] | undefined,
  shelf: OptionSchemas,
  errors: FieldError[],
): TemplateAction[] {
  return given.map(({ action, ...options }, at) => {
    const known = shelf.get(action);
    if (!known) {
      const place = `${field}[${at}].action`;
      errors.push({ field: place, message: `${place}: no loaded plugin brings the action ${action}` });
      return { action, ...options };
    }
    const { action: before, ...kept } = stored?.[at] ?? { action: null };
    const complete = keepSecretOptions(known.options, options, before === action ? kept : undefined);
    return { action, ...readOptions([field, at], known.options, complete, errors) };
  });
}

/** The places of the secrets among the options of actions. */
export function secretsOfActions(lists: ActionLists, shelf: OptionSchemas): ValuePath[] {
  return actionFields.flatMap((field) =>
    lists[field].flatMap(({ action }, at) => secretOptions([field, at], shelf.get(action)?.options)),
  );
}
