import { type DestinationStream, destination, type Logger, pino } from 'pino';
import { maskDetails } from './mask-details.ts';

export interface LogOptions {
  readonly level: string;
  readonly format: 'pretty' | 'json';
}

/** A destination of lines. `flush` returns when every line so far is written. */
export interface LogTarget extends DestinationStream {
  flush(): void;
}

/** Opens the service's log on the error output: the output is for what people and programs are meant to read. */
export async function openLog({ level, format }: LogOptions): Promise<{ log: Logger; flush(): void }> {
  const target = format === 'pretty' ? await prettyTarget() : jsonTarget();
  return { log: createLog(level, target), flush: () => target.flush() };
}

/** Makes a log that masks secrets in its lines. Pino's own redaction would make half of the garbage of a request. */
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

/** In bytes. Further lines are dropped as long as nothing reads the log. */
const maxBuffered = 16 * 1024 * 1024;

/** Writes all lines of one turn of the event loop in one piece, also those before the process exits. */
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
