import type { Schema, SchemaObjectDescription } from 'yup';
import { type FieldMeta, type Fields, type JsonSchema, type Kind, metaOf } from './field-meta.ts';
import { jsonSchemaOf, patternOf } from './json-schema.ts';

/** One field as printable data: columns, routes, forms and documentation read it, never yup. */
export interface FieldRow extends Readonly<Omit<FieldMeta, 'parse' | 'initial' | 'shape' | 'entries' | 'plain'>> {
  readonly name: string;
  readonly required: boolean;
  /** Null, which means unset, is a value of it. */
  readonly nullable: boolean;
  readonly default: unknown;
  readonly min?: number;
  readonly max?: number;
  readonly pattern?: string;
  /** Allowed values of a choice. */
  readonly values?: readonly string[];
  /** The schema of lists and structured data. */
  readonly shape?: JsonSchema;
  /** The default depends on the service; `default` fills rows where the service is not known. */
  readonly varies?: true;
  /** Input may also give it as a text that the service parses. */
  readonly parsed?: true;
}

export type FieldTable = readonly FieldRow[];

/** Describes fields as a frozen table with one row for each field, in their order, so that yup describes each only once. */
export function fieldTable(fields: Fields): FieldTable {
  return Object.freeze(Object.entries(fields).map(([name, field]) => Object.freeze(describeField(name, field))));
}

function describeField(name: string, field: Schema): FieldRow {
  const { parse, initial: varying, shape: _shape, entries: _entries, plain: _plain, ...meta } = metaOf(field);
  const schema = field.describe() as SchemaObjectDescription;
  const test = (name: string) => schema.tests.find((yupTest) => yupTest.name === name)?.params;
  const optional = {
    min: test('min')?.['min'] as number | undefined,
    max: test('max')?.['max'] as number | undefined,
    pattern: patternOf((test('matches') ?? test('email'))?.['regex']),
    values: schema.oneOf.length > 0 ? (schema.oneOf as string[]) : undefined,
    shape: structured.has(meta.kind) ? jsonSchemaOf(field) : undefined,
    varies: varying ? true : undefined,
    parsed: parse && meta.kind !== 'instant' ? true : undefined,
  };
  const defined = Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined));
  const initial = (schema.default ?? null) as unknown;
  return {
    name,
    ...meta,
    required: !schema.nullable && initial === null,
    nullable: schema.nullable,
    default: initial,
    ...defined,
  };
}

const structured: ReadonlySet<Kind> = new Set(['json', 'texts', 'references']);
