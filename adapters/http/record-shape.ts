import {
  type AnswerShape,
  type AnyResource,
  embeddedIn,
  glanceOf,
  type RecordShape,
  shownColumns,
} from '@horarium/core';

/** What formats are told of a kind of record. */
function recordShape(resource: AnyResource): RecordShape {
  return { name: resource.words.one, fields: shownColumns(resource), glance: glanceOf(resource) };
}

/** What formats are told of an answer that is one record, or a list of them; made once for each description. */
export function shapeOf(resource: AnyResource, kind: 'item' | 'list'): AnswerShape {
  let shape = shapes[kind].get(resource);
  if (!shape) {
    const inside = Object.entries(embeddedIn(resource, kind)).map(([field, each]) => [field, recordShape(each)]);
    shape = { kind, ...recordShape(resource), many: resource.words.many, embedded: Object.fromEntries(inside) };
    shapes[kind].set(resource, shape);
  }
  return shape;
}
const shapes = { item: new WeakMap<AnyResource, AnswerShape>(), list: new WeakMap<AnyResource, AnswerShape>() };
