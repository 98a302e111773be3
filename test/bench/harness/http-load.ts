import { Connection } from './connection.ts';
import { processorTimeOf } from './processor-time.ts';
import { quantile } from './rounds.ts';

/** A server in a process of its own. */
export interface LoadTarget {
  readonly pid: number;
  readonly origin: string;
}

/** The measurements of one run. */
export interface LoadResult {
  /** Responses per second. */
  readonly rate: number;
  /** Processor time of the server per response, in microseconds; other load on the machine hardly changes it. */
  readonly cpu: number;
  /** The latency of each response in milliseconds. */
  readonly latencies: readonly number[];
}

/** Returns the next request to send. */
export type NextRequest = () => Buffer;

interface Load {
  readonly connections: number;
  readonly seconds: number;
}

/** Measures a closed loop: every connection sends its next request as soon as it has the response. */
export function saturate(target: LoadTarget, next: NextRequest, { connections, seconds }: Load): Promise<LoadResult> {
  return measured(target, connections, seconds, async (connection, until, note) => {
    for (let start = performance.now(); start < until; start = performance.now()) {
      await connection.send(next());
      note(performance.now() - start);
    }
  });
}

/**
 * Measures an open loop: requests are sent evenly at a rate. Each latency counts from when the request was due, so that
 * a pause of the server shows in all requests that it delayed.
 */
export function loadAtRate(
  target: LoadTarget,
  next: NextRequest,
  rate: number,
  { connections, seconds }: Load,
): Promise<LoadResult> {
  const every = (connections / rate) * 1000;
  let begun = 0;
  return measured(target, connections, seconds, async (connection, until, note) => {
    const share = (begun++ / connections) * every;
    for (let due = performance.now() + share; due < until; due += every) {
      const early = due - performance.now();
      if (early > 0) await new Promise((resolve) => setTimeout(resolve, early));
      await connection.send(next());
      note(performance.now() - due);
    }
  });
}

async function measured(
  { pid, origin }: LoadTarget,
  count: number,
  seconds: number,
  work: (connection: Connection, until: number, note: (latency: number) => void) => Promise<void>,
): Promise<LoadResult> {
  const connections = await Promise.all(Array.from({ length: count }, () => Connection.open(origin)));
  const latencies: number[] = [];
  const cpu = processorTimeOf(pid);
  const start = performance.now();
  try {
    const until = start + seconds * 1000;
    await Promise.all(connections.map((each) => work(each, until, (latency) => latencies.push(latency))));
  } finally {
    for (const connection of connections) connection.close();
  }
  const elapsed = (performance.now() - start) / 1000;
  return {
    rate: latencies.length / elapsed,
    cpu: ((processorTimeOf(pid) - cpu) * 1000) / latencies.length,
    latencies,
  };
}

/** Returns the latency that a fraction of all responses did not exceed. */
export function percentile({ latencies }: LoadResult, fraction: number): number {
  return quantile(latencies, fraction);
}

/** Encodes a request. */
export function requestText(
  method: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  body = '',
): Buffer {
  const type = body === '' ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  const lines = Object.entries({ host: 'localhost', ...headers, ...type }).map(([name, value]) => `${name}: ${value}`);
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`);
}
