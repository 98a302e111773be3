import type { FuzzTarget } from './fuzz-target.ts';
import { asShellCommand, type RawRequest } from './raw-request.ts';
import type { RawResponse } from './send-raw.ts';

/** How many requests are remembered, because the log of another process arrives later than its responses. */
const maxRemembered = 200;

/** Attributes the errors in a service's log to requests, by the request id of each line. */
export class ErrorLog {
  /** Errors of earlier requests, and errors without a request. */
  readonly unattributed: string[] = [];
  readonly #target: FuzzTarget;
  readonly #requests = new Map<string, RawRequest>();

  constructor(target: FuzzTarget) {
    this.#target = target;
  }

  /** Returns the errors that were logged for a request so far, and collects those of others in `unattributed`. */
  errorsOf(request: RawRequest, response: RawResponse | null): string[] {
    const requestId = response?.headers.get('x-request-id');
    if (requestId !== undefined) this.#remember(requestId, request);
    return this.#target.newErrors().filter((line) => {
      const [, id] = /"request_id":"([^"]+)"/.exec(line) ?? [];
      if (id !== undefined && id === requestId) return true;
      const earlierRequest = id === undefined ? undefined : this.#requests.get(id);
      this.unattributed.push(earlierRequest ? `${line}\n${asShellCommand(earlierRequest, this.#target.url)}` : line);
      return false;
    });
  }

  #remember(id: string, request: RawRequest): void {
    this.#requests.set(id, request);
    const [oldest] = this.#requests.keys();
    if (this.#requests.size > maxRemembered && oldest !== undefined) this.#requests.delete(oldest);
  }
}
