import fc from 'fast-check';

// biome-ignore lint/suspicious/noExplicitAny: a JSON Schema is untyped JSON.
export type Schema = any;

/** Draws values of a JSON Schema, and some just beyond its limits. */
export class SchemaValues {
  readonly #schemas: Readonly<Record<string, Schema>>;
  /** The arbitrary of each schema, because building one takes longer than drawing from it. */
  readonly #arbitraries = new WeakMap<object, fc.Arbitrary<unknown>>();

  /** @param schemas the schemas that `#/components/schemas/…` refers to. */
  constructor(schemas: Readonly<Record<string, Schema>>) {
    this.#schemas = schemas;
  }

  /** Resolves a `$ref`. */
  resolve(schema: Schema): Schema {
    const name = typeof schema?.$ref === 'string' ? schema.$ref.split('/').at(-1) : undefined;
    return name === undefined ? schema : this.resolve(this.#schemas[name]);
  }

  of(reference: Schema, depth = 0): fc.Arbitrary<unknown> {
    const schema = this.resolve(reference);
    const known = this.#arbitraries.get(schema);
    if (known) return known;
    const built = this.#build(schema, depth);
    if (typeof schema === 'object') this.#arbitraries.set(schema, built);
    return built;
  }

  #build(schema: Schema, depth: number): fc.Arbitrary<unknown> {
    if (schema === undefined || schema === true || depth > 4) return fc.constantFrom(1, 'text', null, true);
    if ('const' in schema) return fc.constant(schema.const);
    if (schema.enum) return fc.constantFrom(...schema.enum);
    const variants = schema.oneOf ?? schema.anyOf;
    if (variants) return fc.oneof(...variants.map((each: Schema) => this.of(each, depth + 1)));
    const types: readonly string[] = [schema.type ?? 'string'].flat();
    return fc.oneof(...types.map((type) => this.#ofType(type, schema, depth)));
  }

  #ofType(type: string, schema: Schema, depth: number): fc.Arbitrary<unknown> {
    if (type === 'null') return fc.constant(null);
    if (type === 'boolean') return fc.boolean();
    if (type === 'integer' || type === 'number') return numbers(schema);
    if (type === 'array')
      return fc.array(this.of(schema.items, depth + 1), { minLength: schema.minItems ?? 0, maxLength: 3 });
    if (type === 'object') return this.#objects(schema, depth);
    return texts(schema);
  }

  #objects(schema: Schema, depth: number): fc.Arbitrary<unknown> {
    const properties = Object.entries(schema.properties ?? {}).filter(([, each]) => !(each as Schema).readOnly);
    const known = fc.record(Object.fromEntries(properties.map(([name, each]) => [name, this.of(each, depth + 1)])), {
      requiredKeys: schema.required?.filter((name: string) => properties.some(([each]) => each === name)) ?? [],
    });
    const more = schema.additionalProperties ?? Object.values(schema.patternProperties ?? {})[0];
    if (typeof more !== 'object') return known;
    const key = fc.stringMatching(/^[A-Z][A-Z0-9_]{0,8}$/);
    return fc.oneof(known, fc.dictionary(key, this.of(more, depth + 1), { maxKeys: 3 }));
  }
}

function numbers({ minimum, maximum }: Schema): fc.Arbitrary<number> {
  const [min, max] = [minimum ?? -(2 ** 53) + 1, maximum ?? 2 ** 53 - 1];
  return fc.oneof(
    { weight: 3, arbitrary: fc.integer({ min: Math.max(min, 1), max: Math.max(Math.min(max, 8), 1) }) },
    { weight: 1, arbitrary: fc.constantFrom(min, max, min - 1, max + 1) },
  );
}

const moments = [
  '2026-11-21T05:00:00Z',
  '2099-01-01T00:00:00+01:00',
  '0001-01-01T00:00:00Z',
  '0000-12-31T23:59:59Z',
  '9999-12-31T23:59:59.999Z',
  '9999-12-31T23:59:59-01:00',
  '1970-01-01T00:00:00Z',
];

function texts({ format, pattern, maxLength, minLength }: Schema): fc.Arbitrary<string> {
  if (format === 'date-time') return fc.constantFrom(...moments);
  // fast-check does not support lookaheads.
  if (pattern !== undefined && !pattern.includes('(?'))
    return fc.stringMatching(new RegExp(pattern), { size: 'xsmall' });
  const boundaryLengths = maxLength === undefined || maxLength > 100_000 ? [] : [maxLength, maxLength + 1];
  return fc.oneof(
    { weight: 6, arbitrary: fc.stringMatching(/^[a-z]{1,8}$/) },
    { weight: 1, arbitrary: fc.string({ minLength: minLength ?? 0, maxLength: Math.min(maxLength ?? 20, 20) }) },
    ...(boundaryLengths.length > 0
      ? [{ weight: 1, arbitrary: fc.constantFrom(...boundaryLengths.map((length) => 'y'.repeat(length))) }]
      : []),
  );
}
