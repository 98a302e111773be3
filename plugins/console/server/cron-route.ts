import { HorariumError, type Reply, type Route, type RouteContext } from '@horarium/core/plugin';
import { languageParameter, readLanguage } from './language.ts';
import { list, object, optionalText, text } from './schemas.ts';

const maxPatterns = 100;
const maxLength = 255;

/** Puts the cron patterns of a list into words. */
export const cronRoute: Route = {
  method: 'GET',
  path: '/console/cron',
  summary: 'Put cron patterns into words',
  hidden: true,
  authentication: 'required',
  shape: {
    operation: 'describeCron',
    tag: 'console',
    parameters: {
      cron: {
        description: `Patterns with semicolons between them, ${maxPatterns} at most.`,
        schema: { type: 'string', maxLength: maxPatterns * (maxLength + 1) },
        example: '0 5 * * *;@daily',
        required: true,
      },
      language: languageParameter,
    },
    responses: {
      200: {
        description: 'The words of each pattern, in the order of the patterns; null = there are none.',
        body: {
          schema: list(object({ cron: text, words: optionalText })),
          example: [{ cron: '0 5 * * *', words: 'At 05:00' }],
        },
      },
    },
  },
  handle,
};

async function handle({ query }: RouteContext): Promise<Reply> {
  const language = readLanguage(query);
  const cron = query.get('cron');
  if (!cron) throw new HorariumError('bad_request', 'cron is missing: it names the patterns.');
  const patterns = cron.split(';');
  if (patterns.length > maxPatterns)
    throw new HorariumError(
      'bad_request',
      `cron has ${patterns.length} patterns: at most ${maxPatterns} are put into words.`,
    );
  const long = patterns.find(({ length }) => length > maxLength);
  if (long !== undefined)
    throw new HorariumError(
      'bad_request',
      `cron has a pattern of ${long.length} characters: it may have ${maxLength}.`,
    );
  const { cronWords } = await import('./cron-words.ts');
  const value = patterns.map((cron) => ({ cron, words: cronWords(cron, language) }));
  return { value, shape: { kind: 'list', name: 'pattern', fields: null } };
}
