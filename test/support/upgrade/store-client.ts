import { type CheckedFetch, checkedFetch } from '../http/checked-fetch.ts';
import { SpawnedProgram } from '../program/spawned-program.ts';

/** Where a store is, and the settings under which programs use it. */
export interface StoreSettings {
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** Uses the API of a service with a token. */
export class StoreClient {
  readonly #url: string;
  readonly #token: string;
  readonly #send: CheckedFetch;

  /**
   * @param url with the base path.
   * @param send for an older version, whose responses its own document describes.
   */
  constructor(url: string, token: string, send: CheckedFetch = checkedFetch) {
    this.#url = url;
    this.#token = token;
    this.#send = send;
  }

  /** Sends a GET, or a POST where there is a body. The path is under the base path unless it begins with `//`. */
  async ask(path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}) {
    const url = path.startsWith('//') ? new URL(path.slice(1), this.#url) : `${this.#url}${path}`;
    const response = await this.#send(url, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${this.#token}`, 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const bytes = Buffer.from(await response.arrayBuffer());
    const type = response.headers.get('content-type') ?? '';
    const isJson = /\bjson\b/.test(type) && bytes.length > 0;
    return { status: response.status, body: isJson ? JSON.parse(bytes.toString()) : bytes.toString('latin1') };
  }

  /** Sends a request that must succeed, and returns what it answers. */
  // biome-ignore lint/suspicious/noExplicitAny: answers have any shape.
  async do(path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<any> {
    const answer = await this.ask(path, body, headers);
    if (answer.status < 300) return answer.body;
    throw new Error(`${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
  }

  /** Creates a record. @returns its id. */
  async save(path: string, body: object): Promise<number> {
    return (await this.do(`/${path}/`, body)).id;
  }
}

/** Runs a command of a program, which must succeed. @returns what it writes. */
export async function runCommand(program: string, settings: StoreSettings, line: readonly string[]): Promise<string> {
  const command = new SpawnedProgram(line, settings, { program });
  if ((await command.ended) !== 0) throw new Error(`${line.join(' ')} failed: ${command.err}`);
  return command.out;
}
