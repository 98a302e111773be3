import { array, object, string } from 'yup';
import { denied, type FieldError } from '../errors.ts';
import { canonicalJson } from '../field/canonical-json.ts';
import type { Field } from '../field/field-meta.ts';
import { json, sized } from '../field/structured.ts';
import type { ValuePath } from '../field/value-path.ts';
import { keepStoredSecrets, readOptions, secretOptionPaths } from '../records/plugin-options.ts';
import { missingExtension } from '../registry/missing-extension.ts';
import type { Actor } from '../resource/actor.ts';
import { isAdmin } from '../resource/permissions.ts';
import type { ActionSchemas } from '../resource/record-services.ts';
import { assignIds } from './action-ids.ts';
import { keptSecretErrors } from './kept-secrets.ts';
import { idOf, type ListedAction, plainOptions } from './listed-action.ts';
import { type ActionEvent, actionEvents } from './notice.ts';

/** A list of actions, whose options the actions themselves describe. */
export const actionList: Field<readonly ListedAction[]> = sized(
  array()
    .of(
      object({
        id: string()
          .matches(/^[\w-]{1,64}$/)
          .max(64),
        action: string().max(64).required(),
      }),
    )
    .max(50)
    .defined(),
  262_144,
);

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

/**
 * Describes the lists as fields of a record.
 * @param whose is added to the descriptions, and begins with a space: `' of any template of the company'`.
 */
export function actionListFields(whose: string) {
  const list = (event: string) =>
    json(actionList, [], {
      detailOnly: true,
      members: { by: 'action', options: 'actions' },
      description: `Actions that follow ${event}.`,
    });
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
  const ids = assignIds(input, stored, (listed) => plainOptions(schemas.get(listed.action)?.options, listed));
  return input.map(({ id: given, action, ...options }, index) => {
    const path = `${event}[${index}]`;
    const id = ids[index] as string;
    if (ids.indexOf(id) !== index)
      errors.push({ field: `${path}.id`, message: `${path}.id is that of another action` });
    const schema = schemas.get(action);
    if (!schema) {
      errors.push({
        field: `${path}.action`,
        message: `${path}.action: ${missingExtension('action', action, schemas.keys())}`,
      });
      return { id, action, ...options };
    }
    const inPlace = stored[index];
    const isIt = inPlace?.action === action && (given === undefined || idOf(inPlace, index) === given);
    const withSecrets = keepStoredSecrets(schema.options, options, isIt ? inPlace : undefined);
    const listed = { id, action, ...withSecrets };
    errors.push(...keptSecretErrors(listed, { event, index, given, stored, length: input.length, schema }));
    const read = readOptions([event, index], schema.options, withSecrets, `the action ${action}`, errors);
    const refusal = schema.refuse?.(read) ?? null;
    if (refusal !== null) errors.push({ field: path, message: `${path} cannot be delivered: ${refusal}` });
    if (schema.adminOnly && !isAdmin(actor) && !isStored(stored, { id, action, ...read }))
      throw denied(`${actor.name} may not write the action ${action} into ${event}: that takes the role admin.`);
    return { id, action, ...read };
  });
}

/** Whether a list has an action with the id already, and with the same options. */
function isStored(stored: readonly ListedAction[], listed: ListedAction): boolean {
  const [found] = stored
    .map((other, position) => ({ ...other, id: idOf(other, position) }))
    .filter(({ id }) => id === listed.id);
  return found !== undefined && canonicalJson(found) === canonicalJson(listed);
}

/** Lists the paths of the secret options in lists of actions. */
export function secretsOfActions(lists: ActionLists, schemas: ActionSchemas): ValuePath[] {
  return actionEvents.flatMap((event) =>
    lists[event].flatMap(({ action }, index) => secretOptionPaths([event, index], schemas.get(action)?.options)),
  );
}
