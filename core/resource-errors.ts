import type { AnyResource } from './resource/define-resource.ts';
import { computedColumns, embeddedIn } from './resource/serialize.ts';
import { allResources } from './resources.ts';

/** Lists what is missing, repeated or out of order in the resources, and the fields that they name but do not have. */
export function resourceErrors(resources: readonly AnyResource[]): string[] {
  const names = resources.map(({ name }) => name);
  const missing = allResources.filter(({ name }) => !names.includes(name));
  const repeated = names.filter((name, index) => names.indexOf(name) < index);
  return [
    ...missing.map(({ name }) => `resources lack ${name}`),
    ...repeated.map((name) => `resources contain ${name} twice`),
    ...resources.flatMap((resource, index) => referenceErrors(resource, names.slice(0, index + 1), names)),
    ...resources.flatMap((resource) => fieldNameErrors(resource, resources)),
  ];
}

/** @param earlier the names of the resource and of those before it. */
function referenceErrors({ name, columns }: AnyResource, earlier: readonly string[], all: readonly string[]): string[] {
  return columns.flatMap(({ name: field, references, foreignKey }) => {
    if (references === undefined || earlier.includes(references)) return [];
    if (!all.includes(references)) return [`${name}.${field} refers to ${references}, which is no resource`];
    return foreignKey === false ? [] : [`${name}.${field} refers to ${references}, which must come before ${name}`];
  });
}

/** An option of a resource that names fields, and the fields that it may name. */
interface NamedFields {
  readonly option: string;
  readonly named: readonly (string | null | undefined)[];
  /** The name of the resource that has the fields. */
  readonly of: string;
  readonly fields: readonly string[];
}

/** Lists the names of fields that do not exist, in the options of a resource. */
function fieldNameErrors(resource: AnyResource, resources: readonly AnyResource[]): string[] {
  return namedFields(resource, resources).flatMap(({ option, named, of, fields }) =>
    named
      .filter((field) => field !== null && field !== undefined && !fields.includes(field))
      .map((field) => `${resource.name}.${option} names ${field}, which is no field of ${of}`),
  );
}

function namedFields(resource: AnyResource, resources: readonly AnyResource[]): NamedFields[] {
  const {
    name: of,
    columns,
    permissions,
    key,
    period,
    company,
    companyFrom,
    secondaryFields,
    leadingFields,
  } = resource;
  const fields = columnNames(resource);
  const embedded = Object.entries(embeddedIn(resource, 'item'));
  const computed = computedColumns(resource, 'item').map(({ name }) => name);
  const shown = [...fields, ...computed, ...embedded.map(([field]) => field)];
  return [
    { option: 'permissions.fields', named: permissions.fields ?? [], of, fields },
    { option: 'key', named: key, of, fields },
    { option: 'period', named: [period], of, fields },
    { option: 'company', named: [company], of, fields },
    { option: 'companyFrom', named: [companyFrom], of, fields },
    { option: 'summaryFields', named: resource.summaryFields ?? [], of, fields: shown },
    { option: 'secondaryFields', named: secondaryFields, of, fields: shown },
    { option: 'leadingFields', named: leadingFields, of, fields },
    ...embedded.map(([field, { resource: referrer, by }]) => ({
      option: `embeds.${field}.by`,
      named: [by],
      of: referrer.name,
      fields: columnNames(referrer),
    })),
    ...columns.flatMap(({ name, references, namedBy }) => {
      const target = resources.find((each) => each.name === references);
      if (!target) return [];
      return [{ option: `${name}.namedBy`, named: [namedBy], of: target.name, fields: columnNames(target) }];
    }),
  ];
}

function columnNames({ columns }: AnyResource): string[] {
  return columns.map(({ name }) => name);
}
