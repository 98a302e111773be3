import {
  type AnyResource,
  type Computed,
  type ComputedOptions,
  describeComputed,
  type Reaction,
  type Resource,
} from './define-resource.ts';

/** What later layers and plugins add to a resource, so that the resource need not import it. */
export interface Contribution {
  /** The name of the resource. */
  readonly to: string;
  readonly computed?: readonly Computed[];
  readonly reactions?: AnyResource['reactions'];
  readonly added?: AnyResource['added'];
}

/**
 * Adds reactions, which run in the transaction of each save and deletion by Records: after a record is saved, and before
 * one is deleted. They do not run when use cases (jobs, tasks, tokens, own passwords) write.
 * @throws Error for a resource that the service alone writes, whose reactions would not run.
 */
export function react<R extends { id: number }>(resource: Resource<R>, ...reactions: Reaction<R>[]): Contribution {
  const { create, update, delete: remove } = resource.permissions.verbs;
  if ([create, update, remove].every((permission) => permission === 'the service'))
    throw new Error(`${resource.name} records are written by the service alone, which runs no reactions.`);
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
      added: [...resource.added, ...own.flatMap(({ added = [] }) => added)],
    });
  });
}
