import { string } from 'yup';
import { declarableKey } from '../../app/environment-map.ts';
import { choice, flag, integer, ref, text } from '../../field/fields.ts';
import { json, mapOf } from '../../field/structured.ts';
import { hintAfter } from '../../registry/did-you-mean.ts';
import {
  type CheckContext,
  defineResource,
  type InputOfResource,
  type Resource,
} from '../../resource/define-resource.ts';
import { byMembership, isAdmin } from '../../resource/permissions.ts';
import type { RowOfTable } from '../../store/table.ts';
import { RunTemplate } from '../../template/run-template.ts';
import { EventSource } from '../event-source.ts';
import { checkMapping } from './check-mapping.ts';
import { mayReact } from './rule-access.ts';

/** How many variables a rule may give its jobs, and how long a selector may be, in characters. */
const maxSelectors = 64;
const maxSelector = 256;

/** The events of a run template that can start the templates chained to it. */
const chainEvents = ['succeeded', 'failed', 'completed', 'task_fulfilled', 'task_failed', 'task_missed'] as const;

const described = defineResource({
  name: 'EventRule',
  cacheRegion: 'configuration',
  names: { singular: 'eventrule', plural: 'eventrules', id: 'eventRuleId' },
  description: 'Runs a template when an event comes from a source or another template ends.',
  example: {
    name: 'Reports after the backup',
    runtemplate_source_id: 1,
    event: 'succeeded',
    runtemplate_id: 2,
    env_mapping: { DATABASE: 'produces.dump.database' },
  },
  operations: ['list', 'get', 'save', 'delete'],
  permissions: byMembership({ read: 'viewer', write: 'manager' }),
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
    name: text(255, { description: 'Name for people.' }),
    /** The company of the template that it runs: a rule belongs to the company whose jobs it causes. */
    company_id: ref('Company', { hidden: true, indexed: true }),
    event_source_id: ref('EventSource'),
    runtemplate_source_id: ref('RunTemplate'),
    event: text(255, { description: `For a template: ${chainEvents.join(', ')}; succeeded if it is left out.` }),
    evidence: text(255, { description: 'Null = any; * stands for any text.' }),
    operation: choice(['any', 'create', 'update', 'delete']).default('any').nonNullable(),
    runtemplate_id: ref('RunTemplate', { description: 'The template to run.' }).required(),
    priority: integer({ description: 'All rules that match fire, those with the highest priority first.' })
      .default(0)
      .nonNullable(),
    enabled: flag(true, { indexed: true, description: 'A disabled rule matches no event.' }),
    /** Whether an admin saved it last: only such rules may react to a source that is open to no company. */
    by_admin: flag(false, { hidden: true }),
    env_mapping: json(
      mapOf(string().max(maxSelector).defined(), declarableKey, maxSelectors),
      {},
      {
        detailOnly: true,
        description: 'Variables of the job by selectors of the event: {"ORDER_ID": "recordid"}.',
      },
    ),
  },
  companyFrom: 'runtemplate_id',
  async check(row, context) {
    const { tables, before, errors } = context;
    const addError = (field: string, message: string) => errors.push({ field, message });
    const sources = [row.event_source_id, row.runtemplate_source_id].filter((id) => id !== null);
    if (sources.length !== 1) {
      addError('event_source_id', 'exactly one of event_source_id and runtemplate_source_id must be set');
      return;
    }
    if (row.runtemplate_source_id !== null) row.event ??= 'succeeded';
    else if (row.event !== null && row.event !== before?.event)
      addError(
        'event',
        'event is for rules that follow a template; rules of a source choose by evidence and operation',
      );
    else row.event = null;
    if (before && before.company_id !== row.company_id)
      addError('runtemplate_id', `there is no RunTemplate ${row.runtemplate_id}`);
    else await checkMapping(row, context);
    row.by_admin = isAdmin(context.actor);
    if (row.event_source_id !== null) await checkSource(row, context);
    if (row.runtemplate_source_id === null) return;
    const [source] = await tables.of(RunTemplate).find({ where: [['id', '=', row.runtemplate_source_id]] });
    const sameCompany = source?.company_id === row.company_id;
    if (!sameCompany) addError('runtemplate_source_id', `there is no RunTemplate ${row.runtemplate_source_id}`);
    const isChainEvent = chainEvents.some((event) => event === row.event);
    const hint = hintAfter(row.event ?? '', chainEvents);
    if (!isChainEvent) addError('event', `event of a run template must be one of ${chainEvents.join(', ')}${hint}`);
  },
});
export type EventRuleRow = { [K in keyof RowOfTable<typeof described>]: RowOfTable<typeof described>[K] };
export type EventRuleInput = { [K in keyof InputOfResource<typeof described>]: InputOfResource<typeof described>[K] };

/** Runs a template when a matching event comes from an event source, or when another template ends. */
export const EventRule: Resource<EventRuleRow, EventRuleInput> = described;

/** Reports a source to which no rule of this company may react, or none that this actor writes. */
async function checkSource(
  rule: Pick<EventRuleRow, 'event_source_id' | 'company_id' | 'by_admin' | 'enabled'>,
  { tables, errors }: Pick<CheckContext<object>, 'tables' | 'errors'>,
): Promise<void> {
  const [source] = await tables
    .of(EventSource)
    .find({ where: [['id', '=', rule.event_source_id ?? 0]], columns: ['id', 'companies'] });
  if (!source || !rule.enabled || mayReact(rule, source.companies)) return;
  const reason =
    source.companies.length === 0
      ? 'lists no companies, so that only admins write rules for it'
      : 'does not list the company of this rule among those whose rules may react to it';
  errors.push({ field: 'event_source_id', message: `EventSource ${source.id} ${reason}` });
}
