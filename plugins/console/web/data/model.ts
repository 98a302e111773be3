import { computed, signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { KindWords } from '../words/en.ts';
import { serviceLanguage, words } from '../words/words.ts';
import { inPageWords, withNamedChoices } from './described.ts';
import { read } from './request.ts';

/** A value that can be chosen, what people call it, and in which language, where that is another one than that of the pages. */
export type Option = readonly [value: string, text: string, lang?: string | undefined];

/** A field of a record or of a structured value, as the service describes it. */
export interface FieldModel {
  readonly name: string;
  /** In the language of the pages, or in English where that has no word for it. */
  readonly label: string;
  /** The language of the label, where it is another one than that of the pages. */
  readonly lang?: string | undefined;
  readonly type:
    | 'text'
    | 'integer'
    | 'number'
    | 'flag'
    | 'choice'
    | 'instant'
    | 'reference'
    | 'references'
    | 'texts'
    | 'list'
    | 'map'
    | 'object'
    | 'scalar'
    | 'json';
  readonly description?: string;
  readonly required?: boolean;
  readonly nullable?: boolean;
  readonly read_only?: boolean;
  readonly create_only?: boolean;
  readonly detail_only?: boolean;
  /** It is written and never read: replies have a mask. */
  readonly secret?: boolean;
  readonly default?: unknown;
  readonly choices?: readonly string[];
  /** What people call each choice. */
  readonly options?: readonly Option[];
  /** What each choice does. */
  readonly meanings?: Readonly<Record<string, string>>;
  readonly reference?: string;
  readonly min?: number;
  readonly max?: number;
  readonly pattern?: string;
  readonly format?: string;
  /** Texts are accepted in place of numbers: `15m`. */
  readonly accepts_text?: boolean;
  readonly filter?: 'one' | 'several';
  readonly sort?: boolean;
  /** The members of an object. */
  readonly fields?: readonly FieldModel[];
  /** The members of a list. */
  readonly item?: ValueModel;
  /** The values of a map. */
  readonly value?: ValueModel;
  readonly keys?: { readonly max?: number; readonly pattern?: string };
  /** Another field decides which members there are: by the options of an extension, or by what a record declares. */
  readonly members?: {
    readonly by: string;
    readonly options?: ExtensionKind;
    readonly declared?: string;
  };
  /** Its values are the names of extensions. */
  readonly names?: ExtensionKind;
}

/** A value within that of a field. */
export type ValueModel = Omit<FieldModel, 'name' | 'label' | 'lang'>;

type ExtensionKind = 'executors' | 'actions' | 'event_source_kinds' | 'calendar_rules';

/** Which records the user may write: all, those of some companies, or those that are the user's own. */
type Reach = 'all' | 'own' | readonly number[];

/** A kind of records. */
export interface ResourceModel {
  readonly name: string;
  readonly singular: string;
  readonly plural: string;
  readonly noun: string;
  readonly nouns: string;
  /** In the language of the pages, as far as that has words for it. */
  readonly words: KindWords;
  readonly description: string;
  /** The languages of the words and of the description, where they are other ones than that of the pages. */
  readonly langs?: { readonly words?: string | undefined; readonly description?: string | undefined };
  readonly operations: readonly string[];
  readonly nested: boolean;
  /** Whether they are found by words. */
  readonly searched: boolean;
  /** The fields that people know a record by. */
  readonly naming: readonly string[];
  readonly summary: readonly string[];
  readonly secondary: readonly string[];
  readonly company: string | null;
  readonly rights: {
    readonly read: boolean;
    readonly create: Reach;
    readonly update: Reach;
    readonly delete: Reach;
  };
  readonly fields: readonly FieldModel[];
}

/** An executor, an action, a kind of event sources or a rule of calendars, with its options. */
export interface ExtensionModel {
  readonly name: string;
  readonly fields: readonly FieldModel[];
  readonly admin_only?: boolean;
}

/** An import of files, with its options. */
export interface ImportModel {
  readonly name: string;
  readonly summary: string;
  /** What the files are. */
  readonly files: string;
  readonly fields: readonly FieldModel[];
}

/** What there is, and what the user may do with it. */
export type Model = Readonly<Record<ExtensionKind, readonly ExtensionModel[]>> & {
  readonly timezone: string;
  /** The roles that one may have in a company, and those that the user may grant everywhere. */
  readonly company_roles: readonly string[];
  readonly grantable_roles: readonly string[];
  /** The fields of a run template from which its windows follow. */
  readonly schedule_fields: readonly string[];
  readonly resources: readonly ResourceModel[];
  readonly imports: readonly ImportModel[];
  /** What a person says of a first job. */
  readonly job_fields: readonly FieldModel[];
  readonly formats: readonly { readonly suffix: string; readonly whole_lists: boolean }[];
};

const model = signal<Model | null>(null);
/** The model with what it calls things in the language of the pages. */
const translated = computed(() => model.value && inLanguage(model.value));
let isReading = false;

/** The model in the language of the pages, which is read when a page first needs it; null until then. */
export function useModel(): Model | null {
  useEffect(() => {
    if (!model.value) void readModel();
  }, []);
  return translated.value;
}

async function readModel(): Promise<void> {
  if (isReading) return;
  isReading = true;
  try {
    model.value = await read<Model>('/console/model');
  } catch {
    // The next page that needs it reads it again.
  } finally {
    isReading = false;
  }
}

/** What a kind of records is called. */
export function wordsOfKind(name: string): KindWords {
  const { kinds, otherKind } = words.value;
  const { noun = name, nouns = name } = model.value?.resources.find((each) => each.name === name) ?? {};
  return kinds[name] ?? otherKind(noun, nouns);
}

/** A field of a kind of records; undefined where the model has none, or has not been read. */
export function fieldOf(kind: string, field: string): FieldModel | undefined {
  const resource = translated.value?.resources.find(({ name }) => name === kind);
  return resource?.fields.find(({ name }) => name === field);
}

/** The choices of a field of a kind of records, with what people call them. */
export function choicesOf(kind: string, field: string): readonly Option[] {
  return fieldOf(kind, field)?.options ?? [];
}

/** What people call a choice of a field of a kind of records. */
export function nameOfChoice(kind: string, field: string, choice: string): string {
  return choicesOf(kind, field).find(([value]) => value === choice)?.[1] ?? choice;
}

/** What people call a field of a kind of records. */
export function nameOfField(kind: string, field: string): string {
  const resource = translated.value?.resources.find(({ name }) => name === kind);
  return resource?.fields.find(({ name }) => name === field)?.label ?? field;
}

function inLanguage({ resources, imports, job_fields, ...rest }: Model): Model {
  const ofExtensions = (extensions: readonly ExtensionModel[]) =>
    extensions.map(({ fields, ...extension }) => ({ ...extension, fields: fields.map(translatedField) }));
  return {
    ...rest,
    resources: resources.map(translatedResource),
    executors: ofExtensions(rest.executors),
    actions: ofExtensions(rest.actions),
    event_source_kinds: ofExtensions(rest.event_source_kinds),
    calendar_rules: ofExtensions(rest.calendar_rules),
    imports: imports.map((each) => ({ ...each, fields: each.fields.map(translatedField) })),
    job_fields: job_fields.map(translatedField),
  };
}

function translatedResource(resource: ResourceModel): ResourceModel {
  const { kinds, model: own } = words.value;
  const { name } = resource;
  const description = own.descriptions[name];
  return {
    ...resource,
    words: wordsOfKind(name),
    description: description ?? inPageWords(resource.description),
    langs: {
      words: kinds[name] ? undefined : serviceLanguage.value,
      description: description === undefined ? serviceLanguage.value : undefined,
    },
    fields: withNamedChoices(resource.fields.map(translatedField)),
  };
}

function translatedField(field: FieldModel): FieldModel {
  const { labels } = words.value.model;
  const label = labels[`${field.label}: ${field.description}`] ?? labels[field.label];
  return {
    ...translatedValue(field, field),
    ...(field.description !== undefined && { description: inPageWords(field.description) }),
    label: label ?? field.label,
    lang: label === undefined ? serviceLanguage.value : undefined,
  };
}

/** Translates what is in a value. @param of the field that has it. */
function translatedValue<T extends ValueModel>(value: T, of: FieldModel): T {
  const { choices, meanings, fields, item, value: each } = value;
  return {
    ...value,
    ...(meanings && {
      meanings: Object.fromEntries(Object.entries(meanings).map(([choice, text]) => [choice, inPageWords(text)])),
    }),
    ...(choices && { options: choices.map((choice) => optionOf(choice, of)) }),
    ...(fields && { fields: fields.map(translatedField) }),
    ...(item && { item: translatedValue(item, of) }),
    ...(each && { value: translatedValue(each, of) }),
  };
}

/** What people call a choice: states, intervals and kinds of records have words that pages use besides. */
function optionOf(choice: string, { name, label }: FieldModel): Option {
  const { states, intervals, kinds, model: own } = words.value;
  const shared = { state: states, interval: intervals }[name]?.[choice] ?? kinds[choice]?.name;
  const text = shared ?? own.choices[`${label}: ${choice}`] ?? own.choices[choice];
  return text === undefined ? [choice, choice, serviceLanguage.value] : [choice, text];
}

/** Whether the user may do it with records of that company, or at all where none is named. */
export function mayWrite(
  { rights }: ResourceModel,
  verb: 'create' | 'update' | 'delete',
  company?: number | null,
): boolean {
  const reach = rights[verb];
  if (reach === 'all' || reach === 'own') return true;
  return company === undefined || company === null ? reach.length > 0 : reach.includes(company);
}
