import { defineFields, definePlugin, instant, type Route, RunTemplate, setFields } from '@horarium/core/plugin';

/** When a template was last reviewed: a field of RunTemplates, in a table of its own. */
const Review = defineFields(RunTemplate, {
  name: 'Review',
  fields: { reviewed_at: instant({ readOnly: true, description: 'When a person last reviewed it.' }) },
});

const migrations = [
  {
    name: '20261126-review',
    sqlite: [
      `create table horarium_review (
         id integer not null primary key autoincrement,
         record_id integer not null,
         reviewed_at integer null
       )`,
      'create unique index horarium_review_record_id_unique on horarium_review (record_id)',
    ],
    postgresql: [
      `create table horarium_review (
         id bigserial primary key,
         record_id bigint not null,
         reviewed_at timestamptz(3) null,
         constraint horarium_review_record_id_unique unique (record_id)
       )`,
    ],
  },
];

const review: Route = {
  method: 'POST',
  path: '/runtemplate/{runTemplateId}/review.{suffix}',
  summary: 'Note that a run template was reviewed',
  authentication: 'required',
  shape: {
    operation: 'reviewRunTemplate',
    tag: RunTemplate.names.plural,
    right: { resource: RunTemplate.name, verbs: ['update'] },
    responses: { 204: { description: 'It is noted.' } },
  },
  handle: (context) =>
    context.inTransaction(async (tables) => {
      const id = context.id('runTemplateId');
      // Refuses callers who may not change the template.
      await context.core.records(RunTemplate).lockIn(tables, context.actor, id);
      await setFields(tables, Review, id, { reviewed_at: context.core.clock.now() });
      return { writtenRecord: { resource: RunTemplate.name, row: { id }, created: false } };
    }),
};

export default definePlugin({
  name: 'reviews',
  api: 1,
  fields: [{ fields: Review, migrations }],
  routes: () => [review],
});
