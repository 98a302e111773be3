import fc from 'fast-check';
import { AnswerCheck } from '../answer-check.ts';
import { AnyRequest } from './any-request.ts';
import { checkAnswer } from './check-answer.ts';
import { checkDescribed } from './check-described.ts';
import { Complaints } from './complaints.ts';
import type { FuzzTarget } from './fuzz-target.ts';
import { FuzzWorld } from './fuzz-world.ts';
import { operationsOf } from './operations.ts';
import { asShell, bytesOf, hangsUp, type RawRequest } from './raw-request.ts';
import { sendRaw } from './send-raw.ts';

export interface RoundOptions {
  readonly seed: number;
  readonly requests: number;
  onProgress?(sent: number): void;
}

export interface Batch {
  /** Everything that is wrong, with the smallest request found that shows it. */
  readonly findings: readonly string[];
  /** How often each status was answered. */
  readonly statuses: ReadonlyMap<number, number>;
  /** Rows of the API that answered 2xx. */
  readonly succeeded: number;
  /** What took longest to be answered: who makes a service think long needs few requests to keep it from others. */
  readonly slowest: { readonly request: string; readonly milliseconds: number };
}

/** Reaching a database that is not there may take the service five seconds. */
const patience = 20_000;

/** Sends so many requests that the seed draws, and holds the answers and then the store against every promise. */
export async function fuzzRound(target: FuzzTarget, { seed, requests, onProgress }: RoundOptions): Promise<Batch> {
  const world = await new FuzzWorld(target).fill();
  const operations = operationsOf(world.document);
  const described = new AnswerCheck(world.document);
  const { arbitrary } = new AnyRequest(operations, world.document.components.schemas, FuzzWorld.people);
  const statuses = new Map<number, number>();
  const succeeded = new Set<string>();
  const complained = new Complaints(target);
  let slowest: Batch['slowest'] = { request: 'none', milliseconds: 0 };
  let sent = 0;
  const property = fc.asyncProperty(arbitrary, async (request) => {
    const bytes = bytesOf(request, world.authorization(request.who));
    const came = await sendRaw(target.url, bytes, { end: hangsUp(request), patience });
    const wrong = [
      ...checkAnswer(request, came),
      ...checkDescribed(described, request, came.answer),
      ...complained.about(request, came.answer),
    ];
    if (came.milliseconds > slowest.milliseconds)
      slowest = { request: asShell(request, target.url), milliseconds: Math.round(came.milliseconds) };
    sent += 1;
    onProgress?.(sent);
    const status = came.answer?.status ?? 0;
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    if (status >= 200 && status < 300) succeeded.add(rowOf(request));
    if (status === 401 && request.who !== null) await world.renew(request.who).catch(() => undefined);
    if (wrong.length > 0) throw new Error(wrong.join('\n'));
  });
  const { failed, counterexample, errorInstance } = await fc.check(property, { seed, numRuns: requests });
  const said = errorInstance instanceof Error ? errorInstance.message : String(errorInstance);
  const found = failed && counterexample ? [`${said}\n${asShell(counterexample[0], target.url)}`] : [];
  const left = await target.finish();
  return { findings: [...found, ...complained.late, ...left], statuses, succeeded: succeeded.size, slowest };
}

/** What a row of the API is known by, whichever record was asked for, in whatever format. */
function rowOf({ method, target }: RawRequest): string {
  return `${method} ${target.split(/[?.]/)[0]?.replace(/\d+/g, '1')}`;
}
