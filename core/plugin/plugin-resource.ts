import { HorariumError } from '../errors.ts';
import type { Registry } from '../registry/registry.ts';
import { type AddedFields, addFields } from '../resource/added-fields.ts';
import { contribute } from '../resource/contribute.ts';
import type { AnyResource } from '../resource/define-resource.ts';
import { computedColumns } from '../resource/serialize.ts';
import { visibleColumns } from '../resource/serialize-row.ts';
import { tablesOf } from '../resources.ts';
import type { TableDescription } from '../store/table.ts';

/** A step from one version of a plugin's table to the next. Steps are added, never replaced. */
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

/**
 * Fields that a plugin adds to the records of a resource, of the product or of a plugin. They stay in the store while the
 * plugin is not loaded.
 */
export interface PluginFields {
  /** Made by `defineFields`. None is an encrypted secret. */
  readonly fields: AddedFields;
  /** Like the migrations of a resource. */
  readonly migrations: readonly PluginMigration[];
}

/** The migrations that a plugin brings, oldest first. */
export interface PluginMigrations {
  readonly plugin: string;
  readonly migrations: readonly PluginMigration[];
}

/**
 * Adds the resources of plugins to those of a service, and their fields to all of them.
 * @throws HorariumError `invalid` naming the plugin of a resource or of fields that cannot be added.
 */
export function addPluginResources(
  resources: readonly AnyResource[],
  registries: { readonly resources: Registry<PluginResource>; readonly fields: Registry<PluginFields> },
) {
  let all = resources;
  const migrations: PluginMigrations[] = [];
  const admit = (plugin: string, what: string, added: readonly PluginMigration[], refused: string | undefined) => {
    const older = migrations.filter((each) => each.plugin === plugin).flatMap((each) => each.migrations);
    const refusal = refused ?? repeatedMigration([...older, ...added]);
    if (refusal !== undefined)
      throw new HorariumError('invalid', `The plugin ${plugin} provides the ${what}, ${refusal}.`);
    migrations.push({ plugin, migrations: added });
  };
  for (const { resource, migrations: added } of registries.resources) {
    const plugin = registries.resources.ownerOf(resource.name);
    admit(plugin, `resource ${resource.name}`, added, refusalOf(resource, all));
    all = [...all, resource];
  }
  for (const { fields, migrations: added } of registries.fields) {
    const plugin = registries.fields.ownerOf(fields.name);
    admit(plugin, `table of fields ${fields.name}`, added, fieldsRefusalOf(fields, all));
    all = contribute(all, [addFields(fields)]);
  }
  return { resources: all, migrations };
}

/** Returns why fields cannot be added, as the end of a sentence. */
function fieldsRefusalOf(added: AddedFields, resources: readonly AnyResource[]): string | undefined {
  const resource = resources.find(({ name }) => name === added.of.name);
  if (!resource) return `whose records are ${added.of.name}, which no resource is`;
  const hasItsName = ({ name, table }: TableDescription) => name === added.name || table === added.table;
  if (tablesOf(resources).some(hasItsName)) return `but the name ${added.name} is that of another table`;
  const secret = added.columns.find((column) => column.secret === 'encrypted');
  if (secret) return `whose ${secret.name} is an encrypted secret: only the core has those, so refer to a Credential`;
  const shown = visibleColumns(added);
  const writable = shown.find(({ readOnly }) => !readOnly);
  if (writable) return `whose ${writable.name} must be readOnly, because only the plugin writes it`;
  const known = new Set([...resource.columns, ...computedColumns(resource, 'item')].map(({ name }) => name));
  const taken = shown.find(({ name }) => known.has(name));
  return taken && `whose ${taken.name} is a field of ${resource.name} already`;
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
