import { fieldErrors, isPlainObject } from '@horarium/core/plugin';
import type { Schema } from 'yup';
import { WireError } from '../wire-error.ts';
import { type PeerVersion, ProtocolRefused, protocolRefusal } from './protocol.ts';

type Loose = Record<string, unknown>;

/** The kinds of messages and events with raw bytes. */
const kindsWithBytes: readonly unknown[] = ['output', 'piece'];

/** Texts that people read are cut to this length, because a report that is too long would never be taken in. */
export const maxProse = 10_000;
const prose = ['reason', 'stopReason', 'message'];

/** The random ids of requests, claims and processes. */
export const messageId = /^[\w-]{16,64}$/;

/** The bytes of a number before the JSON, which is its length. */
const lengthSize = 4;

/** What is the same for all messages of a type. */
interface MessageLimits {
  /** Begins the sentences about a message that is none. */
  readonly name: string;
  readonly maxSize: number;
  /** Who sends such messages with its version; absent = they have none. */
  readonly sender?: 'agent' | 'host';
}

/**
 * Encodes messages of one type as the length of their JSON, the JSON, and their `bytes`, which are those of a message or of
 * its event. Decoding validates: what another version added is kept.
 */
export class MessageCodec<T extends object> {
  readonly #schema: Schema<T>;
  readonly #limits: MessageLimits;

  constructor(schema: Schema<T>, limits: MessageLimits) {
    this.#schema = schema;
    this.#limits = limits;
  }

  /** @throws WireError for a message that the other side would refuse. */
  encode(message: T): Buffer {
    const { bytes, ...fields } = holderOf(message as Loose);
    for (const name of prose) if (typeof fields[name] === 'string') fields[name] = fields[name].slice(0, maxProse);
    const head = Buffer.from(JSON.stringify('event' in message ? { ...message, event: fields } : fields));
    const length = Buffer.alloc(lengthSize);
    length.writeUInt32BE(head.length);
    const body = Buffer.concat([length, head, ...(bytes === undefined ? [] : [bytes as Uint8Array])]);
    this.decode(body);
    return body;
  }

  /** @throws WireError for a body that is no such message; ProtocolRefused where a version is not understood. */
  decode(body: Uint8Array): T {
    if (body.length > this.#limits.maxSize)
      throw this.#refusal(`it has ${body.length} bytes, and may have at most ${this.#limits.maxSize}`);
    const message = this.#parse(Buffer.from(body.buffer, body.byteOffset, body.length));
    this.#checkProtocol(message);
    try {
      return this.#schema.validateSync(message, { strict: true }) as T;
    } catch (error) {
      throw this.#refusal(fieldErrors('it', error)[0]?.message ?? 'it is of no known kind');
    }
  }

  #parse(body: Buffer): Loose {
    const end = lengthSize + (body.length < lengthSize ? 0 : body.readUInt32BE());
    if (body.length < end) throw this.#refusal('it is cut off');
    let message: unknown;
    try {
      message = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body.subarray(lengthSize, end)));
    } catch {
      throw this.#refusal('it is not JSON');
    }
    if (!isPlainObject(message)) throw this.#refusal('it is not an object');
    const holder = holderOf(message);
    if (kindsWithBytes.includes(holder['kind'])) holder['bytes'] = new Uint8Array(body.subarray(end));
    else if (body.length > end) throw this.#refusal('bytes follow it, which its kind does not have');
    return message;
  }

  #checkProtocol(message: Loose): void {
    const { version, protocol, id } = message;
    const { sender } = this.#limits;
    if (!sender || !Number.isInteger(protocol) || typeof version !== 'string') return;
    const refusal = protocolRefusal(sender, { version: version.slice(0, 64), protocol } as PeerVersion);
    if (refusal !== null) throw new ProtocolRefused(refusal, typeof id === 'string' && messageId.test(id) ? id : null);
  }

  #refusal(reason: string): WireError {
    return new WireError(`${this.#limits.name} is refused: ${reason}.`);
  }
}

/** Returns what has the kind and the bytes of a message: its event, or itself. */
function holderOf(message: Loose): Loose {
  return isPlainObject(message['event']) ? message['event'] : message;
}
