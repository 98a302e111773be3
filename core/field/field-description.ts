import type { Schema, SchemaObjectDescription } from 'yup';
import { type FieldMeta, type Fields, type JsonSchema, type Kind, metaOf } from './field-meta.ts';
import { jsonSchemaOf, patternOf } from './json-schema.ts';

/** The properties of a field that only its yup schema uses. */
type SchemaMeta = 'parse' | 'defaultFor' | 'schema' | 'entries' | 'maxSize' | 'jsonSchema';

/** One field as printable data: columns, routes, forms and documentation read it, never yup. */
export interface FieldDescription extends Readonly<Omit<FieldMeta, SchemaMeta | 'meanings'>> {
  readonly name: string;
  readonly required: boolean;
  /** Whether the field may be null, which means unset. */
  readonly nullable: boolean;
  readonly default: unknown;
  readonly min?: number;
  readonly max?: number;
  readonly pattern?: string;
  /** The allowed values of a choice. */
  readonly values?: readonly string[];
  /** The schema of lists and structured data. */
  readonly jsonSchema?: JsonSchema;
  /** Whether the default depends on the service; `default` fills rows where the service is not known. */
  readonly defaultVaries?: true;
  /** Whether input may be a text that the service parses, in place of a value of the field's kind. */
  readonly acceptsText?: true;
}

export type FieldDescriptions = readonly FieldDescription[];

/** The kinds whose values a JSON Schema describes. */
const structuredKinds: ReadonlySet<Kind> = new Set(['json', 'texts', 'references']);

/** Describes fields in their order. The frozen descriptions are shared, so that yup describes each field only once. */
export function describeFields(fields: Fields): FieldDescriptions {
  return Object.freeze(Object.entries(fields).map(([name, field]) => Object.freeze(describeField(name, field))));
}

function describeField(name: string, field: Schema): FieldDescription {
  const { parse, defaultFor, meanings, schema: _s, entries: _e, maxSize: _m, jsonSchema: _j, ...meta } = metaOf(field);
  const schema = field.describe() as SchemaObjectDescription;
  const paramsOf = (test: string) => schema.tests.find((yupTest) => yupTest.name === test)?.params;
  const optional: { readonly [K in keyof FieldDescription]?: FieldDescription[K] | undefined } = {
    description: describedWith(meta.description, schema.oneOf as string[], meanings),
    min: paramsOf('min')?.['min'] as number | undefined,
    max: paramsOf('max')?.['max'] as number | undefined,
    pattern: patternOf((paramsOf('matches') ?? paramsOf('email'))?.['regex']),
    values: schema.oneOf.length > 0 ? (schema.oneOf as string[]) : undefined,
    jsonSchema: structuredKinds.has(meta.kind) ? jsonSchemaOf(field) : undefined,
    defaultVaries: defaultFor ? true : undefined,
    // An instant is a text in JSON anyway.
    acceptsText: parse && meta.kind !== 'instant' ? true : undefined,
  };
  const defaultValue = (schema.default ?? null) as unknown;
  return {
    name,
    ...meta,
    required: !schema.nullable && defaultValue === null,
    nullable: schema.nullable,
    default: defaultValue,
    ...Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined)),
  };
}

/** Adds to a description what each of some values does. */
function describedWith(
  description: string | undefined,
  values: readonly string[],
  meanings: FieldMeta['meanings'],
): string | undefined {
  if (!meanings) return description;
  const sentences = values.map((value) => `${value}: ${meanings[value]}.`);
  return [description, ...sentences].filter(Boolean).join(' ');
}
