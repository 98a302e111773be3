import { ownZone } from '../parts/times.ts';
import { words } from '../words/words.ts';
import { type FieldProblem, Problem } from './problem.ts';

/** Where the API answers by the cookie of the session. */
const base = new URL('console/api/', document.baseURI);

type Query = Readonly<Record<string, string | number | boolean | null | undefined>>;

export interface RequestOptions {
  readonly method?: 'GET' | 'POST' | 'DELETE';
  readonly query?: Query;
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export interface Answer<T> {
  readonly value: T;
  readonly headers: Headers;
}

/** Called when a request is answered with 401: the session has ended. */
let onSignedOut = (): void => undefined;
export function whenSignedOut(callback: () => void): void {
  onSignedOut = callback;
}

/** How far the clock of the service is ahead of that of this machine, in milliseconds. */
export const clock = { ahead: 0 };

/** The URL of a path of the API, for links and streams. */
export function urlOf(path: string, query: Query = {}): string {
  const url = new URL(path.replace(/^\//, ''), base);
  for (const [name, value] of Object.entries(query))
    if (value !== null && value !== undefined && value !== '') url.searchParams.set(name, String(value));
  return url.href;
}

/** Asks for sentences and days in the zone of the reader. */
export function inOwnZone(path: string): string {
  return `${path}?timezone=${encodeURIComponent(ownZone)}`;
}

/** How long a change whose response was lost waits until it is sent again, in milliseconds. */
const resendTime = 1000;

/**
 * Sends a request to the API. A change carries an idempotency key: one whose response is lost is sent again, and done once.
 * @param path such as `/company/3.json`.
 * @throws Problem
 */
export async function request<T>(path: string, options: RequestOptions = {}): Promise<Answer<T>> {
  const { method = 'GET', query, body, headers, signal } = options;
  const isChange = method === 'POST';
  const init: RequestInit = {
    method,
    headers: {
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...(isChange && { 'Idempotency-Key': crypto.randomUUID() }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  };
  const send = () => fetch(urlOf(path, query), init);
  const sendAgain = () => new Promise((resolve) => setTimeout(resolve, resendTime)).then(send);
  let response: Response;
  try {
    response = await (isChange ? send().catch(sendAgain) : send());
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Problem(0, 'unreachable', words.value.problem.unreachable);
  }
  setClock(response);
  if (!response.ok) throw await problemOf(response);
  const isJson = response.headers.get('content-type')?.includes('json');
  return { value: (isJson ? await response.json() : undefined) as T, headers: response.headers };
}

/** Reads a value of the API. @throws Problem */
export async function read<T>(path: string, query?: Query, signal?: AbortSignal): Promise<T> {
  return (await request<T>(path, { ...(query && { query }), ...(signal && { signal }) })).value;
}

async function problemOf(response: Response): Promise<Problem> {
  if (response.status === 401) onSignedOut();
  const problem = (await response.json().catch(() => ({}))) as {
    readonly code?: string;
    readonly detail?: string;
    readonly errors?: readonly FieldProblem[];
  };
  const { code = 'unknown', detail, errors } = problem;
  const says = detail === undefined ? words.value.problem.status(response.status) : { english: detail };
  return new Problem(response.status, code, says, errors);
}

/** The header `Date` has whole seconds: half of one is added. */
function setClock(response: Response): void {
  const date = Date.parse(response.headers.get('date') ?? '');
  if (!Number.isNaN(date)) clock.ahead = Math.abs(date + 500 - Date.now()) < 2000 ? 0 : date + 500 - Date.now();
}

/** The sentences of the header `Warning` (RFC 7234): `299 - "would delete Job 1"`. */
export function warningsOf(headers: Headers): readonly string[] {
  const found = (headers.get('warning') ?? '').matchAll(/299 - "((?:[^"\\]|\\.)*)"/g);
  return [...found].map(([, sentence = '']) => sentence.replaceAll(/\\(.)/g, '$1'));
}
