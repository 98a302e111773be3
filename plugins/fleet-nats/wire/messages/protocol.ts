import { WireError } from '../wire-error.ts';

/** The version of the messages that this side speaks. It grows with each release that changes them. */
export const protocol = 1;

/** The oldest version that is understood: that of the previous minor release. */
const oldestProtocol = 1;

/** What each side says of itself. */
export interface PeerVersion {
  /** The version of its software. */
  readonly version: string;
  readonly protocol: number;
}

/** The other side speaks a version that is not understood. */
export class ProtocolRefused extends WireError {
  readonly id: string | null;

  /** @param id that of the request, so that it can be answered all the same; null where the message has none. */
  constructor(message: string, id: string | null) {
    super(message);
    this.id = id;
  }
}

/** Returns why messages of a peer are not understood, as a sentence; null where they are. */
export function protocolRefusal(peer: 'agent' | 'host', { version, protocol: spoken }: PeerVersion): string | null {
  if (spoken >= oldestProtocol && spoken <= protocol) return null;
  const other = peer === 'agent' ? 'host' : 'agent';
  const remedy = spoken < oldestProtocol ? `upgrade the ${peer}` : `upgrade the ${other} first`;
  const understood = oldestProtocol === protocol ? `${protocol}` : `${oldestProtocol} to ${protocol}`;
  return `The ${peer} runs version ${version}, which speaks protocol ${spoken}; the ${other} understands ${understood}: ${remedy}.`;
}
