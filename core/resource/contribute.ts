import {
  type AnyResource,
  type Computed,
  type ComputedOptions,
  describeComputed,
  type Reaction,
  type Resource,
} from './define-resource.ts';

/** What a later module adds to the description of a resource that does not know that module. */
export interface Contribution {
  /** The name of the resource. */
  readonly to: string;
  readonly computed?: readonly Computed[];
  readonly reactions?: AnyResource['reactions'];
}

/** Lets something follow from every change of the resource's records, in the same transaction. */
export function react<R extends { id: number }>(resource: Resource<R>, ...reactions: Reaction<R>[]): Contribution {
  return { to: resource.name, reactions };
}

/** Shows more with the resource's records than they store. */
export function compute<R extends { id: number }>(resource: Resource<R>, options: ComputedOptions<R>): Contribution {
  return { to: resource.name, computed: [describeComputed(options)] };
}

/**
 * The resources with what is contributed to them, and with the names of all audited ones as the values of fields that
 * hold such a name. Their tables are the same: each stays interchangeable with its original there.
 */
export function contribute(
  resources: readonly AnyResource[],
  contributions: readonly Contribution[],
): readonly AnyResource[] {
  const values = resources
    .filter(({ audited }) => audited)
    .map(({ name }) => name)
    .sort();
  return resources.map((resource) => {
    const added = contributions.filter(({ to }) => to === resource.name);
    const namesResources = resource.columns.some(({ format }) => format === 'resource');
    if (added.length === 0 && !namesResources) return resource;
    const columns = namesResources
      ? resource.columns.map((each) =>
          each.format === 'resource' ? ({ ...each, kind: 'choice', values } as const) : each,
        )
      : resource.columns;
    return Object.freeze({
      ...resource,
      columns,
      computed: [...resource.computed, ...added.flatMap(({ computed = [] }) => computed)],
      reactions: [...resource.reactions, ...added.flatMap(({ reactions = [] }) => reactions)],
    });
  });
}
