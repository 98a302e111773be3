import {
  type FieldDescription,
  isPlainObject,
  type RecordShape,
  type ResponseLinks,
  type ResponseShape,
} from '@horarium/core/plugin';
import { type Cell, nameOf, type Row } from './cell.ts';
import { changedFieldsCell, changesCell, dataCell, textCell } from './data-cell.ts';
import { sectionsOf } from './sections.ts';

/** Turns the values of records of one shape into cells. */
export class Cells {
  readonly #shape: RecordShape;
  readonly #links: ResponseLinks | null;
  readonly #fields: ReadonlyMap<string, FieldDescription>;
  readonly #embedded: Readonly<Record<string, RecordShape>>;

  constructor(shape: RecordShape & Pick<ResponseShape, 'embedded'>, links: ResponseLinks | null) {
    this.#shape = shape;
    this.#links = links;
    this.#embedded = shape.embedded ?? {};
    this.#fields = new Map((shape.fields ?? []).map((field) => [field.name, field]));
  }

  field(name: string): FieldDescription | undefined {
    return this.#fields.get(name);
  }

  /** The cell of a field on the page of its record. */
  of(row: Row, name: string): Cell {
    const value = Object.hasOwn(row, name) ? row[name] : null;
    const field = this.#fields.get(name);
    if (field?.kind === 'references' && Array.isArray(value) && value.length > 0)
      return { kind: 'items', items: value.map((id) => this.#linked(field.references as string, id)) };
    if (typeof value === 'number') return this.#linked(this.#kindOfId(row, name, field), value);
    if (typeof value === 'string') return this.#endpoint(row, name, value) ?? textCell(name, value, field);
    if (name === 'changes' && isPlainObject(value)) return changesCell(value);
    if (isPlainObject(value) && Object.hasOwn(this.#embedded, name)) return this.#embeddedLink(name, value);
    return dataCell(value, 0);
  }

  /** Returns the cell of a field in a list, where it is shorter. */
  inList(row: Row, name: string): Cell {
    const value = row[name];
    return name === 'changes' && isPlainObject(value) ? changedFieldsCell(value) : this.of(row, name);
  }

  /** Builds the link to an endpoint from its path, `/apps.{suffix}`; null where the path contains an id. */
  #endpoint(row: Row, name: string, path: string): Cell | null {
    if (name !== 'path' || row['method'] !== 'GET') return null;
    const bare = path.replace(/\.\{suffix\}$/, '');
    const section = bare.includes('{') ? null : sectionsOf(this.#links).find((each) => bare.endsWith(`/${each.name}`));
    return section ? { kind: 'link', text: path, href: section.href, outside: false } : null;
  }

  /** The name of the resource whose id the field contains; undefined for numbers that are no ids. */
  #kindOfId(row: Row, name: string, field: FieldDescription | undefined): string | undefined {
    if (name === 'id') return this.#shape.name;
    if (name === 'entity_id') return typeof row['entity_type'] === 'string' ? row['entity_type'] : undefined;
    return field?.references ?? /^(.+)_id$/.exec(name)?.[1];
  }

  /** Builds the link to an embedded record, with its name as the text. */
  #embeddedLink(name: string, inside: Row): Cell {
    const { id } = inside;
    const href = typeof id === 'number' ? this.#links?.record(this.#embedded[name]?.name ?? '', id) : null;
    return href ? { kind: 'link', text: nameOf(inside) ?? String(id), href, outside: false } : dataCell(inside, 0);
  }

  #linked(kind: string | undefined, id: unknown): Cell {
    const href = kind !== undefined && typeof id === 'number' ? this.#links?.record(kind, id) : null;
    return href ? { kind: 'link', text: String(id), href, outside: false } : dataCell(id, 0);
  }
}
