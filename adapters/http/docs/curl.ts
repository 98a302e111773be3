import { readableJson } from './readable-json.ts';

/** One request as a command that can be pasted into a shell. */
export interface Request {
  readonly method: string;
  /** With its values filled in: `/app/1.json`. */
  readonly path: string;
  readonly body?: unknown;
  readonly signIn: 'token' | 'basic' | 'none';
  /** Where the paths begin; a variable of the shell. */
  readonly base: string;
  readonly follow?: boolean;
}

/** The command, with a line for each of its parts. */
export function curl({ method, path, body, signIn, base, follow }: Request): string {
  const verb = method === 'GET' || body !== undefined ? '' : `-X ${method} `;
  return [
    `curl ${follow ? '-N ' : ''}${verb}"${base}${path}"`,
    ...(signIn === 'token' ? ['-H "Authorization: Bearer $TOKEN"'] : []),
    ...(signIn === 'basic' ? ["-u 'jane:correct horse battery staple'"] : []),
    ...(body === undefined ? [] : ["-H 'Content-Type: application/json'", `-d ${quoted(readableJson(body, '  '))}`]),
  ].join(' \\\n  ');
}

/** One word for the shell, whatever is in it. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
