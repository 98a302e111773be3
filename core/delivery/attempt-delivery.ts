import type { ActionDelivery, AnyAction, DeliveryResult } from '../action/action.ts';
import type { Clock, Milliseconds } from '../loop/clock.ts';
import { redact } from '../redaction/redactor.ts';
import { extensionMessage } from '../registry/plugin-mistakes.ts';
import { maxAnswer } from './delivery.ts';

/** How long an attempt at a delivery may take. */
const attemptTimeout: Milliseconds = 30_000;

export interface DeliveryAttempt {
  readonly action: AnyAction;
  readonly delivery: ActionDelivery;
  /** The values that must not be shown of what the action says. */
  readonly secrets: readonly string[];
}

export interface DeliveryOutcome {
  /** Null = it arrived. */
  readonly error: string | null;
  readonly result: DeliveryResult;
}

/**
 * Lets an action deliver a notice once. Never rejects: what the action throws, or that its time is over, is the error.
 * @param stop ends the attempt when the service stops.
 */
export async function attemptDelivery(
  { action, delivery, secrets }: DeliveryAttempt,
  { clock, stop }: { readonly clock: Clock; readonly stop: AbortSignal },
): Promise<DeliveryOutcome> {
  const shown = async (text: string) => (await redact(text, secrets)).slice(0, maxAnswer);
  try {
    const result = await deliver(action, delivery, clock, stop);
    return { error: null, result: await answerOf(result, shown) };
  } catch (error) {
    const result = await answerOf(error as DeliveryResult, shown);
    return { error: await shown(extensionMessage(action, error)), result };
  }
}

/** @throws Error of the action, or that says that its time is over. */
async function deliver(
  action: AnyAction,
  delivery: ActionDelivery,
  clock: Clock,
  stop: AbortSignal,
): Promise<DeliveryResult> {
  const over = new AbortController();
  const signal = AbortSignal.any([over.signal, stop]);
  const timedOut = clock.sleep(attemptTimeout, signal).then(() => {
    throw new Error(
      stop.aborted ? 'The service stopped during the attempt.' : `It did not finish within ${attemptTimeout / 1000} s.`,
    );
  });
  // An async function also catches what a plugin throws before it returns a promise.
  const delivered = async () => action.deliver(delivery, signal);
  try {
    return await Promise.race([delivered(), timedOut]);
  } finally {
    over.abort('over');
    timedOut.catch(() => {});
  }
}

async function answerOf(
  { status, response }: DeliveryResult,
  shown: (text: string) => Promise<string>,
): Promise<DeliveryResult> {
  return {
    ...(Number.isSafeInteger(status) && { status }),
    ...(typeof response === 'string' && { response: await shown(response) }),
  };
}
