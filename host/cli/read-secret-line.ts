import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { Interrupted } from './failure.ts';

/**
 * What is typed at a terminal up to the end of the line, shown nowhere.
 * @throws Interrupted at Ctrl-C or Ctrl-D.
 */
export async function readSecretLine(terminal: NodeJS.ReadableStream): Promise<string> {
  // The terminal is in raw mode while readline runs, so what is typed appears nowhere but in its own output.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: terminal, output: nowhere, terminal: true });
  try {
    return await lines.question('');
  } catch (error) {
    throw (error as Error).name === 'AbortError' ? new Interrupted() : error;
  } finally {
    lines.close();
  }
}
