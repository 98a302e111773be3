import { type DestinationStream, destination, type Logger, pino } from 'pino';
import { maskDetails } from './mask-details.ts';

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

/** A log that writes to that target. Its lines are masked here: pino's own way makes half of the garbage of a request. */
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

/** In bytes. Lines beyond it are dropped while whoever reads them does not. */
const mostHeld = 16 * 1024 * 1024;

/** Lines that come while this process does not listen are written in one piece, also when it ends before it does again. */
function jsonTarget(): LogTarget {
  const stream = destination({ dest: 2, sync: false, maxLength: mostHeld });
  let held = '';
  const pass = () => {
    process.off('exit', flush);
    if (held !== '') stream.write(held);
    held = '';
  };
  const flush = () => {
    pass();
    stream.flushSync();
  };
  return {
    write: (line) => {
      if (held === '') {
        setImmediate(pass);
        process.on('exit', flush);
      }
      held += line;
    },
    flush,
  };
}

async function prettyTarget(): Promise<LogTarget> {
  const { default: pretty } = await import('pino-pretty');
  const stream = pretty({ destination: 2, sync: true, colorize: true, translateTime: 'SYS:HH:MM:ss.l' });
  return { write: (line) => void stream.write(line), flush: () => {} };
}
