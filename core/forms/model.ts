import { describeFields } from '../field/field-description.ts';
import type { ExtensionList, Fields } from '../field/field-meta.ts';
import { filterableFields, orderableFields, takesSeveral } from '../records/list-query.ts';
import { type Reaches, reachesOf } from '../resource/access.ts';
import { type Actor, companyRoles, roles } from '../resource/actor.ts';
import type { AnyResource, Operation } from '../resource/define-resource.ts';
import { nounsOf } from '../resource/nouns.ts';
import { mayGrant } from '../resource/permissions.ts';
import type { RecordServices } from '../resource/record-services.ts';
import { namingFieldsOf } from '../resource/references.ts';
import { computedColumns, embeddedIn } from '../resource/serialize.ts';
import { summaryFieldsOf } from '../resource/summary-fields.ts';
import { isSearchedByWords } from '../search/searched.ts';
import { DraftSchedule } from './draft-schedule.ts';
import { type FormField, type FormService, formFieldOf } from './form-field.ts';

/** A kind of records, as lists and forms need it. */
interface ModelledResource {
  readonly name: string;
  /** Its names in paths, and the name of its id there. */
  readonly singular: string;
  readonly plural: string;
  readonly id: string;
  /** What people call one, and many of them. */
  readonly noun: string;
  readonly nouns: string;
  readonly description: string;
  readonly operations: readonly Operation[];
  /** Whether its paths are below those of another record. */
  readonly nested: boolean;
  /** Whether they are found by words. */
  readonly searched: boolean;
  /** The fields that a record is named by, the most exact one first. */
  readonly naming: readonly string[];
  readonly key: readonly string[];
  readonly summary: readonly string[];
  readonly secondary: readonly string[];
  /** The instant that `from` and `to` filter lists by; null = they do not. */
  readonly period: string | null;
  /** The field that names the company; null = all companies share the records. */
  readonly company: string | null;
  /** The reference from whose record the company is taken; null = callers set it. */
  readonly company_from: string | null;
  /** The resources of the records that one shows within it, by the field that has them. */
  readonly embedded: Readonly<Record<string, string>>;
  /** In the order of a form: its leading fields come first, then the others that callers set. */
  readonly fields: readonly FormField[];
}

/** The options of an executor, an action, an event source kind or a calendar rule. */
interface ModelledExtension {
  readonly name: string;
  /** Whether only admins may write it into a list of actions. */
  readonly admin_only?: true;
  readonly fields: readonly FormField[];
}

/** Everything from which lists, filters, columns and forms of every kind of records follow, the same for every actor. */
export type StaticModel = Readonly<Record<ExtensionList, readonly ModelledExtension[]>> & {
  readonly timezone: string;
  readonly roles: readonly string[];
  readonly company_roles: readonly string[];
  /** The fields of a run template from which its windows follow. */
  readonly schedule_fields: readonly string[];
  readonly resources: readonly ModelledResource[];
};

/** The same with what one actor may do. */
export interface Model extends StaticModel {
  /** The roles that the actor may grant to others. */
  readonly grantable_roles: readonly string[];
  readonly resources: readonly (ModelledResource & { readonly rights: Reaches })[];
}

type ModelServices = Pick<RecordServices, 'timezone' | 'executors' | 'actions' | 'eventSourceKinds' | 'calendarRules'>;

/** Adds what an actor may do to a model. @param resources those that the model describes. */
export function modelFor(
  actor: Actor,
  { resources: described, ...model }: StaticModel,
  resources: readonly AnyResource[],
): Model {
  return {
    ...model,
    grantable_roles: roles.filter((role) => mayGrant(actor, role)),
    resources: described.map((each, index) => ({ ...each, rights: reachesOf(actor, resources[index] as AnyResource) })),
  };
}

/** Describes what a service has. */
export function describeModel(resources: readonly AnyResource[], service: ModelServices): StaticModel {
  const { executors, actions, eventSourceKinds, calendarRules } = service;
  const options = (extensions: Extensions) =>
    [...extensions.keys()].map((name) => extensionOf(name, extensions, service));
  return {
    timezone: service.timezone,
    roles,
    company_roles: companyRoles,
    schedule_fields: DraftSchedule.columns.map(({ name }) => name),
    resources: resources.map((resource) => modelOf(resource, service)),
    executors: options(executors),
    actions: options(actions),
    event_source_kinds: options(eventSourceKinds),
    calendar_rules: options(calendarRules),
  };
}

interface Extensions {
  keys(): Iterable<string>;
  get(name: string): { readonly options: Fields; readonly adminOnly?: boolean } | undefined;
}

function extensionOf(name: string, extensions: Extensions, service: FormService): ModelledExtension {
  const { options = {}, adminOnly = false } = extensions.get(name) ?? {};
  const fields = describeFields(options).map((column) => formFieldOf(column, options, service));
  return { name, ...(adminOnly && { admin_only: true }), fields };
}

function modelOf(resource: AnyResource, service: FormService): ModelledResource {
  const { names, period, company, companyFrom } = resource;
  const { noun, many } = nounsOf(resource);
  const embedded = Object.entries(embeddedIn(resource, 'item')).map(([field, each]) => [field, each.resource.name]);
  return {
    name: resource.name,
    singular: names.singular,
    plural: names.plural,
    id: names.id,
    noun,
    nouns: many,
    description: resource.description,
    operations: resource.operations,
    nested: resource.nested,
    searched: isSearchedByWords(resource),
    naming: namingFieldsOf(resource),
    key: resource.key,
    summary: summaryFieldsOf(resource),
    secondary: resource.secondaryFields,
    period: period ?? null,
    company,
    company_from: companyFrom ?? null,
    embedded: Object.fromEntries(embedded),
    fields: fieldsOf(resource, service),
  };
}

function fieldsOf(resource: AnyResource, service: FormService): FormField[] {
  const [filterable, orderable] = [filterableFields(resource), orderableFields(resource)];
  const columns = resource.columns.filter(({ hidden, kind }) => !hidden && kind !== 'binary');
  const isListed = resource.operations.includes('list');
  const stored = columns.map((column) =>
    formFieldOf(column, resource.fields, service, {
      ...(isListed && filterable.includes(column) && { filter: takesSeveral(column) ? 'several' : 'one' }),
      ...(isListed && orderable.includes(column) && { sort: true }),
    }),
  );
  const computed = computedColumns(resource, 'item').map((column) => ({
    ...formFieldOf(column, {}, service),
    read_only: true as const,
  }));
  const { leadingFields } = resource;
  const isSet = ({ read_only }: FormField) => read_only === true;
  const isLeading = ({ name }: FormField) => leadingFields.includes(name);
  const own = stored.filter((field) => !isSet(field));
  return [
    ...own.filter(isLeading).toSorted((a, b) => leadingFields.indexOf(a.name) - leadingFields.indexOf(b.name)),
    ...own.filter((field) => !isLeading(field)),
    ...stored.filter(isSet),
    ...computed,
  ];
}
