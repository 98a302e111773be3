import type { FuzzTarget } from './fuzz-target.ts';
import { asShellCommand, type RawRequest } from './raw-request.ts';
import type { RawResponse } from './send-raw.ts';

/** Requests to remember: the log of another process arrives a little later than its responses. */
const maxRemembered = 200;

/** Attributes the errors in a service's log to requests, by the request id of each line. */
export class ErrorLog {
  /** Errors of earlier requests, or of none. */
  readonly unattributed: string[] = [];
  readonly #target: FuzzTarget;
  readonly #requests = new Map<string, RawRequest>();

  constructor(target: FuzzTarget) {
    this.#target = target;
  }

  /** The errors that were logged for this request so far. */
  errorsOf(request: RawRequest, response: RawResponse | null): string[] {
    const own = response?.headers.get('x-request-id');
    if (own !== undefined) this.#remember(own, request);
    return this.#target.loggedErrors().filter((line) => {
      const [, id] = /"request_id":"([^"]+)"/.exec(line) ?? [];
      if (id !== undefined && id === own) return true;
      const other = id === undefined ? undefined : this.#requests.get(id);
      this.unattributed.push(other ? `${line}\n${asShellCommand(other, this.#target.url)}` : line);
      return false;
    });
  }

  #remember(id: string, request: RawRequest): void {
    this.#requests.set(id, request);
    const [oldest] = this.#requests.keys();
    if (this.#requests.size > maxRemembered && oldest !== undefined) this.#requests.delete(oldest);
  }
}
