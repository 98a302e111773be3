import { conflict } from '../../errors.ts';
import type { RecordChange } from '../../resource/define-resource.ts';
import type { Where } from '../../store/query.ts';
import type { Tables } from '../../store/store.ts';
import { EventRule, type EventRuleRow } from './event-rule.ts';

/** How many event rules a company may have. */
const maxRules = 1000;

/** How many of them may follow one template or one event source: an event is matched against all of them. */
const maxRulesOfOne = 100;

/**
 * Refuses a further rule where its company has as many as it may, in all or of what the rule follows. Disabled ones count.
 * Changes of stored rules are refused only if they make it follow something else; of several that are saved at the same
 * moment a few may exceed the limit.
 * @throws HorariumError `conflict` that names the limit.
 */
export async function boundRules({ before, after }: RecordChange<EventRuleRow>, tables: Tables): Promise<void> {
  if (!after) return;
  const ofCompany = ['company_id', '=', after.company_id] as const;
  const exceeds = async (max: number, where: Where<EventRuleRow> = []) =>
    (await tables.of(EventRule).count([...where, ofCompany], max + 1)) > max;
  const refuse = (limit: string) =>
    conflict(`Company ${after.company_id} has ${limit}, which is the limit: delete others first.`);
  if (!before && (await exceeds(maxRules))) throw refuse(`${maxRules} event rules`);
  const boundOf = async (field: 'event_source_id' | 'runtemplate_source_id', name: string) => {
    const id = after[field];
    if (id === null || before?.[field] === id) return;
    if (await exceeds(maxRulesOfOne, [[field, '=', id]]))
      throw refuse(`${maxRulesOfOne} event rules that follow ${name} ${id}`);
  };
  await boundOf('event_source_id', 'EventSource');
  await boundOf('runtemplate_source_id', 'RunTemplate');
}
