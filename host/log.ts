import { mask } from '@horarium/core';
import { type DestinationStream, destination, type Logger, pino } from 'pino';

export interface LogOptions {
  readonly level: string;
  readonly format: 'pretty' | 'json';
}

/** A destination of log lines. `flush`, which that of the log calls, returns when every line so far is written. */
export interface LogTarget extends DestinationStream {
  flush(): void;
}

/**
 * Opens the service's log on the error output, because the output is for what people and programs are meant to read.
 */
export async function openLog({ level, format }: LogOptions): Promise<Logger> {
  return createLog(level, format === 'pretty' ? await prettyTarget() : jsonTarget());
}

/**
 * Creates a log that masks secrets in its lines. It does not use Pino's own redaction, which would make half of the
 * garbage of a request.
 */
export function createLog(level: string, target: DestinationStream): Logger {
  const { stdTimeFunctions, stdSerializers } = pino;
  return pino(
    {
      level,
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      formatters: { log: maskDetails },
      serializers: { err: (error: Error) => maskDetails(stdSerializers.err(error)) },
    },
    target,
  );
}

/** The bytes that are buffered while nothing reads the log; further lines are dropped. */
const maxBuffered = 16 * 1024 * 1024;

/** Writes all lines of one turn of the event loop in one piece; also flushes them before the process exits. */
function jsonTarget(): LogTarget {
  const stream = destination({ dest: 2, sync: false, maxLength: maxBuffered });
  let buffered = '';
  const write = () => {
    process.off('exit', flush);
    if (buffered !== '') stream.write(buffered);
    buffered = '';
  };
  const flush = () => {
    write();
    stream.flushSync();
  };
  return {
    write: (line) => {
      if (buffered === '') {
        setImmediate(write);
        process.on('exit', flush);
      }
      buffered += line;
    },
    flush,
  };
}

async function prettyTarget(): Promise<LogTarget> {
  const { default: pretty } = await import('pino-pretty');
  const stream = pretty({ destination: 2, sync: true, colorize: true, translateTime: 'SYS:HH:MM:ss.l' });
  return { write: (line) => void stream.write(line), flush: () => {} };
}

/** The names of fields whose values may be secret. */
const secretNames: ReadonlySet<string> = new Set([
  'password',
  'secret',
  'token',
  'access_token',
  'authorization',
  'cookie',
  'key',
  'values',
  'database_url',
]);
/** The number of levels of a line that are searched for secrets. */
const maxLevels = 3;

/** Masks what may be secret in the details of a log line; returns the same object where nothing is. */
function maskDetails<T extends object>(details: T): T {
  // The details are searched before anything is copied, because every request is logged and nearly none has anything to
  // mask.
  return holdsSecret(details, maxLevels) ? (maskSecrets(details, maxLevels) as T) : details;
}

function holdsSecret(value: object, levels: number): boolean {
  for (const name in value) {
    if (secretNames.has(name)) return true;
    const member = (value as Record<string, unknown>)[name];
    if (isSearched(member, levels) && holdsSecret(member, levels - 1)) return true;
  }
  return false;
}

function maskSecrets(value: object, levels: number): object {
  const maskMember = (member: unknown) => (isSearched(member, levels) ? maskSecrets(member, levels - 1) : member);
  if (Array.isArray(value)) return value.map(maskMember);
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, secretNames.has(name) ? mask : maskMember(member)]),
  );
}

/** Whether a value is searched further. Errors are not: they are serialized, and masked then, by themselves. */
function isSearched(value: unknown, levels: number): value is object {
  return levels > 1 && typeof value === 'object' && value !== null && !(value instanceof Error);
}
