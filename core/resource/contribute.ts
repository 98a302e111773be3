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

/** Returns the resources with the contributions to them. */
export function contribute(
  resources: readonly AnyResource[],
  contributions: readonly Contribution[],
): readonly AnyResource[] {
  return resources.map((resource) => {
    const own = contributions.filter(({ to }) => to === resource.name);
    if (own.length === 0) return resource;
    return Object.freeze({
      ...resource,
      computed: [...resource.computed, ...own.flatMap(({ computed = [] }) => computed)],
      reactions: [...resource.reactions, ...own.flatMap(({ reactions = [] }) => reactions)],
    });
  });
}
