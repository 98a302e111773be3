import fc from 'fast-check';
import type { Operation } from '../operations.ts';
import type { Framing, RawRequest } from '../raw-request.ts';
import { BodyArbitrary } from './body-arbitrary.ts';
import { headersArbitrary } from './headers-arbitrary.ts';
import { mostly } from './mostly.ts';
import { type Schema, SchemaValues } from './schema-values.ts';
import { TargetArbitrary } from './target-arbitrary.ts';

/** Draws requests for the operations of an OpenAPI document, and malformed variants of them. */
export class RequestArbitrary {
  readonly #operations: readonly Operation[];
  readonly #target: TargetArbitrary;
  readonly #body: BodyArbitrary;
  readonly #senders: readonly string[];

  /** @param senders the names of the users that send them, those with most rights first. */
  constructor(operations: readonly Operation[], schemas: Readonly<Record<string, Schema>>, senders: readonly string[]) {
    const values = new SchemaValues(schemas);
    this.#operations = operations;
    this.#target = new TargetArbitrary(values);
    this.#body = new BodyArbitrary(values);
    this.#senders = senders;
  }

  get arbitrary(): fc.Arbitrary<RawRequest> {
    return fc.oneof(...this.#operations.map((operation) => this.#requestTo(operation)));
  }

  #requestTo(operation: Operation): fc.Arbitrary<RawRequest> {
    return fc
      .record({
        method: mostly(15, operation.method, fc.constantFrom(...methods)),
        target: this.#target.of(operation),
        version: mostly(60, 'HTTP/1.1', fc.constantFrom('HTTP/1.0', 'HTTP/2.0', 'HTTP/9.9', 'HTTP/1.1 x', '')),
        sender: this.#sender,
        headers: headersArbitrary(operation),
        content: this.#body.of(operation),
        framing: mostly<Framing>(20, 'length', fc.constantFrom(...framings)),
      })
      .map(({ headers, content, ...request }) => ({
        ...request,
        headers: [...headers, ...(content?.headers ?? [])],
        body: content?.bytes ?? null,
      }));
  }

  get #sender(): fc.Arbitrary<string | null> {
    return fc.oneof(
      { weight: 10, arbitrary: fc.constantFrom(...this.#senders) },
      // Requests of the users with most rights reach most code.
      { weight: 8, arbitrary: fc.constantFrom(...this.#senders.slice(0, 2)) },
      { weight: 1, arbitrary: fc.constant(null) },
    );
  }
}

const methods = [...'GET HEAD POST PUT PATCH DELETE OPTIONS TRACE CONNECT PROPFIND QUERY get FUZZ'.split(' '), ''];
const framings: readonly Framing[] = ['chunked', 'too short', 'too long', 'both', 'broken chunk', 'no length'];
