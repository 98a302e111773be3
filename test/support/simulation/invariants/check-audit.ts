import { isDeepStrictEqual } from 'node:util';
import { allResources, type Hmac, mask, type Store, serializeRow } from '@horarium/core';
import { changesIn } from '#core/audit/shared-entries';
import { verifyAudit } from '#core/audit/verify';
import { testHmac } from '../../secrets/test-hmac.ts';
import type { FinalState, Findings } from './findings.ts';
import { legalTransitions, transitionName } from './legal-transitions.ts';

type Values = Record<string, unknown>;

/**
 * Checks the audit log: replayed from its beginning it yields exactly the stored records, every transition in it is
 * legal, and its chain is sealed and unbroken.
 * @returns the transitions of Tasks and Jobs in it.
 */
export async function checkAudit(
  final: FinalState,
  store: Store,
  findings: Findings,
  hmac: Hmac = testHmac,
): Promise<Set<string>> {
  const replayed = new Map<string, Values>();
  const transitions = new Set<string>();
  for (const { id, action, entity_type, entity_id, changes } of changesIn(final.log)) {
    const key = `${entity_type} ${entity_id}`;
    const before = replayed.get(key);
    findings.check(
      (action === 'create') === (before === undefined),
      () => `Entry ${id}: ${action} of ${key}, which is ${before ? '' : 'not '}there.`,
    );
    const after: Values = { ...before };
    for (const [field, [from, to]] of Object.entries(changes)) {
      const stored = before?.[field] ?? null;
      findings.check(
        agrees(unmasked(stored, from), from),
        () => `Entry ${id}: ${field} of ${key} was ${JSON.stringify(stored)}, not ${JSON.stringify(from)}.`,
      );
      after[field] = to;
    }
    if (action === 'delete') replayed.delete(key);
    else replayed.set(key, after);
    const state = changes['state'];
    // Deleting a record is not a transition.
    if (!state || action === 'delete' || (entity_type !== 'Task' && entity_type !== 'Job')) continue;
    const transition = transitionName(entity_type, state[0], state[1]);
    transitions.add(transition);
    findings.check(
      legalTransitions.has(transition),
      () => `Entry ${id}: ${key} made the illegal transition ${transition}.`,
    );
  }
  for (const resource of allResources.filter(({ audited }) => audited)) {
    const audited = resource.columns.filter((column) => column.name !== 'id' && !column.hidden && !column.unaudited);
    for (const row of final.records.get(resource.name) ?? []) {
      const key = `${resource.name} ${(row as { id: number }).id}`;
      const shown = serializeRow(resource, row);
      const entry = replayed.get(key);
      // Answers leave a password out, even masked.
      for (const { name } of audited)
        findings.check(
          !(name in shown) || isDeepStrictEqual(unmasked(entry?.[name] ?? null, shown[name]), shown[name] ?? null),
          () =>
            `${name} of ${key} is ${JSON.stringify(shown[name])}, but the log says ${JSON.stringify(entry?.[name] ?? null)}.`,
        );
      replayed.delete(key);
    }
  }
  findings.check(replayed.size === 0, () => `The log holds ${[...replayed.keys()].join(', ')}, which are not there.`);
  const { problem, open, checked } = await verifyAudit(store, hmac);
  findings.check(
    problem === null && open === 0,
    () => `The chain of ${checked} entries: ${problem ?? `${open} are not sealed.`}`,
  );
  return transitions;
}

/** Whether an entry agrees with the replayed value; one that becomes secret is masked in that entry, also as it was. */
function agrees(replayed: unknown, entry: unknown): boolean {
  if (entry === mask) return replayed !== null;
  if (!isNested(replayed) || !isNested(entry) || Array.isArray(replayed) !== Array.isArray(entry))
    return isDeepStrictEqual(replayed, entry);
  const keys = Object.keys(entry);
  return (
    keys.length === Object.keys(replayed).length &&
    keys.every((key) => key in replayed && agrees(replayed[key], entry[key]))
  );
}

/** Replaces masks in a replayed value: one that stops being secret stays masked in that entry, and is shown from then on. */
function unmasked(replayed: unknown, shown: unknown): unknown {
  if (replayed === mask) return shown ?? replayed;
  if (!isNested(replayed) || !isNested(shown)) return replayed;
  if (Array.isArray(replayed)) return replayed.map((item, at) => unmasked(item, shown[at]));
  return Object.fromEntries(Object.entries(replayed).map(([key, item]) => [key, unmasked(item, shown[key])]));
}

function isNested(value: unknown): value is Values {
  return typeof value === 'object' && value !== null;
}
