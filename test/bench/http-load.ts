import { Connection } from './connection.ts';
import { cpuTimeOf } from './service.ts';

/** Who is asked: a server in a process of its own. */
export interface Asked {
  readonly pid: number;
  readonly origin: string;
}

/** What came of one stretch of load. */
export interface Seen {
  /** Answers a second. */
  readonly rate: number;
  /** Processor time of the server for each answer, in microseconds: what others do on the machine hardly moves it. */
  readonly cpu: number;
  /** How long each answer took, in milliseconds, shortest first. */
  readonly latencies: readonly number[];
}

/** What to send next. */
export type NextRequest = () => Buffer;

interface Load {
  readonly connections: number;
  readonly seconds: number;
}

/** Every connection sends its next request as soon as it has its answer. */
export function saturate(asked: Asked, next: NextRequest, { connections, seconds }: Load): Promise<Seen> {
  return measured(asked, connections, seconds, async (connection, until, note) => {
    for (let start = performance.now(); start < until; start = performance.now()) {
      await connection.ask(next());
      note(performance.now() - start);
    }
  });
}

/**
 * Sends so many requests a second, evenly, whether answers come or not: each is timed from when it was due, so that a
 * server that halts is not spared those that had to wait for it.
 */
export function paced(asked: Asked, next: NextRequest, rate: number, { connections, seconds }: Load): Promise<Seen> {
  const every = (connections / rate) * 1000;
  let begun = 0;
  return measured(asked, connections, seconds, async (connection, until, note) => {
    const share = (begun++ / connections) * every;
    for (let due = performance.now() + share; due < until; due += every) {
      const early = due - performance.now();
      if (early > 0) await new Promise((resolve) => setTimeout(resolve, early));
      await connection.ask(next());
      note(performance.now() - due);
    }
  });
}

async function measured(
  { pid, origin }: Asked,
  count: number,
  seconds: number,
  work: (connection: Connection, until: number, note: (latency: number) => void) => Promise<void>,
): Promise<Seen> {
  const connections = await Promise.all(Array.from({ length: count }, () => Connection.open(origin)));
  const latencies: number[] = [];
  const cpu = cpuTimeOf(pid);
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
    cpu: ((cpuTimeOf(pid) - cpu) * 1000) / latencies.length,
    latencies: latencies.sort((one, other) => one - other),
  };
}

/** The latency that this part of all answers did not exceed. */
export function percentile({ latencies }: Seen, part: number): number {
  return latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * part))] as number;
}

/** A request as it goes over the wire. */
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
