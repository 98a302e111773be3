import type { Target } from './target.ts';

/** One way in which somebody with ordinary rights has tried to harm the service, other companies or the records. */
export interface Attack {
  /** What must stay true, as a sentence. */
  readonly claim: string;
  /**
   * Tries to make the claim untrue.
   * @returns how the claim was broken; null when it held.
   * @throws NotTried when the target does not have what the attack needs.
   */
  attempt(target: Target): Promise<string | null>;
}

/** Tells why an attack could not be tried on a target. */
export class NotTried extends Error {}

export interface Finding {
  readonly claim: string;
  readonly result: 'held' | 'broken' | 'not tried';
  /** How the claim was broken, or why it was not tried. */
  readonly detail: string;
}

/** Tries one attack after the other, because several of them occupy the whole service. */
export async function* tryAttacks(attacks: readonly Attack[], target: Target): AsyncGenerator<Finding> {
  for (const { claim, attempt } of attacks) yield { claim, ...(await findingOf(() => attempt(target))) };
}

async function findingOf(attempt: () => Promise<string | null>): Promise<Omit<Finding, 'claim'>> {
  try {
    const breach = await attempt();
    return { result: breach === null ? 'held' : 'broken', detail: breach ?? '' };
  } catch (error) {
    if (error instanceof NotTried) return { result: 'not tried', detail: error.message };
    // What an attack waited for did not happen, or the service did not respond: the claim was not seen to hold.
    return { result: 'broken', detail: error instanceof Error ? error.message : String(error) };
  }
}
