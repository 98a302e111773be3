import { DraftSchedule, parseId, type Reply, type Route, type RouteContext, shownWindow } from '@horarium/core/plugin';
import { languageParameter, readLanguage } from './language.ts';
import { list, object, optionalText, text } from './schemas.ts';

const draftParameters = Object.fromEntries(
  DraftSchedule.columns.map(({ name, description = `The ${name} of the run template.` }) => [
    name,
    { description, schema: { ...text, maxLength: 255 } },
  ]),
);

const windows = list(
  object({ window_start: text, window_end: text, due_at: optionalText, deadline: optionalText, note: optionalText }),
);

/** Shows what a schedule would mean, while a person fills in the form of a run template. */
export const previewRoute: Route = {
  method: 'GET',
  path: '/console/preview',
  summary: 'List the windows that a run template would have, as its form has it',
  hidden: true,
  authentication: 'required',
  shape: {
    operation: 'previewSchedule',
    tag: 'console',
    parameters: {
      ...draftParameters,
      runtemplate_id: {
        description: 'The run template that the form changes, which decides about the jitter.',
        schema: { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
      },
      language: languageParameter,
    },
    errors: [422],
    responses: {
      200: {
        description: 'The next ten windows, those about the clock changes of the year, and the cron pattern in words.',
        body: {
          schema: object({ words: optionalText, windows, clock_changes: windows }),
          example: { words: 'At 05:00', windows: [], clock_changes: [] },
        },
      },
    },
  },
  handle,
};

async function handle({ core, actor, query }: RouteContext): Promise<Reply> {
  const language = readLanguage(query);
  const filledIn = [...query].filter(([name]) => Object.hasOwn(draftParameters, name));
  const input = { kind: 'form', fields: new Map(filledIn.map(([name, value]) => [name, [value]])) } as const;
  const template = query.get('runtemplate_id');
  const from = core.clock.now();
  const { cron, ...drafted } = await core.forms.previewSchedule(actor, {
    input,
    id: template === undefined ? null : parseId('runtemplate_id', template),
    from,
  });
  const value = {
    words: cron === null ? null : (await import('./cron-words.ts')).cronWords(cron, language),
    windows: drafted.windows.map(shownWindow),
    clock_changes: drafted.clockChanges.map(shownWindow),
  };
  return { value, shape: { kind: 'item', name: 'preview', fields: null } };
}
