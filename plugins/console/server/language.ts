import { HorariumError, type ParameterShape, type QueryParameters } from '@horarium/core/plugin';

const languages = ['en', 'cs'] as const;
/** A language of the console. */
export type Language = (typeof languages)[number];

export const languageParameter: ParameterShape = {
  description: 'The language of words.',
  schema: { enum: languages, default: 'en' },
};

/** Reads the language of a request. @throws HorariumError `bad_request` for one that the console does not speak. */
export function readLanguage(query: QueryParameters): Language {
  const value = query.get('language') ?? 'en';
  const language = languages.find((each) => each === value);
  if (language) return language;
  throw new HorariumError('bad_request', `language must be one of ${languages.join(', ')}, not ${value.slice(0, 64)}.`);
}
