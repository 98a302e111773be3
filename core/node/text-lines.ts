import { HorariumError } from '../errors.ts';
import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';

/** The maximum length of a line: an entry of the audit log holds up to 2 MiB, and JSON may write a character as six. */
const maxLine = 64 * 1024 * 1024;

/**
 * Splits a text into its lines, which end with a line feed: JSON holds other line separators as they are.
 * @param name the text in messages, such as the path of its file.
 * @throws HorariumError `unavailable` for a line of more than 64 Mi characters.
 */
export async function* textLines(chunks: AsyncIterable<string>, name: string): AsyncGenerator<string> {
  let rest: string[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    await yieldToEventLoop();
    const lines = chunk.split('\n');
    const end = lines.pop() ?? '';
    if (lines.length > 0) {
      yield rest.join('') + lines.shift();
      yield* lines;
      rest = [];
      length = 0;
    }
    rest.push(end);
    length += end.length;
    if (length > maxLine) throw new HorariumError('unavailable', `A line of ${name} is too long.`);
  }
  if (length > 0) yield rest.join('');
}
