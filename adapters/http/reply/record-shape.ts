import {
  type AnyResource,
  embeddedIn,
  type RecordShape,
  type ResponseShape,
  summaryFieldsOf,
  visibleColumns,
} from '@horarium/core';

/** What formats are told of a kind of record. */
function recordShape(resource: AnyResource): RecordShape {
  return { name: resource.names.singular, fields: visibleColumns(resource), summaryFields: summaryFieldsOf(resource) };
}

/** What formats are told of an answer that is one record, or a list of them; made once for each description. */
export function shapeOf(resource: AnyResource, kind: 'item' | 'list'): ResponseShape {
  let shape = shapes[kind].get(resource);
  if (!shape) {
    const inside = Object.entries(embeddedIn(resource, kind)).map(([field, each]) => [
      field,
      recordShape(each.resource),
    ]);
    shape = { kind, ...recordShape(resource), many: resource.names.plural, embedded: Object.fromEntries(inside) };
    shapes[kind].set(resource, shape);
  }
  return shape;
}
const shapes = { item: new WeakMap<AnyResource, ResponseShape>(), list: new WeakMap<AnyResource, ResponseShape>() };
