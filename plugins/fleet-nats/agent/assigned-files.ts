import { randomUUID } from 'node:crypto';
import type { Clock, Milliseconds } from '@horarium/core/plugin';
import type { GivenFileDescription, PieceAnswer } from '../wire/messages/messages.ts';
import { answerLimit } from './claims.ts';
import type { HostLink } from './host-link.ts';
import { within } from './within.ts';

export interface AssignedFilesOptions {
  readonly link: Pick<HostLink, 'ask'>;
  readonly clock: Clock;
  readonly job: number;
  /** The claim of the attempt. */
  readonly claim: string;
  /** Aborts when the attempt is to stop; its reason is an Error. */
  readonly stopping: AbortSignal;
}

/** How long the agent waits until it asks again for a piece that it did not get. */
const retryWait: Milliseconds = 1000;

/**
 * Reads an input file of an attempt from the hosts, piece by piece. While none answers, it waits.
 * @throws Error with a sentence when a host refuses it for good, when it is not of the announced size, and when the attempt is
 *   to stop.
 */
export async function* readAssignedFile(
  file: GivenFileDescription,
  options: AssignedFilesOptions,
): AsyncGenerator<Uint8Array> {
  const { mark, size } = file;
  let offset = 0;
  for (let isLast = false; !isLast; ) {
    const { bytes, last } = await readPiece(mark, offset, options);
    offset += bytes.length;
    if (offset > size || (last ? offset < size : bytes.length === 0))
      throw new Error(`the host sent ${offset} bytes of ${mark}, which has ${size}`);
    yield bytes;
    isLast = last;
  }
}

/** Asks for a piece until a host answers, or refuses for good, or the attempt is to stop. */
async function readPiece(
  mark: string,
  offset: number,
  { link, clock, job, claim, stopping }: AssignedFilesOptions,
): Promise<PieceAnswer> {
  for (;;) {
    stopping.throwIfAborted();
    const id = randomUUID();
    const answer = await within(clock, answerLimit, stopping, (signal) =>
      link.ask({ kind: 'file', id, job, claim, mark, offset }, signal),
    ).catch(() => null);
    if (answer?.id === id && answer.kind === 'piece') return answer;
    if (answer?.id === id && answer.kind === 'refused' && answer.final) throw new Error(answer.reason);
    await clock.sleep(retryWait, stopping);
  }
}
