import { text } from '../field/fields.ts';
import { defineResource, type InputOfResource, type Resource } from '../resource/define-resource.ts';
import { byRole } from '../resource/permissions.ts';
import type { RowOfTable } from '../store/table.ts';

const described = defineResource({
  name: 'Topic',
  names: { singular: 'topic', plural: 'topics', id: 'topicId' },
  description: 'A subject that groups apps and run templates.',
  example: { name: 'Finance', description: 'What the accountants look at.', color: '#1f77b4' },
  operations: ['list', 'get', 'save', 'delete'],
  permissions: byRole({ read: 'viewer', write: 'editor' }),
  company: null,
  key: ['name'],
  summaryFields: ['id', 'name', 'color', 'description'],
  fields: {
    name: text(255, { unique: true, description: 'Name for people.' }).required(),
    description: text(65_535, { description: 'What belongs to the topic.' }),
    color: text(7, { format: 'colour', description: 'As #rrggbb.' }).matches(
      /^#[0-9A-Fa-f]{6}$/,
      ({ path }: { path: string }) => `${path} must be a colour such as #1f77b4`,
    ),
  },
});
export type TopicRow = { [K in keyof RowOfTable<typeof described>]: RowOfTable<typeof described>[K] };
export type TopicInput = { [K in keyof InputOfResource<typeof described>]: InputOfResource<typeof described>[K] };

/** A subject that groups apps and run templates. */
export const Topic: Resource<TopicRow, TopicInput> = described;
