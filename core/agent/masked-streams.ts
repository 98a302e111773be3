import { decodeBase64, encodeBase64 } from '../bytes/base64.ts';
import { concatenate } from '../bytes/concatenate.ts';
import { HorariumError } from '../errors.ts';
import { type OutputStream, outputStreams } from '../executor/executor.ts';
import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';
import type { Redactor } from '../redaction/redactor.ts';
import type { KeptTail, RedactedStream } from '../redaction/stream.ts';
import { isCiphertext, mask } from '../secret/ciphertext.ts';
import type { EncryptedRow, EncryptedTable } from '../secret/encrypted-tables.ts';
import type { Vault } from '../secret/vault.ts';
import { AgentLease, type AgentLeaseRow, lockAgentLeases } from './agent-lease.ts';

const maskedLine = new TextEncoder().encode(`${mask}\n`);

type Tails = Readonly<Partial<Record<OutputStream, KeptTail>>>;

/**
 * The streams of an attempt between two transactions that take its reports in, which different processes may do. What may
 * begin a secret is kept back until more is reported, and stored encrypted meanwhile.
 */
export class MaskedStreams {
  readonly #streams: Readonly<Record<OutputStream, RedactedStream>> | null;

  private constructor(streams: Readonly<Record<OutputStream, RedactedStream>> | null) {
    this.#streams = streams;
  }

  /**
   * @param redactor null = the secrets of the attempt are not known, so that its output is masked as a whole
   * @param kept what `kept` has returned after the reports before
   */
  static async resume(
    redactor: Redactor | null,
    kept: string | null,
    { vault, jobId }: KeptContext,
  ): Promise<MaskedStreams> {
    const tails = kept === null ? {} : readTails(vault, jobId, kept);
    if (!redactor || !tails) return new MaskedStreams(null);
    const streams = { stdout: redactor.stream(), stderr: redactor.stream() };
    for (const stream of outputStreams) {
      const tail = tails[stream];
      if (tail) for (const _step of streams[stream].resume(tail)) await yieldToEventLoop();
    }
    return new MaskedStreams(streams);
  }

  /** Masks further output of a stream. */
  async push(stream: OutputStream, bytes: Uint8Array): Promise<Uint8Array> {
    if (!this.#streams) return bytes.length > 0 ? maskedLine : bytes;
    const pieces: Uint8Array[] = [];
    for (const piece of this.#streams[stream].push(bytes)) {
      await yieldToEventLoop();
      pieces.push(piece);
    }
    return concatenate(pieces);
  }

  /** Returns what a stream has kept back, masked, because the rest of it is dropped. */
  cut(stream: OutputStream): Uint8Array {
    return this.#streams?.[stream].cut() ?? new Uint8Array();
  }

  /** Returns what a stream has kept back, at its end. */
  end(stream: OutputStream): Uint8Array {
    return this.#streams?.[stream].end() ?? new Uint8Array();
  }

  /** Whether anything is kept back. */
  get keeps(): boolean {
    return outputStreams.some((stream) => (this.#streams?.[stream].kept ?? null) !== null);
  }

  /** Returns what is kept back, encrypted; null = nothing is. */
  kept({ vault, jobId }: KeptContext): string | null {
    if (!this.#streams || !this.keeps) return null;
    const tails: Record<string, { readonly bytes: string; readonly masked: number }> = {};
    for (const stream of outputStreams) {
      const tail = this.#streams[stream].kept;
      if (tail) tails[stream] = { bytes: encodeBase64(tail.bytes), masked: tail.masked };
    }
    return vault.encrypt(JSON.stringify(tails), contextOf(jobId));
  }
}

interface KeptContext {
  readonly vault: Vault;
  readonly jobId: number;
}

/** Tells a key rotation how to encrypt with the newest key what is kept back of the streams of attempts. */
export const encryptedTails: EncryptedTable = {
  table: AgentLease,
  columns: ['id', 'job_id', 'kept'],
  reencrypt(vault, { job_id, kept }: EncryptedRow & Pick<AgentLeaseRow, 'job_id' | 'kept'>) {
    if (kept === null) return {};
    const context = contextOf(job_id);
    return { kept: vault.encrypt(vault.decrypt(kept, context), context) };
  },
  lock: (tables, rows: readonly (EncryptedRow & Pick<AgentLeaseRow, 'job_id'>)[]) =>
    lockAgentLeases(
      tables,
      rows.map(({ job_id }) => job_id),
    ),
};

/** Returns null where the vault has not the key, so that nothing of the rest may be shown. */
function readTails(vault: Vault, jobId: number, kept: string): Tails | null {
  if (!isCiphertext(kept)) return null;
  try {
    const tails = JSON.parse(vault.decrypt(kept, contextOf(jobId))) as Record<
      string,
      { bytes: string; masked: number }
    >;
    const read = ({ bytes, masked }: { bytes: string; masked: number }) => ({ bytes: decodeBase64(bytes), masked });
    return Object.fromEntries(Object.entries(tails).map(([stream, tail]) => [stream, read(tail)]));
  } catch (error) {
    if (error instanceof HorariumError) return null;
    throw error;
  }
}

function contextOf(jobId: number): string {
  return `Job ${jobId} kept output`;
}
