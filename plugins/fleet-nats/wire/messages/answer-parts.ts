import { envelopeLength } from '../keys/envelope.ts';
import { WireError } from '../wire-error.ts';
import { maxAnswer } from './message-shapes.ts';

/** The header of each message of an answer: `k/n` for part k, counted from 1, of n. */
export const partHeader = 'Part';

/** The maximum size of a part: half of the smallest payload that servers usually allow. */
const maxPart = 512 * 1024;

const maxParts = Math.ceil((maxAnswer + envelopeLength) / maxPart);

/** One message of an answer. */
export interface AnswerPart {
  /** The value of the header `Part`. */
  readonly part: string;
  readonly payload: Uint8Array;
}

/** Splits the sealed and signed bytes of an answer into messages that NATS takes. */
export function splitAnswer(answer: Uint8Array): AnswerPart[] {
  const count = Math.max(1, Math.ceil(answer.length / maxPart));
  return Array.from({ length: count }, (_, index) => ({
    part: `${index + 1}/${count}`,
    payload: answer.subarray(index * maxPart, (index + 1) * maxPart),
  }));
}

/** Collects the messages of one answer, which may come doubled and in any order. */
export class AnswerParts {
  readonly #parts = new Map<number, Uint8Array>();
  #count = 0;

  /**
   * @param part the value of the header `Part`.
   * @returns the whole answer with the last missing part; undefined before.
   * @throws WireError for a message that is no part of the same answer.
   */
  add(part: string, payload: Uint8Array): Uint8Array | undefined {
    const [, index, count] = (/^(\d{1,3})\/(\d{1,3})$/.exec(part) ?? []).map(Number);
    if (!index || !count || index > count || count > maxParts || payload.length > maxPart)
      throw new WireError(
        `A message is no part of an answer: its header ${partHeader} is not k/n with n up to ${maxParts}, or it is longer than ${maxPart} bytes.`,
      );
    if (this.#count !== 0 && this.#count !== count)
      throw new WireError('A message is a part of another answer: the number of parts differs.');
    this.#count = count;
    this.#parts.set(index, payload);
    if (this.#parts.size < count) return undefined;
    return Buffer.concat(Array.from({ length: count }, (_, at) => this.#parts.get(at + 1) as Uint8Array));
  }
}
