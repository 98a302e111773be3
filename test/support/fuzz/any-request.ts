import fc from 'fast-check';
import { AnyBody } from './any-body.ts';
import { anyHeaders } from './any-headers.ts';
import { AnyTarget } from './any-target.ts';
import { mostly } from './mostly.ts';
import type { Operation } from './operations.ts';
import type { Framing, RawRequest } from './raw-request.ts';
import { type Schema, SchemaValues } from './schema-values.ts';

/** Requests that an OpenAPI document describes, and all that can be wrong with them. */
export class AnyRequest {
  readonly #operations: readonly Operation[];
  readonly #target: AnyTarget;
  readonly #body: AnyBody;
  readonly #people: readonly string[];

  /** @param people who may send them, those first who may do most. */
  constructor(operations: readonly Operation[], schemas: Readonly<Record<string, Schema>>, people: readonly string[]) {
    const values = new SchemaValues(schemas);
    this.#operations = operations;
    this.#target = new AnyTarget(values);
    this.#body = new AnyBody(values);
    this.#people = people;
  }

  get arbitrary(): fc.Arbitrary<RawRequest> {
    return fc.oneof(...this.#operations.map((operation) => this.#to(operation)));
  }

  #to(operation: Operation): fc.Arbitrary<RawRequest> {
    return fc
      .record({
        method: mostly(15, operation.method, fc.constantFrom(...methods)),
        target: this.#target.of(operation),
        version: mostly(60, 'HTTP/1.1', fc.constantFrom('HTTP/1.0', 'HTTP/2.0', 'HTTP/9.9', 'HTTP/1.1 x', '')),
        who: this.#who,
        headers: anyHeaders(operation),
        content: this.#body.of(operation),
        framing: mostly<Framing>(20, 'length', fc.constantFrom(...framings)),
      })
      .map(({ headers, content, ...request }) => ({
        ...request,
        headers: [...headers, ...(content?.headers ?? [])],
        body: content?.bytes ?? null,
      }));
  }

  get #who(): fc.Arbitrary<string | null> {
    return fc.oneof(
      { weight: 10, arbitrary: fc.constantFrom(...this.#people) },
      // Who may do most gets furthest.
      { weight: 8, arbitrary: fc.constantFrom(...this.#people.slice(0, 2)) },
      { weight: 1, arbitrary: fc.constant(null) },
    );
  }
}

const methods = [...'GET HEAD POST PUT PATCH DELETE OPTIONS TRACE CONNECT PROPFIND QUERY get FUZZ'.split(' '), ''];
const framings: readonly Framing[] = ['chunked', 'too short', 'too long', 'both', 'broken chunk', 'no length'];
