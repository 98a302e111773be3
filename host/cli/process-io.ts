import { availableParallelism, hostname, userInfo } from 'node:os';
import type { Writable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { Input, Io } from './io.ts';
import { readSecretLine } from './read-secret-line.ts';

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
    try {
      return await readSecretLine(process.stdin);
    } finally {
      process.stderr.write('\n');
    }
  },
};
