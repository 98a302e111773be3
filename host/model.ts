import {
  type AnyResource,
  addPluginResources,
  allResources,
  buildResources,
  type PreparedPlugin,
} from '@horarium/core';
import type { FurtherMigrations } from '../adapters/mikro-orm/open-store.ts';
import { pluginMigrations } from '../adapters/mikro-orm/schema/plugin-migrations.ts';

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

/**
 * Adds the resources of plugins to a model.
 * @throws HorariumError `invalid` or `conflict` naming the plugin of a resource that cannot be added.
 */
export function withPlugins({ resources, furtherMigrations }: RecordModel, plugins: readonly PreparedPlugin[]) {
  const added = addPluginResources(resources, buildResources(plugins));
  const ofKind = (kind: keyof FurtherMigrations) => [
    ...(furtherMigrations?.[kind] ?? []),
    ...pluginMigrations(added.migrations, kind),
  ];
  return {
    resources: added.resources,
    furtherMigrations: { sqlite: ofKind('sqlite'), postgresql: ofKind('postgresql') },
  } satisfies RecordModel;
}
