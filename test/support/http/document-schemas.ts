import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

/** The keys that lead from the root of a document to one of its parts. */
export type DocumentPath = readonly string[];

const known = new Map<string, DocumentSchemas>();

/** The schemas of an OpenAPI document, each compiled once in a process, however many services have the same document. */
export class DocumentSchemas {
  readonly #ajv = new Ajv2020({ strict: false, allErrors: true });
  readonly #compiled = new Map<string, ValidateFunction>();
  readonly #document: object;

  static of(document: object): DocumentSchemas {
    const text = JSON.stringify(document);
    const schemas = known.get(text) ?? new DocumentSchemas(document);
    known.set(text, schemas);
    return schemas;
  }

  private constructor(document: object) {
    this.#document = document;
    addFormats.default(this.#ajv);
    this.#ajv.addSchema(document, 'document');
  }

  /** Finds a part, and its path after references are followed; undefined when there is none. */
  at(location: DocumentPath): { readonly location: DocumentPath; readonly part: Record<string, unknown> } | undefined {
    let part: unknown = this.#document;
    for (const key of location) part = (part as Record<string, unknown> | undefined)?.[key];
    if (typeof part !== 'object' || part === null) return undefined;
    const { $ref } = part as { readonly $ref?: string };
    return $ref === undefined
      ? { location, part: part as Record<string, unknown> }
      : this.at($ref.replace('#/', '').split('/'));
  }

  /** Validates a value by the schema at a path. @returns the errors; null when it is valid. */
  faults(location: DocumentPath, value: unknown): string | null {
    const pointer = location
      .map((key) => encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1')))
      .join('/');
    const validate = this.#compiled.get(pointer) ?? this.#ajv.compile({ $ref: `document#/${pointer}` });
    this.#compiled.set(pointer, validate);
    return validate(value) ? null : this.#ajv.errorsText(validate.errors);
  }
}
