import { availableParallelism, hostname, userInfo } from 'node:os';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { Input, Io } from './io.ts';

/** The process that we are. */
export function processIo(): Io {
  return {
    arguments: process.argv.slice(2),
    environment: process.env,
    folder: process.cwd(),
    machine: {
      cores: availableParallelism(),
      timezone: new Intl.DateTimeFormat().resolvedOptions().timeZone,
      terminal: process.stderr.isTTY === true,
    },
    operator: `${userName()} on ${hostname()}`,
    input: terminalInput,
    out: (piece) => write(process.stdout, piece),
    err: (piece) => write(process.stderr, piece),
  };
}

function write(stream: Writable, piece: string | Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    if (stream.write(piece)) resolve();
    else stream.once('drain', resolve);
  });
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // A user id without an entry in the system's list: containers have such.
    return `uid ${process.getuid?.() ?? '?'}`;
  }
}

const terminalInput: Input = {
  bytes: () => buffer(process.stdin),
  async secret(question) {
    if (!process.stdin.isTTY) return null;
    process.stderr.write(question);
    // The terminal is in raw mode while readline runs, so what is typed appears nowhere but in its own output.
    const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
    const lines = createInterface({ input: process.stdin, output: nowhere, terminal: true });
    try {
      return await lines.question('');
    } finally {
      lines.close();
      process.stderr.write('\n');
    }
  },
};
