import {
  type AnswerShape,
  type AnyResource,
  Artifact,
  CompanyUser,
  glanceOf,
  Job,
  type RecordShape,
  shownColumns,
  User,
} from '@horarium/core';

/** What formats are told of a kind of record. */
export function recordShape(resource: AnyResource): RecordShape {
  return { name: resource.words.one, fields: shownColumns(resource), glance: glanceOf(resource) };
}

/** What is shown inside records of a kind, by the field that holds it. */
const inside: Readonly<Record<string, Readonly<Record<string, RecordShape>>>> = {
  [CompanyUser.name]: { user: recordShape(User) },
  [Job.name]: { artifacts: recordShape(Artifact) },
};

/** What formats are told of an answer that is one record, or a list of them; made once for each description. */
export function shapeOf(resource: AnyResource, kind: 'item' | 'list'): AnswerShape {
  let shape = shapes[kind].get(resource);
  if (!shape) {
    shape = { kind, ...recordShape(resource), many: resource.words.many, embedded: inside[resource.name] ?? {} };
    shapes[kind].set(resource, shape);
  }
  return shape;
}
const shapes = { item: new WeakMap<AnyResource, AnswerShape>(), list: new WeakMap<AnyResource, AnswerShape>() };
