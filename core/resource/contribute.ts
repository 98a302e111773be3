import {
  type AnyResource,
  type Computed,
  type ComputedOptions,
  describeComputed,
  type Reaction,
  type Resource,
} from './define-resource.ts';

/** Computed fields and reactions that later layers add to a resource, so that the resource need not import them. */
export interface Contribution {
  /** The name of the resource. */
  readonly to: string;
  readonly computed?: readonly Computed[];
  readonly reactions?: AnyResource['reactions'];
}

/** Adds reactions, which run after every change of the resource's records, in the same transaction. */
export function react<R extends { id: number }>(resource: Resource<R>, ...reactions: Reaction<R>[]): Contribution {
  return { to: resource.name, reactions };
}

/** Adds computed fields, which are shown with the resource's records but not stored. */
export function compute<R extends { id: number }>(resource: Resource<R>, options: ComputedOptions<R>): Contribution {
  return { to: resource.name, computed: [describeComputed(options)] };
}

/**
 * Returns the resources with the contributions to them. A field of the format `resource`, which holds the name of a
 * resource, becomes a choice of the names of all audited ones. The tables are the same, so a store finds the rows by
 * either description.
 */
export function contribute(
  resources: readonly AnyResource[],
  contributions: readonly Contribution[],
): readonly AnyResource[] {
  const auditedNames = resources
    .filter(({ audited }) => audited)
    .map(({ name }) => name)
    .sort();
  return resources.map((resource) => {
    const own = contributions.filter(({ to }) => to === resource.name);
    const hasResourceField = resource.columns.some(({ format }) => format === 'resource');
    if (own.length === 0 && !hasResourceField) return resource;
    const columns = hasResourceField
      ? resource.columns.map((column) =>
          column.format === 'resource' ? ({ ...column, kind: 'choice', values: auditedNames } as const) : column,
        )
      : resource.columns;
    return Object.freeze({
      ...resource,
      columns,
      computed: [...resource.computed, ...own.flatMap(({ computed = [] }) => computed)],
      reactions: [...resource.reactions, ...own.flatMap(({ reactions = [] }) => reactions)],
    });
  });
}
