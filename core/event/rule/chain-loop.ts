import { Company } from '../../company/company.ts';
import { conflict } from '../../errors.ts';
import { yieldToEventLoop } from '../../loop/yield-to-event-loop.ts';
import type { RecordChange } from '../../resource/define-resource.ts';
import type { Where } from '../../store/query.ts';
import { required } from '../../store/rows.ts';
import type { Tables } from '../../store/store.ts';
import { EventRule, type EventRuleRow } from './event-rule.ts';

/** A chain of two templates: one starts the other. */
export interface Chain {
  readonly from: number;
  readonly to: number;
}

/**
 * Refuses a rule that closes a loop of templates, which would start each other for ever. Only the chains that lead on from
 * the template which it runs are read.
 * @throws HorariumError `conflict` naming the loop.
 */
export async function refuseLoop({ after }: RecordChange<EventRuleRow>, tables: Tables): Promise<void> {
  if (!after?.enabled || after.runtemplate_source_id === null) return;
  const { id, company_id, runtemplate_source_id: from, runtemplate_id: to } = after;
  const company = required(company_id, `company of EventRule ${id}`);
  // The lock serializes two rules that would only together close a loop.
  await tables.of(Company).find({ where: [['id', '=', company]], columns: ['id'], lock: 'wait' });
  const chainsFrom = async (templates: readonly number[]): Promise<Chain[]> => {
    const where: Where<EventRuleRow> = [
      ['runtemplate_source_id', 'in', templates],
      ['enabled', '=', true],
      ['id', '!=', id],
    ];
    const found = await tables.of(EventRule).find({ where, columns: ['runtemplate_source_id', 'runtemplate_id'] });
    return found.map((row) => ({ from: row.runtemplate_source_id as number, to: row.runtemplate_id }));
  };
  const loop = await loopClosedBy({ from, to }, chainsFrom);
  if (loop) throw conflict(`This rule would close a loop: ${loop.map((each) => `RunTemplate ${each}`).join(' → ')}.`);
}

/**
 * Finds the shortest loop that a chain would close together with others, from its beginning: `[1, 2, 1]`. The search is
 * breadth first; each template is asked for once.
 * @param chainsFrom returns the chains that begin at any of these templates.
 * @returns null when it closes none.
 */
export async function loopClosedBy(
  added: Chain,
  chainsFrom: (templates: readonly number[]) => Promise<readonly Chain[]>,
): Promise<number[] | null> {
  const cameFrom = new Map<number, number | null>([[added.to, null]]);
  for (let front = [added.to]; front.length > 0; ) {
    if (cameFrom.has(added.from)) return [added.from, ...pathTo(added.from, cameFrom)];
    await yieldToEventLoop();
    const next: number[] = [];
    const chains = await chainsFrom(front);
    for (const { from, to } of chains) {
      if (cameFrom.has(to)) continue;
      cameFrom.set(to, from);
      next.push(to);
    }
    front = next;
  }
  return null;
}

function pathTo(end: number, cameFrom: ReadonlyMap<number, number | null>): number[] {
  const path: number[] = [];
  for (let at: number | null = end; at !== null; at = cameFrom.get(at) ?? null) path.unshift(at);
  return path;
}
