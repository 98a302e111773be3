import { parseSetCookie, type SetCookie } from 'cookie';
import { adminPassword, type HttpService, type TestRequest, type TestResponse } from './http-service.ts';

/** A page of the service in a browser: it says with each request where it is from, and keeps the cookie of its session. */
export class Page {
  readonly #service: HttpService;
  readonly #headers: Readonly<Record<string, string>>;
  /** The header `Cookie`; null before the page has signed in. */
  cookie: string | null = null;

  /** @param headers of each request. */
  constructor(service: HttpService, headers: Readonly<Record<string, string>> = {}) {
    this.#service = service;
    this.#headers = headers;
  }

  /** Sends a request; the path is under that of sessions. */
  async request(path: string, { headers, ...request }: TestRequest = {}): Promise<TestResponse> {
    const own = {
      'sec-fetch-site': 'same-origin',
      ...(this.cookie !== null && { cookie: this.cookie }),
      ...this.#headers,
    };
    const response = await this.#service.request(`//console/api${path}`, {
      ...request,
      headers: { ...own, ...headers },
    });
    const set = setCookieOf(response);
    if (set) this.cookie = set.maxAge === 0 ? null : `${set.name}=${set.value}`;
    return response;
  }

  post(path: string, body: unknown, headers: TestRequest['headers'] = {}): Promise<TestResponse> {
    return this.request(path, { method: 'POST', body, headers });
  }

  signIn(login = 'root', password = adminPassword): Promise<TestResponse> {
    return this.post('/session', { login, password });
  }

  /** Signs in as the administrator. */
  async open(): Promise<this> {
    const { status, text } = await this.signIn();
    if (status !== 200) throw new Error(text);
    return this;
  }

  /** The status of a request that any user may send. */
  async status(): Promise<number> {
    return (await this.request('/session')).status;
  }
}

/** The cookie that a response sets; undefined where it sets none. */
export function setCookieOf({ headersDistinct }: TestResponse): SetCookie | undefined {
  const [header] = headersDistinct['set-cookie'] ?? [];
  return header === undefined ? undefined : parseSetCookie(header);
}
