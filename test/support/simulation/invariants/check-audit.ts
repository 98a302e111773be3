import { isDeepStrictEqual } from 'node:util';
import { allResources, type Hmac, mask, type Store, serializeRow, verifyAudit } from '@horarium/core';
import { testHmac } from '../../test-hmac.ts';
import type { Findings, Ledger } from './findings.ts';
import { legalTransitions, transitionName } from './legal-transitions.ts';

type Values = Record<string, unknown>;

/**
 * The log tells the whole story: played from its beginning it gives exactly the records there are, every change of a
 * state in it is legal, and its seals are whole.
 * @returns the moves that were seen.
 */
export async function checkAudit(
  ledger: Ledger,
  store: Store,
  findings: Findings,
  hmac: Hmac = testHmac,
): Promise<Set<string>> {
  const told = new Map<string, Values>();
  const seen = new Set<string>();
  for (const { id, action, entity_type, entity_id, changes } of ledger.log) {
    const key = `${entity_type} ${entity_id}`;
    const before = told.get(key);
    findings.check(
      (action === 'create') === (before === undefined),
      () => `Entry ${id}: ${action} of ${key}, which is ${before ? '' : 'not '}there.`,
    );
    const after: Values = { ...before };
    for (const [field, [was, is]] of Object.entries(changes)) {
      const told = before?.[field] ?? null;
      findings.check(
        isAsTold(unmasked(told, was), was),
        () => `Entry ${id}: ${field} of ${key} was ${JSON.stringify(told)}, not ${JSON.stringify(was)}.`,
      );
      after[field] = is;
    }
    if (action === 'delete') told.delete(key);
    else told.set(key, after);
    const state = changes['state'];
    // What has ended may be deleted, which is no move.
    if (!state || action === 'delete' || (entity_type !== 'Task' && entity_type !== 'Job')) continue;
    const transition = transitionName(entity_type, state[0], state[1]);
    seen.add(transition);
    findings.check(legalTransitions.has(transition), () => `Entry ${id}: ${key} made the move ${transition}.`);
  }
  for (const resource of allResources.filter(({ audited }) => audited)) {
    const audited = resource.columns.filter((column) => column.name !== 'id' && !column.hidden && !column.unaudited);
    for (const row of ledger.records.get(resource.name) ?? []) {
      const key = `${resource.name} ${(row as { id: number }).id}`;
      const shown = serializeRow(resource, row);
      const story = told.get(key);
      // A password is never shown, not even masked.
      for (const { name } of audited)
        findings.check(
          !(name in shown) || isDeepStrictEqual(unmasked(story?.[name] ?? null, shown[name]), shown[name] ?? null),
          () =>
            `${name} of ${key} is ${JSON.stringify(shown[name])}, but the log says ${JSON.stringify(story?.[name] ?? null)}.`,
        );
      told.delete(key);
    }
  }
  findings.check(told.size === 0, () => `The log tells of ${[...told.keys()].join(', ')}, which are not there.`);
  const { problem, open, checked } = await verifyAudit(store, hmac);
  findings.check(
    problem === null && open === 0,
    () => `The chain of ${checked} entries: ${problem ?? `${open} are not sealed.`}`,
  );
  return seen;
}

/** A value that becomes secret is masked from that entry on, as it was before as well. */
function isAsTold(told: unknown, was: unknown): boolean {
  if (was === mask) return told !== null;
  if (!isNested(told) || !isNested(was) || Array.isArray(told) !== Array.isArray(was))
    return isDeepStrictEqual(told, was);
  const keys = Object.keys(was);
  return keys.length === Object.keys(told).length && keys.every((key) => key in told && isAsTold(told[key], was[key]));
}

/** A value that is secret no more is masked in the entry that says so, on both sides, and shown from then on. */
function unmasked(told: unknown, now: unknown): unknown {
  if (told === mask) return now ?? told;
  if (!isNested(told) || !isNested(now)) return told;
  if (Array.isArray(told)) return told.map((item, at) => unmasked(item, (now as unknown as unknown[])[at]));
  return Object.fromEntries(Object.entries(told).map(([key, item]) => [key, unmasked(item, now[key])]));
}

function isNested(value: unknown): value is Values {
  return typeof value === 'object' && value !== null;
}
