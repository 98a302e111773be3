import type { AnswerCheck } from '../answer-check.ts';
import type { RawRequest } from './raw-request.ts';
import type { RawAnswer } from './send-raw.ts';

/** In what an answer is not as the service's own document describes it. */
export function checkDescribed(check: AnswerCheck, { method, target }: RawRequest, answer: RawAnswer | null): string[] {
  // What HTTP itself refuses is answered before the API hears of it.
  if (!answer?.headers.has('x-request-id')) return [];
  const { status, body } = answer;
  // Two slashes at the beginning of a target are a path, and no host.
  const { pathname, search } = new URL(
    target.startsWith('/') ? `http://localhost${target}` : target,
    'http://localhost',
  );
  // The document speaks of paths whose words, ids and suffixes are not empty.
  if (/\/[./]|\.\.|\.\/?$/.test(pathname)) return [];
  const headers = Object.fromEntries(answer.headers);
  try {
    check.check({ method, path: pathname + search }, { status, headers, text: body.toString() });
    return [];
  } catch (error) {
    return [(error as Error).message];
  }
}
