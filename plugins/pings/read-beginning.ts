import { HorariumError } from '@horarium/core/plugin';

/** The largest body that is read to its end, so that a program is not cut off in the middle of sending a log. */
const maxRead = 10 * 1024 * 1024;

/**
 * Reads a body to its end, and returns at most that many bytes of it as text; what is not UTF-8 is replaced.
 * @throws HorariumError `bad_request` when it is larger than 10 MiB or breaks off.
 */
export async function readBeginning(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of body) {
      if (size < maxBytes) chunks.push(chunk.subarray(0, maxBytes - size));
      size += chunk.length;
      if (size > maxRead) throw new HorariumError('bad_request', 'The body is larger than 10 MiB.');
    }
  } catch (error) {
    throw error instanceof HorariumError
      ? error
      : new HorariumError('bad_request', 'The body broke off before its end.');
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}
