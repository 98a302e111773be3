import fc from 'fast-check';
import { OpenApiCheck } from '../http/openapi-check.ts';
import { RequestArbitrary } from './arbitrary/request-arbitrary.ts';
import { checkAgainstDocument, checkResponse } from './check-response.ts';
import { ErrorLog } from './error-log.ts';
import type { FuzzTarget } from './fuzz-target.ts';
import { FuzzWorld } from './fuzz-world.ts';
import { operationsOf } from './operations.ts';
import { asShellCommand, bytesOf, hangsUp, type RawRequest } from './raw-request.ts';
import { sendRaw } from './send-raw.ts';

export interface FuzzOptions {
  readonly seed: number;
  readonly requests: number;
  onProgress?(sent: number): void;
}

export interface FuzzResult {
  /** The problems, a sentence each; those of a response with the smallest request that fast-check found for it. */
  readonly findings: readonly string[];
  /** The number of responses by status. */
  readonly statuses: ReadonlyMap<number, number>;
  /** The number of endpoints that responded with 2xx. */
  readonly succeeded: number;
  /** The slowest request, because one that keeps the service busy delays all others. */
  readonly slowest: { readonly request: string; readonly milliseconds: number };
}

/** In milliseconds. The service waits up to five seconds for an unreachable event source, and more when it is busy. */
const responseTimeout = 20_000;

/** Sends random requests, which the seed determines, and checks every response and finally the store. */
export async function fuzz(target: FuzzTarget, { seed, requests, onProgress }: FuzzOptions): Promise<FuzzResult> {
  const world = await new FuzzWorld(target).fill();
  const operations = operationsOf(world.document);
  const documentCheck = new OpenApiCheck(world.document);
  const { arbitrary } = new RequestArbitrary(operations, world.document.components.schemas, FuzzWorld.senders);
  const statuses = new Map<number, number>();
  const succeeded = new Set<string>();
  const errorLog = new ErrorLog(target);
  let slowest: FuzzResult['slowest'] = { request: 'none', milliseconds: 0 };
  let sent = 0;
  const property = fc.asyncProperty(arbitrary, async (request) => {
    const bytes = bytesOf(request, world.authorization(request.sender));
    const exchange = await sendRaw(target.url, bytes, { end: hangsUp(request), timeout: responseTimeout });
    const problems = [
      ...checkResponse(request, exchange),
      ...checkAgainstDocument(documentCheck, request, exchange.response),
      ...errorLog.errorsOf(request, exchange.response),
    ];
    if (exchange.milliseconds > slowest.milliseconds)
      slowest = { request: asShellCommand(request, target.url), milliseconds: Math.round(exchange.milliseconds) };
    sent += 1;
    onProgress?.(sent);
    const status = exchange.response?.status ?? 0;
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    if (status >= 200 && status < 300) succeeded.add(endpointOf(request));
    if (status === 401 && request.sender !== null) await world.replace(request.sender).catch(() => undefined);
    if (problems.length > 0) throw new Error(problems.join('\n'));
  });
  const { failed, counterexample, errorInstance } = await fc.check(property, { seed, numRuns: requests });
  const message = errorInstance instanceof Error ? errorInstance.message : String(errorInstance);
  const failure = failed && counterexample ? [`${message}\n${asShellCommand(counterexample[0], target.url)}`] : [];
  const storeFindings = await target.finish();
  return {
    findings: [...failure, ...errorLog.unattributed, ...storeFindings],
    statuses,
    succeeded: succeeded.size,
    slowest,
  };
}

/** Returns method and path of a request, with every id replaced by 1 and without the format suffix. */
function endpointOf({ method, target }: RawRequest): string {
  return `${method} ${target.split(/[?.]/)[0]?.replace(/\d+/g, '1')}`;
}
