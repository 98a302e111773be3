import { parse as parseYaml } from 'yaml';
import { readXml } from '../read-xml.ts';
import { injectedHeader, unescaped } from './hostile-values.ts';
import { hangsUp, type RawRequest } from './raw-request.ts';
import type { Sent } from './send-raw.ts';

/** All that is wrong with how a request was answered, a sentence each. */
export function checkAnswer(request: RawRequest, { answer, hung, milliseconds }: Sent): string[] {
  const { method } = request;
  if (hung) return [`It was not answered within ${Math.round(milliseconds)} ms.`];
  // Node closes the connections of those who want a tunnel, and of those who hang up.
  if (answer === null)
    return method === 'CONNECT' || hangsUp(request) ? [] : ['The connection was closed without an answer.'];
  const { status, headers, body } = answer;
  const type = headers.get('content-type') ?? '';
  const text = body.toString();
  const said = `${status} ${text.slice(0, 500)}`;
  const wrong: string[] = [];
  if (status >= 500) wrong.push(`It was answered ${said}`);
  if (headers.has(injectedHeader)) wrong.push('A header was injected into the answer.');
  if (/html|xml/.test(type) && text.includes(unescaped)) wrong.push(`A value came back unescaped: ${said}`);
  // What HTTP itself refuses is answered before the API hears of it.
  if (!headers.has('x-request-id')) {
    if (status >= 500 || status < 400) wrong.push(`It was answered without a request id: ${said}`);
    return wrong;
  }
  for (const name of ['x-content-type-options', 'content-security-policy', 'cache-control'])
    if (!headers.has(name)) wrong.push(`The header ${name} is missing: ${said}`);
  if (method === 'HEAD' || body.length === 0) return wrong;
  const read = readers.find(([pattern]) => pattern.test(type))?.[1];
  try {
    read?.(text);
  } catch (error) {
    wrong.push(`Its ${type} cannot be read (${(error as Error).message}): ${said}`);
  }
  return wrong;
}

const readers: readonly (readonly [RegExp, (text: string) => unknown])[] = [
  [/\bjson\b/, JSON.parse],
  [/\bxml\b/, readXml],
  [/\byaml\b/, (text) => parseYaml(text)],
];
