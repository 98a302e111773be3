import { Company } from '../company/company.ts';
import { badRequest } from '../errors.ts';
import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';
import { maxFilterValues, readListQuery } from '../records/list-query.ts';
import { didYouMean } from '../registry/did-you-mean.ts';
import { companyOf, visibleTo } from '../resource/access.ts';
import type { Actor } from '../resource/actor.ts';
import type { AnyResource } from '../resource/define-resource.ts';
import { nounsOf } from '../resource/nouns.ts';
import type { Where } from '../store/query.ts';
import type { Tables } from '../store/store.ts';
import type { AnyRow } from '../store/table.ts';
import { compareValues } from '../store/where.ts';
import { isSearchedById, isSearchedByWords, searchedFieldsOf } from './searched.ts';
import { fold, rankOf } from './words.ts';

/** A search of the records of every kind, or of one. */
export interface SearchRequest {
  /** Words in any order and any case, with or without accents; a number finds the records with that id, too. */
  readonly q: string;
  /** @default the most: 20, or 100 of one kind */
  readonly limit?: number;
  /** @default all kinds */
  readonly of?: SearchedKind;
}

/** The records of one kind, as the filters of its lists narrow them. */
interface SearchedKind {
  readonly resource: string;
  /** @default none */
  readonly filters?: Readonly<Record<string, unknown>>;
}

/** A record that a search has found. */
export interface FoundRecord {
  readonly resource: string;
  readonly id: number;
  readonly title: string;
  /** What it belongs to, and its code; null where there is neither. */
  readonly subtitle: string | null;
  readonly company_id: number | null;
}

export interface SearchResult {
  /** The best first. */
  readonly found: readonly FoundRecord[];
  /** Sentences that say what was not searched. */
  readonly warnings: readonly string[];
}

export const maxFound = 20;
/** As many as a filter of a list may have values, so that a list can show them. */
export const maxFoundOfKind = maxFilterValues;
/** How long a search may be, in characters and in words. */
export const maxSearch = 200;
const maxWords = 10;
/** How many records of one kind are read, the newest first, and how many at once. */
const maxRead = 20_000;
const pageSize = 1000;

/** The ranks of records with the id. What has no title comes first: people know it by its id. */
const idRanks = { untitled: -2, titled: -1 } as const;

/** The kinds that people act on most: of records with the same rank, theirs come first. */
const firstKinds = ['RunTemplate', 'Task', 'Job', 'Company', 'App', 'User'];

/** A record that was found, with what it is sorted by. */
interface RankedRecord extends FoundRecord {
  readonly rank: number;
}

/**
 * Searches the records that an actor may see. Databases do not agree about letters and case, so it reads the names
 * and compares them here.
 * @throws HorariumError `bad_request` for a search that is too long, or such a limit, a kind or a filter that does not exist.
 */
export async function search(
  tables: Tables,
  actor: Actor,
  { q, of, limit = of ? maxFoundOfKind : maxFound }: SearchRequest,
  resources: readonly AnyResource[],
): Promise<SearchResult> {
  const max = of ? maxFoundOfKind : maxFound;
  if (q.length > maxSearch) throw badRequest(`q has ${q.length} characters: at most ${maxSearch} are searched for.`);
  if (!Number.isSafeInteger(limit) || limit < 1 || limit > max)
    throw badRequest(`limit must be a whole number from 1 to ${max}.`);
  const words = [...new Set(fold(q).split(/\s+/).filter(Boolean))];
  if (words.length > maxWords) throw badRequest(`q has ${words.length} words: at most ${maxWords} are searched for.`);
  const kind = of ? resourceNamed(of.resource, resources) : null;
  const where = kind ? readListQuery(kind, { filters: of?.filters ?? {} }).query.where : [];
  if (words.length === 0) return { found: [], warnings: [] };
  const searching = new Searching(tables, actor, { words, where: where as Where, max });
  await searching.readCompanies();
  const id = /^\d{1,15}$/.test(q.trim()) ? Number(q) : null;
  for (const resource of kind ? [kind] : resources) {
    await yieldToEventLoop();
    if (id !== null && isSearchedById(resource)) await searching.byId(resource, id, resources);
    if (isSearchedByWords(resource)) await searching.byWords(resource);
  }
  return { found: searching.best(limit), warnings: searching.warnings };
}

function resourceNamed(name: string, resources: readonly AnyResource[]): AnyResource {
  const found = resources.find((resource) => resource.name === name);
  if (found) return found;
  const names = resources.map((resource) => resource.name);
  throw badRequest(`There is no resource ${name.slice(0, 64)}.${didYouMean(name, names)}`);
}

interface SearchedRecords {
  readonly words: readonly string[];
  /** What narrows the records that are searched. */
  readonly where: Where;
  /** How many records are found at most. */
  readonly max: number;
}

/** One search. */
class Searching {
  readonly warnings: string[] = [];
  readonly #tables: Tables;
  readonly #actor: Actor;
  readonly #searched: SearchedRecords;
  readonly #companies = new Map<number, { readonly name: string; readonly folded: string }>();
  /** The ids that were found, by the name of the resource. */
  readonly #ids: Record<string, number> = {};
  #found: RankedRecord[] = [];

  constructor(tables: Tables, actor: Actor, searched: SearchedRecords) {
    this.#tables = tables;
    this.#actor = actor;
    this.#searched = searched;
  }

  /** Reads the names of the companies that the actor may see, which records belong to. */
  async readCompanies(): Promise<void> {
    for await (const { id, name } of this.#rowsOf(Company, ['id', 'name'], [])) {
      await yieldToEventLoop();
      this.#companies.set(id, { name: String(name), folded: fold(String(name)) });
    }
  }

  /** Finds the record of a kind with an id. */
  async byId(resource: AnyResource, id: number, resources: readonly AnyResource[]): Promise<void> {
    const { title } = searchedFieldsOf(resource);
    const row = await this.#findRow(resource, id, this.#searched.where);
    if (!row) return;
    this.#ids[resource.name] = id;
    const { noun } = nounsOf(resource);
    const name = title === undefined ? null : row[title];
    const called = name ? String(name) : `${noun.charAt(0).toUpperCase()}${noun.slice(1)} ${id}`;
    const owner = await this.#ownerOf(resource, row, resources);
    this.#add(resource, row, { title: called, owner, rank: title === undefined ? idRanks.untitled : idRanks.titled });
  }

  /** Finds the records of a kind that have the words. */
  async byWords(resource: AnyResource): Promise<void> {
    const { title = '', others, columns } = searchedFieldsOf(resource);
    for await (const row of this.#rowsOf(resource, columns, this.#searched.where)) {
      await yieldToEventLoop();
      const texts = {
        title: foldedText(row[title]),
        others: others.map((name) => foldedText(row[name])),
        context: this.#companyOf(resource, row)?.folded ?? '',
      };
      const rank = rankOf(this.#searched.words, texts);
      if (rank === null || this.#ids[resource.name] === row.id) continue;
      const called = row[title] ?? others.map((name) => row[name]).find(Boolean);
      this.#add(resource, row, { title: String(called ?? row.id), owner: null, rank });
    }
  }

  /** The records that were found, the best first. */
  best(limit: number): FoundRecord[] {
    this.#found.sort(compareFound);
    return this.#found.slice(0, limit).map(({ rank: _rank, ...found }) => found);
  }

  #add(
    resource: AnyResource,
    row: AnyRow,
    { title, owner, rank }: { readonly title: string; readonly owner: string | null; readonly rank: number },
  ): void {
    const code = row['code'] ?? title;
    const company = resource.name === Company.name ? null : this.#companyOf(resource, row);
    const subtitle = [code === title ? null : String(code), owner, company?.name].filter(Boolean).join(' · ') || null;
    this.#found.push({
      resource: resource.name,
      id: row.id,
      title,
      subtitle,
      company_id: companyOf(resource, row),
      rank,
    });
    const { max } = this.#searched;
    if (this.#found.length < 10 * max) return;
    this.#found.sort(compareFound);
    this.#found.splice(max);
  }

  #companyOf(resource: AnyResource, row: AnyRow) {
    return this.#companies.get(companyOf(resource, row) ?? 0);
  }

  /** Returns the name of what a record without a title belongs to; null where that has none, or the actor may not see it. */
  async #ownerOf(resource: AnyResource, row: AnyRow, resources: readonly AnyResource[]): Promise<string | null> {
    for (const { name, references } of searchedFieldsOf(resource).owners) {
      await yieldToEventLoop();
      const target = resources.find((each) => each.name === references);
      const { title } = target ? searchedFieldsOf(target) : {};
      if (!target || title === undefined || typeof row[name] !== 'number') continue;
      const owner = await this.#findRow(target, row[name], []);
      if (owner) return String(owner[title]);
    }
    return null;
  }

  async #findRow(resource: AnyResource, id: number, further: Where): Promise<AnyRow | undefined> {
    const where: Where = [['id', '=', id], ...further, ...visibleTo(this.#actor, resource)];
    const { columns } = searchedFieldsOf(resource);
    const [row] = await this.#tables.of<AnyRow>(resource).find({ where, limit: 1, columns });
    return row;
  }

  /** Reads some columns of the newest records of a kind that the actor may see, page by page. */
  async *#rowsOf(resource: AnyResource, columns: readonly string[], further: Where): AsyncGenerator<AnyRow> {
    const conditions = [...further, ...(visibleTo(this.#actor, resource) as Where)];
    const table = this.#tables.of<AnyRow>(resource);
    let before = Number.MAX_SAFE_INTEGER;
    for (let read = 0; read < maxRead; read += pageSize) {
      await yieldToEventLoop();
      const where: Where = [['id', '<', before], ...conditions];
      const rows = await table.find({ where, order: [['id', 'desc']], limit: pageSize, columns });
      yield* rows;
      if (rows.length < pageSize) return;
      before = rows.at(-1)?.id ?? 0;
    }
    this.warnings.push(`Only the newest ${maxRead} ${nounsOf(resource).many} were searched.`);
  }
}

function compareFound(one: RankedRecord, other: RankedRecord): number {
  return one.rank - other.rank || placeOfKind(one) - placeOfKind(other) || compareValues(one.title, other.title);
}

function placeOfKind({ resource }: RankedRecord): number {
  const place = firstKinds.indexOf(resource);
  return place === -1 ? firstKinds.length : place;
}

function foldedText(value: unknown): string {
  return typeof value === 'string' ? fold(value) : '';
}
