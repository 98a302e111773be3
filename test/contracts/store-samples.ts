import {
  binary,
  byRole,
  choice,
  count,
  defineBookkeeping,
  defineJournal,
  defineResource,
  flag,
  instant,
  integer,
  optionalJson,
  type RowOfTable,
  ref,
  type Store,
  type TableDescription,
  text,
  texts,
} from '@horarium/core';
import { mixed, number } from 'yup';
import type { StandingClock } from '../support/clocks/standing-clock.ts';

/** A table with a revision, a unique column and columns of every kind. */
export const Shelf = defineResource({
  name: 'ShelfMark',
  names: { singular: 'shelf', plural: 'shelves', id: 'shelfId' },
  description: 'A sample.',
  example: {},
  operations: [],
  permissions: byRole({ read: true, write: true }),
  company: null,
  fields: {
    code: text(64, { unique: true }),
    label: text(1_000_000),
    rank: integer({ indexed: true }),
    weight: number().nullable().default(null).meta({ kind: 'number' }),
    open: flag(true),
    seen_at: instant({ indexed: true }),
    colour: choice(['red', 'green', 'blue']),
    tags: texts(100),
    extra: optionalJson(mixed()),
    bytes: binary(),
  },
  indexes: [['colour', 'rank']],
});
export type ShelfRow = RowOfTable<typeof Shelf>;

/** A table that refers to registries, with a unique group of two columns. */
export const Book = defineJournal({
  name: 'Book',
  names: { singular: 'book', plural: 'books', id: 'bookId' },
  description: 'A sample.',
  example: {},
  permissions: byRole({ read: true, write: 'service' }),
  company: null,
  fields: {
    shelf_id: ref('ShelfMark').required(),
    friend_id: ref('ShelfMark', { foreignKey: false }),
    number: count(0),
    part: integer(),
    title: text(255).required(),
  },
  unique: [['shelf_id', 'number']],
});
export type BookRow = RowOfTable<typeof Book>;

export const Counter = defineBookkeeping({
  name: 'Counter',
  fields: { name: text(64, { unique: true }).required(), value: count(0) },
});

export const sampleTables: readonly TableDescription[] = [Shelf, Book, Counter];

export function shelf(some: Partial<ShelfRow> = {}): Omit<ShelfRow, 'id'> {
  return {
    revision: 1,
    created_at: 1_000,
    updated_at: 1_000,
    code: null,
    label: null,
    rank: null,
    weight: null,
    open: true,
    seen_at: null,
    colour: null,
    tags: [],
    extra: null,
    bytes: null,
    ...some,
  };
}

export function book(shelf_id: number, some: Partial<BookRow> = {}): Omit<BookRow, 'id'> {
  return { created_at: 1_000, shelf_id, friend_id: null, number: 0, part: null, title: 'A book', ...some };
}

/** How implementations differ. */
export interface Traits {
  /** `now()` is the time of the database, not that of the clock it was given. */
  readonly ownTime?: boolean;
  /** Transactions run concurrently. */
  readonly sideBySide?: boolean;
}

/** What the suite needs of an implementation. */
export interface Subject {
  readonly store: Store;
  readonly clock: StandingClock;
  close(): Promise<void>;
}
