import type { FuzzTarget } from './fuzz-target.ts';
import { asShell, type RawRequest } from './raw-request.ts';
import type { RawAnswer } from './send-raw.ts';

/** So many requests are remembered: the log of another process comes a little later than its answers. */
const remembered = 200;

/** Finds out which request a service complains of, by the request id in its log. */
export class Complaints {
  /** Complaints of requests that were answered well, or of none. */
  readonly late: string[] = [];
  readonly #target: FuzzTarget;
  readonly #requests = new Map<string, RawRequest>();

  constructor(target: FuzzTarget) {
    this.#target = target;
  }

  /** What was complained of this very request so far. */
  about(request: RawRequest, answer: RawAnswer | null): string[] {
    const own = answer?.headers.get('x-request-id');
    if (own !== undefined) this.#remember(own, request);
    return this.#target.complaints().filter((line) => {
      const [, id] = /"request_id":"([^"]+)"/.exec(line) ?? [];
      if (id !== undefined && id === own) return true;
      const other = id === undefined ? undefined : this.#requests.get(id);
      this.late.push(other ? `${line}\n${asShell(other, this.#target.url)}` : line);
      return false;
    });
  }

  #remember(id: string, request: RawRequest): void {
    this.#requests.set(id, request);
    const [oldest] = this.#requests.keys();
    if (this.#requests.size > remembered && oldest !== undefined) this.#requests.delete(oldest);
  }
}
