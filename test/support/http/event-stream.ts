import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';

/** A message of a stream of server-sent events, as a browser dispatches it. */
interface ServerSentEvent {
  readonly name: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into events of every shape.
  readonly data: any;
}

/** A client of server-sent events. */
export class EventStream implements AsyncDisposable {
  readonly response: IncomingMessage;
  /** What has arrived so far, as it was sent. */
  text = '';

  private constructor(response: IncomingMessage) {
    this.response = response;
    response.on('data', (piece) => {
      this.text += piece;
    });
    // A stream that the test leaves is reset.
    response.on('error', () => undefined);
  }

  static async open(url: string, headers: Readonly<Record<string, string>>): Promise<EventStream> {
    const request = get(url, { headers, agent: false });
    request.on('error', () => undefined);
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    return new EventStream(response);
  }

  get events(): readonly ServerSentEvent[] {
    const matches = this.text.matchAll(/event: (\w+)\ndata: (.*)\n/g);
    return [...matches].map(([, name = '', data = '']) => ({ name, data: JSON.parse(data) }));
  }

  /** The id that a browser sends as Last-Event-ID when it connects again. */
  get lastId(): string | undefined {
    return [...this.text.matchAll(/^id: (.*)$/gm)].at(-1)?.[1];
  }

  /** Waits for what arrives until a condition holds. @throws Error when the stream ends before. */
  async waitFor(condition: (stream: this) => boolean): Promise<void> {
    while (!condition(this)) {
      if (this.response.closed) throw new Error(`The stream ended with:\n${this.text}`);
      const waiting = new AbortController();
      await Promise.race(['data', 'close'].map((event) => once(this.response, event, waiting)));
      waiting.abort();
    }
  }

  /** Waits for the end of the stream. */
  async ended(): Promise<void> {
    if (!this.response.closed) await once(this.response, 'close');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.response.destroy();
  }
}

/** Whether what has arrived is the beginning of the stream of changes, which has no end. */
export function isBeginningOfChanges(mime: string | null | undefined, text: string): boolean {
  return mime === 'text/event-stream' && text.includes('event: ready\n');
}
