import { readableJson } from './readable-json.ts';

/** A request, to be shown as a command that can be pasted into a shell. */
export interface ExampleRequest {
  readonly method: string;
  /** With its values filled in: `/app/1.json`. */
  readonly path: string;
  readonly body?: unknown;
  readonly signIn: 'token' | 'basic' | 'none';
  /** The shell variable that holds the address which paths are relative to. */
  readonly base: string;
  readonly follow?: boolean;
}

/** The curl command of a request, a line for each of its options. */
export function curl({ method, path, body, signIn, base, follow }: ExampleRequest): string {
  const methodOption = method === 'GET' || body !== undefined ? '' : `-X ${method} `;
  return [
    `curl ${follow ? '-N ' : ''}${methodOption}"${base}${path}"`,
    ...(signIn === 'token' ? ['-H "Authorization: Bearer $TOKEN"'] : []),
    ...(signIn === 'basic' ? ["-u 'jane:correct horse battery staple'"] : []),
    ...(body === undefined ? [] : ["-H 'Content-Type: application/json'", `-d ${quoted(readableJson(body, '  '))}`]),
  ].join(' \\\n  ');
}

/** A text as one word of the shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
