import type { FieldDescription } from '../field/field-description.ts';
import {
  type ExtensionList,
  type FieldFormat,
  type FieldMeta,
  type Fields,
  type MembersRule,
  metaOf,
} from '../field/field-meta.ts';
import { defined, type FormMember, formValueOf, labelOf } from './form-value.ts';

/** A field as a form or a list shows it. What is not so is left out. */
export interface FormField extends FormMember {
  readonly description?: string;
  /** What each choice does, as the end of a sentence. */
  readonly meanings?: Readonly<Record<string, string>>;
  readonly default?: unknown;
  /** The way in which people see and type it; `lines` is a text of several lines. */
  readonly format?: FieldFormat | 'lines';
  /** The form of a value, for messages. */
  readonly expected?: string;
  /** The resource that an id, or each of several, points to. */
  readonly reference?: string;
  /** The field of that record whose value may stand in place of its id, under its own name. */
  readonly named_by?: string;
  readonly names?: ExtensionList;
  readonly members?: MembersRule;
  /** Whether input may be a text that the service parses: `5m`. */
  readonly accepts_text?: true;
  /** Whether it is written and never shown; a mask in its place leaves it as it is. */
  readonly secret?: true;
  /** Whether only the service sets it. */
  readonly read_only?: true;
  /** Whether it is set when the record is created and never changed. */
  readonly create_only?: true;
  /** Whether lists leave it out. */
  readonly detail_only?: true;
  /** Whether lists may be filtered by one value of it, or by several at once. */
  readonly filter?: 'one' | 'several';
  /** Whether lists may be ordered by it. */
  readonly sort?: true;
}

/** From how many characters on a text has several lines. */
const severalLines = 4097;

/** What the defaults of some fields depend on. */
export interface FormService {
  readonly timezone: string;
}

/** Describes a field as forms show it. @param fields has its schema, where it is stored. */
export function formFieldOf(
  column: FieldDescription,
  fields: Fields,
  service: FormService,
  list: Pick<FormField, 'filter' | 'sort'> = {},
): FormField {
  const { name, kind, secret, format, expected, references, namedBy, names, members } = column;
  const mark = (is: unknown) => (is ? true : undefined);
  const isLong = kind === 'text' && format === undefined && (column.max ?? 0) >= severalLines;
  const meta: Partial<FieldMeta> = fields[name] ? metaOf(fields[name]) : {};
  return {
    name,
    label: labelOf(name, column),
    ...formValueOf(column),
    ...defined<Omit<FormField, keyof FormMember>>({
      description: meta.meanings ? meta.description : column.description,
      meanings: meta.meanings,
      default: secret ? undefined : (meta.defaultFor?.(service) ?? column.default ?? undefined),
      format: isLong ? 'lines' : format,
      expected,
      reference: references,
      named_by: namedBy,
      names,
      members,
      accepts_text: mark(column.acceptsText),
      secret: mark(secret),
      read_only: mark(column.readOnly),
      create_only: mark(column.immutable),
      detail_only: mark(column.detailOnly),
      ...list,
    }),
    ...(column.required && !column.readOnly && { required: true }),
  };
}
