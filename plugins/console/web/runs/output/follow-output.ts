import { type Message, messageOf } from '../../data/problem.ts';
import { read, urlOf } from '../../data/request.ts';
import type { OutputLog, OutputPiece } from './output-log.ts';

interface OutputFollower {
  /** Lines were added to the log. */
  onLines(): void;
  /** The job has ended, and the log is complete. */
  onEnd(): void;
  /** It cannot be read now; null = it can again. */
  onProblem(message: Message | null): void;
}

/** How long pieces are added before the page may do something else, in milliseconds. */
const slice = 8;
/** After how long a connection that the service refused is tried again, in milliseconds. */
const retryInterval = 2000;

/**
 * Reads the output of a job into a log, as it is written and until the job ends, over interruptions of the connection.
 * @returns a function that ends it.
 */
export function followOutput(jobId: number, log: OutputLog, { onLines, onEnd, onProblem }: OutputFollower): () => void {
  let isOver = false;
  let isComplete = false;
  let source: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let retry: ReturnType<typeof setTimeout> | undefined;
  const waiting: OutputPiece[] = [];

  const addSome = () => {
    timer = undefined;
    const begin = performance.now();
    let count = 0;
    while (count < waiting.length && performance.now() - begin < slice) log.append(waiting[count++] as OutputPiece);
    waiting.splice(0, count);
    onLines();
    if (waiting.length > 0) addSoon();
    else if (isComplete) onEnd();
  };
  const addSoon = () => {
    timer ??= setTimeout(addSome, slice);
  };
  const connect = () => {
    // A browser that connects again by itself says which piece it had last.
    const after = log.last < 0 ? null : log.last;
    source = new EventSource(urlOf(`/job/${jobId}/output.json`, { follow: true, after }));
    source.addEventListener('open', () => onProblem(null));
    source.addEventListener('output', ({ data }: MessageEvent<string>) => {
      waiting.push(JSON.parse(data) as OutputPiece);
      addSoon();
    });
    source.addEventListener('end', () => {
      source?.close();
      isComplete = true;
      addSoon();
    });
    source.addEventListener('error', () => {
      if (source?.readyState !== EventSource.CLOSED || isComplete) return;
      void explain();
    });
  };
  /** Asks why the stream was refused, which the browser does not tell, and tries again. */
  const explain = async () => {
    const problem = await read(`/job/${jobId}/output.json`, { after: log.last < 0 ? null : log.last }).then(
      () => null,
      (error) => messageOf(error),
    );
    if (isOver) return;
    onProblem(problem);
    retry = setTimeout(connect, retryInterval);
  };
  connect();
  return () => {
    isOver = true;
    source?.close();
    clearTimeout(timer);
    clearTimeout(retry);
  };
}
