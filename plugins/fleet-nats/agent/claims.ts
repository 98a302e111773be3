import { randomUUID } from 'node:crypto';
import type { Clock, Milliseconds } from '@horarium/core/plugin';
import type { AttemptsAnswer, RefusedAnswer } from '../wire/messages/messages.ts';
import type { HostLink } from './host-link.ts';
import { within } from './within.ts';

export interface ClaimsOptions {
  readonly link: Pick<HostLink, 'ask'>;
  readonly clock: Clock;
  readonly closing: AbortSignal;
  /** Starts attempts. @returns false where they may not start at this moment: the agent gives their claim up. */
  accept(answer: AttemptsAnswer): boolean;
  onWrongAnswer(reason: string): void;
}

/** How long an agent waits for an answer. */
export const answerLimit: Milliseconds = 5000;
/** How many claims that the agent gave up on may be unanswered before it claims nothing further. */
const maxAbandoned = 100;

/**
 * Claims attempts, one claim at a time. The agent gives up one that is not answered in time: it drops the answer when it
 * comes, and further requests name the claim until one of them is answered, so that an attempt is started once or never.
 */
export class Claims {
  readonly #options: ClaimsOptions;
  readonly #abandoned = new Set<string>();
  /** The claim whose answer counts; null = none does. */
  #current: string | null = null;
  #isAsking = false;

  constructor(options: ClaimsOptions) {
    this.#options = options;
  }

  /** Whether an answer may come that brings attempts. */
  get isPending(): boolean {
    return this.#current !== null;
  }

  /** Whether the agent gave up on claims and no host has confirmed that it knows. */
  get hasAbandoned(): boolean {
    return this.#abandoned.size > 0;
  }

  /** Gives up the claim whose answer it awaits. */
  abandon(): void {
    if (this.#current !== null) this.#abandoned.add(this.#current);
    this.#current = null;
  }

  /**
   * Asks the hosts for attempts.
   * @param free how many; 0 = the request only names the claims that the agent gave up on.
   * @returns the answer; null where none came in time, or it does not count.
   */
  async claim(free: number): Promise<AttemptsAnswer | RefusedAnswer | null> {
    if (this.#isAsking) return null;
    this.#isAsking = true;
    const { link, clock, closing, accept, onWrongAnswer } = this.#options;
    const id = randomUUID();
    const askedAt = clock.uptime();
    const abandoned = [...this.#abandoned];
    const wanted = abandoned.length < maxAbandoned ? free : 0;
    // What asks for nothing brings nothing, so there is nothing to give up.
    this.#current = wanted > 0 ? id : null;
    try {
      const answer = await within(clock, answerLimit, closing, (signal) =>
        link.ask({ kind: 'claim', id, free: wanted, abandoned }, signal),
      );
      if (wanted > 0 && this.#current !== id) return null;
      const wrong = wrongAnswer(answer, id, wanted);
      if (wrong !== null) onWrongAnswer(wrong);
      // A timer fires late on a machine that was suspended.
      const isLate = clock.uptime() - askedAt > answerLimit;
      const counts = wrong === null && !isLate && (answer.kind !== 'attempts' || accept(answer) || wanted === 0);
      if (!counts) {
        this.abandon();
        return null;
      }
      this.#current = null;
      if (answer.kind === 'attempts') this.#abandoned.clear();
      return answer as AttemptsAnswer | RefusedAnswer;
    } catch {
      if (this.#current === id) this.abandon();
      return null;
    } finally {
      this.#isAsking = false;
    }
  }
}

/** Returns what is wrong with the answer to a claim; null = nothing. */
function wrongAnswer(answer: Awaited<ReturnType<HostLink['ask']>>, id: string, wanted: number): string | null {
  if (answer.id !== id) return 'it answers another request';
  if (answer.kind === 'piece') return 'it answers a claim with a piece of a file';
  if (answer.kind === 'refused') return null;
  if (answer.attempts.length > wanted) return `it has ${answer.attempts.length} attempts for ${wanted} free slots`;
  return answer.attempts.every(({ claim }) => claim === id) ? null : 'it has attempts of another claim';
}
