import { array, object, string } from 'yup';
import { denied, type FieldError } from '../errors.ts';
import { canonicalJson } from '../field/canonical-json.ts';
import type { Field } from '../field/field-meta.ts';
import { json } from '../field/structured.ts';
import type { ValuePath } from '../field/value-path.ts';
import { keepStoredSecrets, readOptions, secretOptionPaths } from '../records/plugin-options.ts';
import type { Actor } from '../resource/actor.ts';
import { isAdmin } from '../resource/permissions.ts';
import type { ActionSchemas } from '../resource/record-services.ts';
import { checkKeptSecrets } from './kept-secrets.ts';
import { type ActionEvent, actionEvents } from './notice.ts';

/** One use of an action in a list: its name, and its options. */
export interface ListedAction extends Readonly<Record<string, unknown>> {
  readonly action: string;
}

/** A list of actions, whose options the actions themselves describe. */
export const actionList: Field<readonly ListedAction[]> = array()
  .of(object({ action: string().max(64).required() }))
  .max(50)
  .defined();

/** The actions for each event. */
export type ActionLists = Record<ActionEvent, readonly ListedAction[]>;

/** Whether any of the lists has an action. */
export function hasActions(lists: ActionLists): boolean {
  return actionEvents.some((event) => lists[event].length > 0);
}

/** Lists without any action. */
export function noActions(): ActionLists {
  return { on_start: [], on_success: [], on_failure: [], on_late: [], on_missed: [], on_recovered: [] };
}

/** The lists as fields of a record. @param whose completes the descriptions: `of any template of the company`. */
export function actionListFields(whose: string) {
  const list = (event: string) =>
    json(actionList, [], { detailOnly: true, description: `Actions that follow ${event}.` });
  return {
    on_start: list(`the start of a Task or ad hoc job${whose}: of its first attempt`),
    on_success: list(`a success${whose}, in time or late`),
    on_failure: list(`a failure${whose} that no retry follows`),
    on_late: list(`a success${whose} after the deadline`),
    on_missed: list(`a missed Task${whose}`),
    on_recovered: list(`the first success${whose} after failures or missed Tasks`),
  };
}

/** What the validation of lists needs of the save of their record. */
interface ListContext {
  /** The stored lists; undefined for a new record. */
  readonly before: ActionLists | undefined;
  readonly service: { readonly actions: ActionSchemas };
  readonly actor: Actor;
  readonly errors: FieldError[];
}

/**
 * Validates lists of actions against the options that their plugins declare, and completes them with the stored secrets
 * that the input leaves out. Unknown actions and invalid options are added to the errors.
 * @throws HorariumError `denied` for an action that only admins may use, where the actor adds or changes it.
 */
export function readActionLists(lists: ActionLists, { before, service, actor, errors }: ListContext): ActionLists {
  const read = noActions();
  for (const event of actionEvents)
    read[event] = readList(event, lists[event], before?.[event] ?? [], { schemas: service.actions, actor, errors });
  return read;
}

interface Validation {
  readonly schemas: ActionSchemas;
  readonly actor: Actor;
  readonly errors: FieldError[];
}

function readList(
  event: ActionEvent,
  input: readonly ListedAction[],
  stored: readonly ListedAction[],
  { schemas, actor, errors }: Validation,
): ListedAction[] {
  return input.map(({ action, ...options }, index) => {
    const schema = schemas.get(action);
    if (!schema) {
      const path = `${event}[${index}].action`;
      errors.push({ field: path, message: `${path}: no loaded plugin provides the action ${action}` });
      return { action, ...options };
    }
    const { action: storedAction, ...storedOptions } = stored[index] ?? { action: null };
    const withSecrets = keepStoredSecrets(schema.options, options, storedAction === action ? storedOptions : undefined);
    checkKeptSecrets(
      { action, ...withSecrets },
      { path: [event, index], index, stored, length: input.length, schema, errors },
    );
    const read = readOptions([event, index], schema.options, withSecrets, `the action ${action}`, errors);
    const refusal = schema.refuse?.(read) ?? null;
    if (refusal !== null)
      errors.push({ field: `${event}[${index}]`, message: `${event}[${index}] cannot be delivered: ${refusal}` });
    const listed = { action, ...read };
    if (schema.adminOnly && !isAdmin(actor) && !stored.some((other) => canonicalJson(other) === canonicalJson(listed)))
      throw denied(`${actor.name} may not write the action ${action} into ${event}: that takes the role admin.`);
    return listed;
  });
}

/** Lists the paths of the secret options in lists of actions. */
export function secretsOfActions(lists: ActionLists, schemas: ActionSchemas): ValuePath[] {
  return actionEvents.flatMap((event) =>
    lists[event].flatMap(({ action }, index) => secretOptionPaths([event, index], schemas.get(action)?.options)),
  );
}
