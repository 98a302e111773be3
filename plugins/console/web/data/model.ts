import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { messageOf } from './problem.ts';
import { read } from './request.ts';
import { whenUserChanges } from './session.ts';

/** A field of a record or of a structured value, as the service describes it. */
export interface FieldModel {
  readonly name: string;
  readonly label: string;
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
  readonly item?: Omit<FieldModel, 'name' | 'label'>;
  /** The values of a map. */
  readonly value?: Omit<FieldModel, 'name' | 'label'>;
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
  readonly description: string;
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
const failure = signal<string | null>(null);
let isReading = false;

/** The model, which is read when a page first needs it; null until then. */
export function useModel(): Model | null {
  useEffect(() => {
    if (!model.value) void readModel();
  }, []);
  return model.value;
}

async function readModel(): Promise<void> {
  if (isReading) return;
  isReading = true;
  try {
    model.value = await read<Model>('/console/model');
    failure.value = null;
  } catch (error) {
    failure.value = messageOf(error);
  } finally {
    isReading = false;
  }
}

/** Forgets what another user may do. */
export function startModel(): void {
  whenUserChanges(() => {
    model.value = null;
    void readModel();
  });
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
