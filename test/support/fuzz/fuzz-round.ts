import fc from 'fast-check';
import { AnyRequest } from './any-request.ts';
import { checkAnswer } from './check-answer.ts';
import type { FuzzTarget } from './fuzz-target.ts';
import { FuzzWorld } from './fuzz-world.ts';
import { operationsOf } from './operations.ts';
import { asShell, bytesOf, endsEarly, type RawRequest } from './raw-request.ts';
import { type Sent, sendRaw } from './send-raw.ts';

export interface RoundOptions {
  readonly seed: number;
  readonly requests: number;
  onProgress?(sent: number): void;
}

export interface Round {
  /** Everything that is wrong, with the smallest request found that shows it. */
  readonly findings: readonly string[];
  /** How often each status was answered. */
  readonly statuses: ReadonlyMap<number, number>;
  /** Rows of the API that answered 2xx. */
  readonly succeeded: number;
}

/** Reaching a database that is not there may take the service five seconds. */
const patience = 20_000;

/** Sends so many requests that the seed draws, and holds the answers and then the store against every promise. */
export async function fuzzRound(target: FuzzTarget, { seed, requests, onProgress }: RoundOptions): Promise<Round> {
  const world = await new FuzzWorld(target).fill();
  const operations = operationsOf(world.document);
  const { arbitrary } = new AnyRequest(operations, world.document.components.schemas, FuzzWorld.people);
  const statuses = new Map<number, number>();
  const succeeded = new Set<string>();
  let sent = 0;
  const property = fc.asyncProperty(arbitrary, async (request) => {
    const { answer, wrong } = await attempt(target, world, request);
    sent += 1;
    onProgress?.(sent);
    const status = answer?.status ?? 0;
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    if (status >= 200 && status < 300)
      succeeded.add(`${request.method} ${request.target.split(/[?.]/)[0]?.replace(/\d+/g, '1')}`);
    if (status === 401 && request.who !== null) await world.renew(request.who).catch(() => undefined);
    if (wrong.length > 0) throw new Error(wrong.join('\n'));
  });
  const { failed, counterexample, errorInstance } = await fc.check(property, { seed, numRuns: requests });
  const said = errorInstance instanceof Error ? errorInstance.message : String(errorInstance);
  const found = failed && counterexample ? [`${said}\n${asShell(counterexample[0], target.url)}`] : [];
  return { findings: [...found, ...(await target.finish())], statuses, succeeded: succeeded.size };
}

async function attempt(
  target: FuzzTarget,
  world: FuzzWorld,
  request: RawRequest,
): Promise<{ answer: Sent['answer']; wrong: string[] }> {
  const bytes = bytesOf(request, world.authorization(request.who));
  const sent = await sendRaw(target.url, bytes, { end: endsEarly(request), patience });
  return { answer: sent.answer, wrong: [...checkAnswer(request, sent), ...target.complaints()] };
}
