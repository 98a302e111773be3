import { mixed, number } from 'yup';
import { binary, choice, count, flag, instant, integer, ref, text, texts } from '../../field/fields.ts';
import { optionalJson } from '../../field/structured.ts';
import { defineJournal, defineResource } from '../../resource/define-resource.ts';
import { byRole } from '../../resource/permissions.ts';
import type { Store } from '../../store/store.ts';
import { defineBookkeeping, type RowOfTable, type TableDescription } from '../../store/table.ts';
import type { StandingClock } from '../standing-clock.ts';

/** A table with a revision, a unique column and columns of every kind. */
export const SampleRecord = defineResource({
  name: 'SampleRecord',
  names: { singular: 'sample', plural: 'samples', id: 'sampleId' },
  description: 'A sample.',
  example: {},
  operations: [],
  permissions: byRole({ read: 'everybody', write: 'everybody' }),
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
export type SampleRow = RowOfTable<typeof SampleRecord>;

/** A table that refers to the one above, with a unique group of two columns. */
export const Child = defineJournal({
  name: 'Child',
  names: { singular: 'child', plural: 'children', id: 'childId' },
  description: 'A sample.',
  example: {},
  permissions: byRole({ read: 'everybody', write: 'the service' }),
  company: null,
  fields: {
    parent_id: ref('SampleRecord').required(),
    unchecked_id: ref('SampleRecord', { foreignKey: false }),
    number: count(0),
    part: integer(),
    title: text(255).required(),
  },
  unique: [['parent_id', 'number']],
});
export type ChildRow = RowOfTable<typeof Child>;

export const Counter = defineBookkeeping({
  name: 'Counter',
  fields: { name: text(64, { unique: true }).required(), value: count(0) },
});

/** The tables that a store under test is opened with. */
export const sampleTables: readonly TableDescription[] = [SampleRecord, Child, Counter];

export function sample(some: Partial<SampleRow> = {}): Omit<SampleRow, 'id'> {
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

export function child(parent_id: number, some: Partial<ChildRow> = {}): Omit<ChildRow, 'id'> {
  return { created_at: 1_000, parent_id, unchecked_id: null, number: 0, part: null, title: 'A child', ...some };
}

/** Properties in which stores may differ. */
export interface StoreTraits {
  /** `now()` is the time of the database, not of the clock that the store was given. @default false */
  readonly databaseTime?: boolean;
  /** Whether a second transaction can begin while one is open. @default false */
  readonly concurrent?: boolean;
  /** Whether it has `hints`, which reach other stores of the same database; its clause is left out if not. @default false */
  readonly hints?: boolean;
}

/** A store, and the clock that the contract moves. */
export interface StoreUnderTest {
  /** The store, opened with `sampleTables`. */
  readonly store: Store;
  /** The clock that the store was given. */
  readonly clock: StandingClock;
}
