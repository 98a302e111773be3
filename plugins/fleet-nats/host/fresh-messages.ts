import type { SentClaim, SentHeartbeat } from '../wire/messages/messages.ts';

interface Known extends Pick<SentHeartbeat, 'instance' | 'beat' | 'first'> {
  /** The number of its latest heartbeat in the stream. */
  readonly number: number;
  /** The number of its latest claim. */
  claim: number;
}

/** How many heartbeats may have overtaken a claim that its agent still waits for: two by their interval, and one for the claim before it. */
const maxOvertaking = 3;

/**
 * Tells messages of an agent from those that are sent again: a user of NATS that may read and publish them can repeat what
 * the agent has signed. Heartbeats of one process count up, and each process names the number of its first one: the
 * process that began last counts, and earlier ones do not.
 */
export class FreshMessages {
  readonly #known = new Map<string, Known>();

  /**
   * Whether a heartbeat is later than those before.
   * @param number its number in the stream.
   */
  isLater(agent: string, { instance, beat, first }: SentHeartbeat, number: number): boolean {
    // No agent knows a number that is still to come, unless the stream was made again meanwhile.
    if (first >= number) return false;
    const known = this.#known.get(agent);
    const isSame = known?.instance === instance;
    // A stream that was made again counts from 1.
    if (known && number > known.number && (isSame ? beat <= known.beat : first <= known.first)) return false;
    this.#known.set(agent, { instance, beat, first, number, claim: isSame ? known.claim : 0 });
    return true;
  }

  /**
   * Whether a heartbeat is of a process that runs on beside a later one.
   * @param number its number in the stream.
   */
  isOfEarlierProcess(agent: string, { instance, first }: SentHeartbeat, number: number): boolean {
    const known = this.#known.get(agent);
    return (
      known !== undefined && known.instance !== instance && first > 0 && first < known.first && number > known.number
    );
  }

  /** Whether a claim is later than those before, and of the process that has sent the latest heartbeat. */
  isCurrent(agent: string, { instance, beat, number }: SentClaim): boolean {
    const known = this.#known.get(agent);
    if (known?.instance !== instance || beat < known.beat - maxOvertaking || number <= known.claim) return false;
    known.claim = number;
    return true;
  }
}
