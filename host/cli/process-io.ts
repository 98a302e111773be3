import { readlinkSync } from 'node:fs';
import { availableParallelism, hostname, userInfo } from 'node:os';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { zoneIn } from '../../plugins/process/machine/zone-in.ts';
import { systemConfigFile } from '../config/config-file.ts';
import { Interrupted } from './failure.ts';
import type { Input, Io } from './io.ts';

/** Connects commands to this process: its arguments, environment, folder, terminal and streams. */
export function processIo(): Io {
  return {
    arguments: process.argv.slice(2),
    environment: process.env,
    folder: process.cwd(),
    configFile: systemConfigFile,
    machine: {
      cores: availableParallelism(),
      timezone: localTimezone(),
      terminal: process.stderr.isTTY === true,
    },
    get systemTimezone() {
      // A copy in place of the link /etc/localtime has no name; Intl knows it, unless TZ stands before it.
      return zoneIn('/') ?? (process.env['TZ'] === undefined ? localTimezone() : 'UTC');
    },
    operator: `${userName()} on ${hostname()}`,
    input: terminalInput,
    screen: process.stdout.isTTY === true,
    // A terminal that does not know its size says 0.
    width: process.stdout.columns || undefined,
    out: (piece) => write(process.stdout, piece),
    err: (piece) => write(process.stderr, piece),
  };
}

/**
 * Returns the time zone of this process: that of TZ, or of this machine. Intl, which takes 11 MB when it is first used, is asked only where the machine
 * does not say that it runs on UTC.
 */
export function localTimezone(): string {
  const said = process.env['TZ']?.replace(/^:/, '') ?? '/etc/localtime';
  const file = said.startsWith('/') ? targetOf(said) || said : said;
  if (said === '' || /^(?:.*\/)?UTC$/.test(file)) return 'UTC';
  const [, ofFile] = /\/zoneinfo\/(.+)$/.exec(file) ?? [];
  const known = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  // What Intl cannot read, such as a path, it calls unknown or a dot; the C library takes UTC for it.
  return /^(?!Etc\/Unknown)[A-Za-z]/.test(known) ? known : (ofFile ?? 'UTC');
}

/** The target of a link; empty where there is no such link. */
function targetOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
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
    // The system's list of users lacks the user ids that containers run under.
    return `uid ${process.getuid?.() ?? '?'}`;
  }
}

const terminalInput: Input = {
  bytes: () => buffer(process.stdin),
  text: () => process.stdin.setEncoding('utf8'),
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

/** Reads a line that is typed at a terminal, and shows it nowhere. @throws Interrupted at Ctrl-C or Ctrl-D. */
export async function readSecretLine(terminal: NodeJS.ReadableStream): Promise<string> {
  // Readline puts the terminal into raw mode, so what is typed appears only in readline's own output, which is
  // discarded.
  const discard = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: terminal, output: discard, terminal: true });
  try {
    return await lines.question('');
  } catch (error) {
    throw (error as Error).name === 'AbortError' ? new Interrupted() : error;
  } finally {
    lines.close();
  }
}
