import { type DestinationStream, destination, type Logger, pino } from 'pino';

/** Wherever in a line something secret might be. A star stands for one level. */
const secrets = [
  'password',
  'secret',
  'token',
  'access_token',
  'authorization',
  'cookie',
  'key',
  'values',
  'database_url',
];
const paths = secrets.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]);

export interface LogOptions {
  readonly level: string;
  readonly format: 'pretty' | 'json';
}

/** Where lines are written; everything written before `flush` returns is there. */
export interface LogTarget extends DestinationStream {
  flush(): void;
}

/** The service's log. It goes to the error output: the output is for what people are meant to read or parse. */
export async function openLog({ level, format }: LogOptions): Promise<{ log: Logger; flush(): void }> {
  const target = format === 'pretty' ? await prettyTarget() : jsonTarget();
  return { log: createLog(level, target), flush: () => target.flush() };
}

/** A log that writes to that target. */
export function createLog(level: string, target: DestinationStream): Logger {
  return pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, redact: { paths, censor: '••••••••' } },
    target,
  );
}

function jsonTarget(): LogTarget {
  const stream = destination({ dest: 2, sync: false });
  return { write: (line) => void stream.write(line), flush: () => stream.flushSync() };
}

async function prettyTarget(): Promise<LogTarget> {
  const { default: pretty } = await import('pino-pretty');
  const stream = pretty({ destination: 2, sync: true, colorize: true, translateTime: 'SYS:HH:MM:ss.l' });
  return { write: (line) => void stream.write(line), flush: () => {} };
}
