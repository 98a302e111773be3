import type { AnyResource } from './define-resource.ts';

/**
 * Makes every field of the format `resource`, which holds the name of a resource, a choice of the names of all audited
 * ones. The tables are the same, so a store finds the rows by either description.
 */
export function withResourceNames(resources: readonly AnyResource[]): readonly AnyResource[] {
  const values = resources
    .filter(({ audited }) => audited)
    .map(({ name }) => name)
    .sort();
  return resources.map((resource) => {
    if (!resource.columns.some(({ format }) => format === 'resource')) return resource;
    const columns = resource.columns.map((column) =>
      column.format === 'resource' ? ({ ...column, kind: 'choice', values } as const) : column,
    );
    return Object.freeze({ ...resource, columns });
  });
}
