import { maxFound, maxFoundOfKind, maxSearch, type Reply, type Route, type RouteContext } from '@horarium/core/plugin';
import { list, object, optionalText, text } from './schemas.ts';

/** Finds the records of every kind, or of one, by words and ids. */
export const searchRoute: Route = {
  method: 'GET',
  path: '/console/search',
  summary: 'Search the records of every kind, or of one, by words and ids',
  hidden: true,
  authentication: 'required',
  shape: {
    operation: 'searchRecords',
    tag: 'console',
    parameters: {
      q: {
        description: 'Words in any order and case, with or without accents. A number finds records with that id, too.',
        schema: { type: 'string', maxLength: maxSearch },
        example: 'acme backup',
      },
      resource: { description: 'Only the records of this kind.', schema: text, example: 'App' },
      filters: {
        description: 'The filters that narrow the records of that kind, written as in the query of its list.',
        schema: text,
        example: 'company_id=1',
      },
      limit: {
        description: `The most records to return: up to ${maxFound}, or up to ${maxFoundOfKind} of one kind.`,
        schema: { type: 'integer', minimum: 1, maximum: maxFoundOfKind },
      },
    },
    responses: {
      200: {
        description: 'The records that were found, the best first. A warning names what was not searched.',
        headers: ['Warning'],
        body: {
          schema: list(
            object({
              resource: text,
              id: { type: 'integer' },
              title: text,
              subtitle: optionalText,
              company_id: { type: ['integer', 'null'] },
            }),
          ),
          example: [
            { resource: 'RunTemplate', id: 7, title: 'Nightly backup', subtitle: 'nightly · Acme Inc.', company_id: 1 },
          ],
        },
      },
    },
  },
  handle,
};

async function handle({ core, actor, query }: RouteContext): Promise<Reply> {
  const limit = query.get('limit');
  const resource = query.get('resource');
  const filters = Object.fromEntries(new URLSearchParams(query.get('filters')));
  const request = {
    q: query.get('q') ?? '',
    ...(limit !== undefined && { limit: Number(limit) }),
    ...(resource !== undefined && { of: { resource, filters } }),
  };
  const { found, warnings } = await core.search(actor, request);
  return { value: found, warnings, shape: { kind: 'list', name: 'record', fields: null } };
}
