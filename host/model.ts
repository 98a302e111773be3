import { type AnyResource, allResources } from '@horarium/core';
import type { FurtherMigrations } from '../adapters/mikro-orm/open-store.ts';

/**
 * The kinds of records that a service has. A custom host adds resources of its own, with migrations for their tables.
 */
export interface RecordModel {
  readonly resources: readonly AnyResource[];
  /** @default none */
  readonly furtherMigrations?: FurtherMigrations;
}

/** The kinds of records of Horarium itself. */
export const standardModel: RecordModel = { resources: allResources };
