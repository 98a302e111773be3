import type { Format, JsonSchema, Sample } from '@horarium/core';

/** Content types whose bodies parse back to the same data; of the others a document can only say that they are text. */
const data = /\b(?:json|yaml|xml)\b/;

/** A sample in every format: the content of an answer. Without a suffix to choose it there is only the usual format. */
export function contentsOf(sample: Sample, formats: readonly Format[], kind: 'value' | 'problem'): object {
  const mimes = formats.map((format) => (kind === 'problem' ? (format.problemMime ?? format.mime) : format.mime));
  return Object.fromEntries(mimes.map((mime) => [bare(mime), contentOf(bare(mime), sample)]));
}

function contentOf(mime: string, { schema, example }: Sample): { schema: JsonSchema; example: unknown } {
  if (data.test(mime)) return { schema, example };
  return { schema: { type: 'string' }, example: `The same data as ${mime}.` };
}

/** The content type without its charset. */
function bare(mime: string): string {
  return (mime.split(';')[0] as string).trim();
}
