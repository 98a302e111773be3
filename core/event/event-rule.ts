import { string } from 'yup';
import { Company } from '../company/company.ts';
import { conflict } from '../errors.ts';
import { settableKey } from '../field/environment-map.ts';
import { choice, flag, integer, json, mapOf, ref, text } from '../field/fields.ts';
import { defineResource } from '../resource/define-resource.ts';
import type { Tables, Where } from '../store/store.ts';
import { RunTemplate } from '../template/run-template.ts';
import { type Chain, loopClosedBy } from './chain-loop.ts';

/** What a run template's end can be for the templates chained to it. */
export const chainEvents = [
  'succeeded',
  'failed',
  'completed',
  'task_fulfilled',
  'task_failed',
  'task_missed',
] as const;

/** Maps an event to a run template, so that the end of one template may start another. */
export const EventRule = defineResource({
  name: 'EventRule',
  names: { singular: 'eventrule', plural: 'eventrules', id: 'eventRuleId' },
  description: 'Runs a template when an event comes from a source or another template ends.',
  example: {
    name: 'Reports after the backup',
    runtemplate_source_id: 1,
    event: 'succeeded',
    runtemplate_id: 2,
    env_mapping: { BACKUP_JOB: 'job_id' },
  },
  operations: ['list', 'get', 'save', 'delete'],
  company: 'company_id',
  summaryFields: [
    'id',
    'name',
    'event_source_id',
    'runtemplate_source_id',
    'event',
    'operation',
    'runtemplate_id',
    'priority',
    'enabled',
  ],
  fields: {
    name: text(255),
    /** The company of the template that it runs. */
    company_id: ref('Company', { hidden: true, indexed: true }),
    event_source_id: ref('EventSource'),
    runtemplate_source_id: ref('RunTemplate'),
    event: text(255, { description: `Of a template: ${chainEvents.join(', ')}; succeeded when left out.` }),
    evidence: text(255, { description: 'Null = any; * stands for any text.' }),
    operation: choice(['any', 'create', 'update', 'delete']).default('any').nonNullable(),
    runtemplate_id: ref('RunTemplate', { description: 'The template to run.' }).required(),
    priority: integer({ description: 'Higher first; all that match fire.' }).default(0).nonNullable(),
    enabled: flag(true, { indexed: true }),
    env_mapping: json(mapOf(string().max(1024).defined(), settableKey), {}),
  },
  companyFrom: 'runtemplate_id',
  async check(row, { tables, before, refuse }) {
    const sources = [row.event_source_id, row.runtemplate_source_id].filter((id) => id !== null);
    if (sources.length !== 1) {
      refuse('event_source_id', 'exactly one of event_source_id and runtemplate_source_id must be set');
      return;
    }
    if (before && before.company_id !== row.company_id)
      refuse('runtemplate_id', `there is no RunTemplate ${row.runtemplate_id}`);
    if (row.runtemplate_source_id === null) return;
    const [source] = await tables.of(RunTemplate).find({ where: [['id', '=', row.runtemplate_source_id]] });
    const mine = source?.company_id === row.company_id;
    if (!mine) refuse('runtemplate_source_id', `there is no RunTemplate ${row.runtemplate_source_id}`);
    row.event ??= 'succeeded';
    const known = chainEvents.some((event) => event === row.event);
    if (!known) refuse('event', `event of a run template must be one of ${chainEvents.join(', ')}`);
    if (mine && known && row.enabled) await refuseLoop(row, tables);
  },
});
export type EventRuleRow = NonNullable<(typeof EventRule)['row']>;

/**
 * Templates that start each other in a circle would never come to rest. Those of one company only can be chained.
 * @throws HorariumError `conflict` naming the circle.
 */
async function refuseLoop(rule: ChainRule, tables: Tables): Promise<void> {
  // Of two rules that close a loop together one waits for the other.
  await tables.of(Company).find({ where: [['id', '=', rule.company_id]], columns: ['id'], lock: 'wait' });
  const where: Where = [
    ['company_id', '=', rule.company_id],
    ['runtemplate_source_id', '!=', null],
    ['enabled', '=', true],
  ];
  const others = (await tables.of<ChainRule>(EventRule).find({ where })).filter((other) => other.id !== rule.id);
  const loop = loopClosedBy(chainOf(rule), others.map(chainOf));
  if (loop) throw conflict(`This rule would close a loop: ${loop.map((id) => `RunTemplate ${id}`).join(' → ')}.`);
}

interface ChainRule {
  readonly id: number;
  readonly company_id: number | null;
  readonly runtemplate_source_id: number | null;
  readonly runtemplate_id: number | null;
}

function chainOf({ runtemplate_source_id, runtemplate_id }: ChainRule): Chain {
  return { from: runtemplate_source_id as number, to: runtemplate_id as number };
}
