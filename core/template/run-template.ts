import { type ActionLists, actionListFields, readActionLists, secretsOfActions } from '../action/action-lists.ts';
import { environmentMap } from '../app/environment-map.ts';
import { dayOffActions } from '../calendar/owed-windows.ts';
import { declaredSecrets, secretPaths } from '../credential/declared-secrets.ts';
import { choice, count, flag, instant, integer, ref, refs, seconds, text } from '../field/fields.ts';
import { anything, json } from '../field/structured.ts';
import type { Instant } from '../loop/clock.ts';
import { keepFieldNames, keepFields } from '../quota/keep-rules.ts';
import { secretOptionPaths } from '../records/plugin-options.ts';
import { type CheckContext, defineResource, type InputOfResource, type Resource } from '../resource/define-resource.ts';
import { byMembership, changedField, isAdmin } from '../resource/permissions.ts';
import { cipherKeyField } from '../secret/record-cipher.ts';
import type { RowOfTable } from '../store/table.ts';
import { type IntervalCode, type IntervalName, intervals, parseInterval } from '../time/interval.ts';
import { type Backoff, backoffs } from '../time/retry.ts';
import type { Timing } from '../time/timing.ts';
import { checkCalendarUse } from './check-calendar-use.ts';
import { checkEnvironment } from './check-environment.ts';
import { checkExecutor } from './check-executor.ts';
import { scheduleErrors } from './check-schedule.ts';

export const overlaps = ['forbid', 'allow', 'replace'] as const;
/** How many windows of one template are run after an outage at most: the newest ones. */
export const maxCaughtUp = 1000;

/** How many credentials a template may list: all are read before each attempt. */
const maxCredentials = 100;

export const catchUps = ['latest', 'all', 'none'] as const;

const described = defineResource({
  name: 'RunTemplate',
  cacheRegion: 'configuration',
  names: { singular: 'runtemplate', plural: 'runtemplates', id: 'runTemplateId' },
  description: 'Runs an app for a company at an interval; each window of the interval is an obligation.',
  example: {
    code: 'nightly-backup',
    name: 'Nightly backup of the shop',
    app_id: 1,
    company_id: 1,
    interval: 'daily',
    timezone: 'Europe/Prague',
    delay: 1800,
    deadline: '06:00',
    max_attempts: 3,
    retry_backoff: 'exponential',
    retry_delay: 300,
    timeout: 3600,
    environment: { DATABASE: 'shop' },
    credentials: [1],
    topics: [1],
  },
  operations: ['list', 'get', 'save', 'delete'],
  permissions: byMembership(
    { read: 'viewer', write: 'manager' },
    {
      fields: ['id', 'name', ...keepFieldNames],
      async refuse(actor, row, tables, verb): Promise<string | undefined> {
        if (verb === 'delete' || isAdmin(actor)) return undefined;
        const changed = await changedField(tables, RunTemplate, row, keepFieldNames);
        return (
          changed && `${actor.name} may not set ${changed} of run template ${row.name}: that takes the role admin.`
        );
      },
    },
  ),
  company: 'company_id',
  key: ['company_id', 'code'],
  summaryFields: [
    'id',
    'code',
    'name',
    'company_id',
    'app_id',
    'active',
    'interval',
    'cron',
    'timezone',
    'next_scheduled_at',
  ],
  secondaryFields: ['timezone', 'app_id', 'company_id', 'cron'],
  fields: {
    code: text(64, { description: 'Unique within the company.' }),
    name: text(255, { description: 'Name for people.' }).required(),
    app_id: ref('App').required(),
    company_id: ref('Company', { immutable: true }).required(),
    active: flag(true, {
      indexed: true,
      description: 'A template that is not active runs nothing, and nothing is owed.',
    }),
    interval: choice(intervals, {
      parse: (input: IntervalName | IntervalCode) => parseInterval(input),
      description: 'How often its windows begin; custom = as cron says.',
    }).required(),
    cron: text(255, {
      format: 'cron',
      description: 'Required with the interval custom: 5 or 6 fields, or @daily and the like.',
    }),
    timezone: text(64, {
      format: 'timezone',
      defaultFor: ({ timezone }) => timezone,
      description: 'IANA name; the service’s own if it is left out.',
    })
      .default('UTC')
      .nonNullable(),
    delay: seconds(0, { description: 'Seconds from the start of the window until its job is due.' }),
    jitter: seconds(0, {
      description: 'A further delay of up to this many seconds; a window always gets the same delay.',
    }),
    starts_at: instant({ description: 'Windows that start earlier get no Task.' }),
    ends_at: instant({ description: 'Windows that start then or later get no Task.' }),
    calendar_id: ref('Calendar', { description: 'The calendar whose days off it observes; null = it knows none.' }),
    day_off: choice(dayOffActions, {
      description: 'What becomes of a window that begins on a day off of the calendar.',
      meanings: {
        skip: 'it gets no Task',
        next: 'its start moves to the same local time of the next working day',
        previous: 'its start moves to that of the previous working day',
      },
    })
      .default('skip')
      .nonNullable(),
    deadline: text(16, {
      format: 'deadline',
      description:
        'By when a job must have succeeded: +45s, +90m, +3h, +1d from the start of the window, or a local time such as 08:00. Null = the end of the window.',
    }),
    max_attempts: count(1, { description: 'The maximum number of attempts at a Task: the first one and its retries.' })
      .min(1)
      .max(1000),
    retry_backoff: choice(backoffs, {
      description: 'How the delay between attempts grows.',
      meanings: {
        none: 'the next attempt starts at once',
        fixed: 'after retry_delay',
        linear: 'after retry_delay times the number of attempts',
        exponential: 'after retry_delay, doubled with each attempt',
      },
    })
      .default('none')
      .nonNullable(),
    retry_delay: seconds(0, {
      description: 'Seconds between a failed attempt and the next one; retry_backoff says how it grows.',
    }),
    retry_max_delay: seconds(86_400, { description: 'The maximum delay, in seconds.' }),
    allow_late: flag(false, {
      description: 'Whether attempts go on after the deadline, until the window ends; a success then counts as late.',
    }),
    timeout: seconds(0, { description: 'Seconds after which an attempt is stopped; null = none.' })
      .min(1)
      .nullable()
      .default(null),
    overlap: choice(overlaps, {
      description: 'What happens to a job that is due while another job of the template runs.',
      meanings: {
        forbid:
          'it waits while its Task can still be met, then it is skipped; an ad hoc job that is due now is rejected',
        allow: 'both run',
        replace:
          'the one that was running when it fell due is cancelled, and its Task with it; a caught-up job waits instead',
      },
    })
      .default('forbid')
      .nonNullable(),
    catch_up: choice(catchUps, {
      description: 'Which of the windows that passed while the service was down run afterwards.',
      meanings: {
        none: 'no window, all are missed',
        latest: 'the newest one',
        all: `each, oldest first; beyond the newest ${maxCaughtUp} they are missed`,
      },
    })
      .default('latest')
      .nonNullable(),
    max_running: count(0, {
      description:
        'With overlap: allow, the maximum number of its jobs that run at once; further jobs wait. Null = no limit.',
    })
      .min(1)
      .nullable()
      .default(null),
    priority: integer({
      description:
        'Of the due jobs of a company, the one with the highest priority starts first, and jobs that catch up start last. Companies take turns, whatever the priorities of their jobs are.',
    })
      .default(0)
      .nonNullable(),
    executor: text(64, {
      names: 'executors',
      description: 'The executor of its jobs; the App says which ones may run it.',
    })
      .default('native')
      .nonNullable(),
    executor_options: json(
      anything,
      {},
      {
        detailOnly: true,
        members: { by: 'executor', options: 'executors' },
        description:
          'Options of the executor; horarium plugin:list shows them. A job of its own values cannot lift a restriction that is set here.',
      },
    ),
    /** Where its jobs run, as `writePlacement` writes it; null = workers of the service start them. */
    placement: text(1280, { hidden: true, unaudited: true }),
    environment: json(
      environmentMap(),
      {},
      {
        detailOnly: true,
        members: { by: 'app_id', declared: 'environment' },
        description:
          'Values of variables that its App or the type of a credential declares. A value has at most 32,768 characters.',
      },
    ),
    credentials: refs('Credential', {
      max: maxCredentials,
      description: 'Credentials whose values are added to the environment.',
    }),
    topics: refs('Topic'),
    ...actionListFields(''),
    ...keepFields('as its company says'),
    note: text(65_535, { description: 'Remarks for operators.' }),
    cipher_key: cipherKeyField(),
  },
  async check(row, context) {
    checkTemplate(row, context);
    await checkCalendarUse(row, context);
    await checkExecutor(row, context);
    await checkEnvironment(row, context);
  },
  async secrets(row, { tables, service }) {
    const secret = await declaredSecrets(tables, [['id', '=', row.app_id]]);
    const options = service.executors.get(row.executor)?.options;
    return [
      ...secretPaths('environment', row.environment, secret),
      ...secretOptionPaths(['executor_options'], options),
      ...secretsOfActions(row, service.actions),
    ];
  },
});
export type RunTemplateRow = { [K in keyof RowOfTable<typeof described>]: RowOfTable<typeof described>[K] };
export type RunTemplateInput = { [K in keyof InputOfResource<typeof described>]: InputOfResource<typeof described>[K] };

/** A run template: which app runs for which company, how often, by when, with which environment and retries. */
export const RunTemplate: Resource<RunTemplateRow, RunTemplateInput> = described;

/** The fields that `check` reads. They are declared apart from the row type, which depends on `check` itself. */
interface CheckedTemplate extends Timing, ActionLists {
  readonly starts_at: Instant | null;
  readonly ends_at: Instant | null;
  readonly retry_backoff: Backoff;
  readonly retry_delay: number;
}

/** Reports fields that contradict each other, and actions that no loaded plugin has. */
function checkTemplate(row: CheckedTemplate, context: CheckContext<CheckedTemplate>): void {
  const { errors, before, tables } = context;
  const hasDelay = ({ retry_backoff, retry_delay }: CheckedTemplate) => retry_backoff === 'none' && retry_delay > 0;
  if (hasDelay(row) && !(before && hasDelay(before)))
    tables.warn('retry_delay has no effect while retry_backoff is none: choose fixed, linear or exponential.');
  errors.push(...scheduleErrors(row));
  Object.assign(row, readActionLists(row, context));
}
