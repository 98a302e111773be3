import { HorariumError } from '../errors.ts';
import type { Registry } from '../registry/registry.ts';
import type { AnyResource } from '../resource/define-resource.ts';

/** A step from one version of the table of a plugin's resource to the next. Steps are added, never replaced. */
export interface PluginMigration {
  /** Unique in the plugin, such as `20261126-holiday`. */
  readonly name: string;
  /** The statements for SQLite, one by one. */
  readonly sqlite: readonly string[];
  /** The statements for PostgreSQL, one by one. */
  readonly postgresql: readonly string[];
}

/**
 * A kind of records that a plugin brings. They have routes, commands, permissions and audit entries as every record. They
 * stay in the store while the plugin is not loaded.
 */
export interface PluginResource {
  /** Made by `defineResource`. It has no encrypted secrets. */
  readonly resource: AnyResource;
  /** What makes and changes its table, oldest first. They run when the service starts, after those of the core. */
  readonly migrations: readonly PluginMigration[];
}

/** The migrations that a plugin brings, oldest first. */
export interface PluginMigrations {
  readonly plugin: string;
  readonly migrations: readonly PluginMigration[];
}

/**
 * Adds the resources of plugins to those of a service.
 * @throws HorariumError `invalid` naming the plugin of a resource that cannot be added.
 */
export function addPluginResources(resources: readonly AnyResource[], registry: Registry<PluginResource>) {
  const all = [...resources];
  const migrations: PluginMigrations[] = [];
  for (const added of registry) {
    const plugin = registry.ownerOf(added.resource.name);
    const older = migrations.filter((each) => each.plugin === plugin).flatMap((each) => each.migrations);
    const refusal = refusalOf(added.resource, all) ?? repeatedMigration([...older, ...added.migrations]);
    if (refusal !== undefined)
      throw new HorariumError(
        'invalid',
        `The plugin ${plugin} provides the resource ${added.resource.name}, ${refusal}.`,
      );
    all.push(added.resource);
    migrations.push({ plugin, migrations: added.migrations });
  }
  return { resources: all, migrations };
}

/** Returns why a resource cannot be added, as the end of a sentence. */
function refusalOf(added: AnyResource, resources: readonly AnyResource[]): string | undefined {
  // A rotation of the vault while the plugin is not loaded would leave them behind.
  if (added.secrets || added.columns.some(({ secret }) => secret === 'encrypted'))
    return 'which has encrypted secrets: only those of the core can, so refer to a Credential';
  const namesOf = ({ name, table, names }: AnyResource) => [name, table, names.singular, names.plural];
  const taken = namesOf(added).find((name) => resources.some((other) => namesOf(other).includes(name)));
  if (taken !== undefined) return `but the name ${taken} is that of another resource`;
  const known = new Set<string | undefined>([added, ...resources].map(({ name }) => name));
  const dangling = added.columns.find(({ references }) => references !== undefined && !known.has(references));
  return dangling && `whose ${dangling.name} refers to ${dangling.references}, which no resource before it is`;
}

function repeatedMigration(migrations: readonly PluginMigration[]): string | undefined {
  const names = migrations.map(({ name }) => name);
  const repeated = names.find((name, index) => names.indexOf(name) < index);
  return repeated && `whose migration ${repeated} has the name of another one`;
}
