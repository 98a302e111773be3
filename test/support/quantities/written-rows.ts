import { formatSize } from '#core/field/byte-size';
import { constant, settingDefault } from './constant.ts';

/** What is limited, its bound, and what happens beyond it. */
export type WrittenRow = readonly [what: string, bound: string, beyond: string];

const number = (path: string, name: string) => constant(path, name).toLocaleString('en');
const bytes = (path: string, name: string) => formatSize(constant(path, name));
const seconds = (path: string, name: string) => `${constant(path, name) / 1000} s`;

/** The limits of a text in each part of a request that has none of its own. */
export const partLimits = {
  path: `${number('adapters/http/route-paths.ts', 'maxParameterLength')} characters`,
  query: `${bytes('adapters/restify/api-server.ts', 'maxHeaderBytes')} with the line and all headers of the request`,
  header: `${bytes('adapters/restify/api-server.ts', 'maxHeaderBytes')} with the line and all headers of the request`,
};

const requests: readonly WrittenRow[] = [
  [
    'Line and headers of a request',
    `${bytes('adapters/restify/api-server.ts', 'maxHeaderBytes')} and ${number('adapters/restify/api-server.ts', 'maxHeaders')} headers`,
    '431; further headers are not read',
  ],
  ['Body of a signed-in user', settingDefault('max_body'), '413'],
  ['Body without signing in', bytes('adapters/http/request/body.ts', 'anonymousBodyLimit'), '413'],
  [
    'Body of a webhook',
    `${bytes('plugins/event-source-webhook/hook-route.ts', 'maxBody')}; ${bytes('plugins/event-source-webhook/hook-route.ts', 'maxThrottledBody')} from where too much was refused`,
    '413',
  ],
  [
    'Bodies of webhooks above 16 KiB at once',
    number('adapters/http/api.ts', 'maxLargeBodies'),
    '429; the sender sends it again',
  ],
  [
    'Body of a report to a ping address',
    `${bytes('plugins/pings/read-beginning.ts', 'maxRead')}, and its first ${number('plugins/pings/ping-routes.ts', 'maxBody')} bytes are stored`,
    '400; what follows those bytes is dropped',
  ],
  ['Values in JSON of a caller', '10,000, in lists and objects 64 deep', '422'],
  ['Fields of a form', number('adapters/http/request/body.ts', 'maxFormFields'), '400'],
  [
    'Requests of a user a second, and at once',
    `${settingDefault('max_requests_per_second')}, after a pause as many as in ${seconds('adapters/http/security/request-limit.ts', 'burst')}; not of admins`,
    '429',
  ],
  [
    'Time of the thread that the requests of a user take',
    `${constant('adapters/http/security/request-limit.ts', 'share') * 100} % of it`,
    '429 for the next ones',
  ],
  ['Lists with `limit=all` at once', '2 of a user, 8 in all; not of admins', '429'],
  [
    'Text of one page of a list',
    bytes('core/records/page-size.ts', 'maxPageText'),
    'The page ends earlier, and its link leads on',
  ],
  ['Days of a summary', number('core/time/local-time.ts', 'maxDays'), '400'],
  ['Idempotency keys of a user in a day', number('core/records/idempotency.ts', 'maxKeys'), '429'],
  [
    'Connections',
    `${settingDefault('max_connections')}, ${settingDefault('max_connections_per_address')} of one address`,
    'The one that has been idle longest is closed',
  ],
  [
    'Time until headers, request, TLS handshake are complete',
    '15 s, 60 s, 10 s; idle 120 s',
    'The connection is closed',
  ],
  [
    'Passwords that are checked at once',
    `${number('core/user/bounded-hasher.ts', 'maxAtOnce')}; ${number('core/user/bounded-hasher.ts', 'maxWaitingInGroup')} of one network wait, ${number('core/user/bounded-hasher.ts', 'maxWaiting')} in all`,
    '503',
  ],
  [
    'Wrong passwords and keys in a row',
    '5 of a login from a network, 20 of a login, 50 from a network, without a wait',
    '429 for up to 15 minutes',
  ],
  [
    'Login tokens of a user that are valid at once',
    number('core/user/tokens.ts', 'maxLoginTokens'),
    'The oldest is revoked',
  ],
  ['Sessions of a user at once', number('core/user/tokens.ts', 'maxSessions'), 'The oldest ends'],
];

const company: readonly WrittenRow[] = [
  ['Active templates', settingDefault('max_templates'), '409'],
  [
    'Maintenance windows',
    `${number('core/maintenance/maintenance-window.ts', 'maxWindows')}, and as many of all companies`,
    '409',
  ],
  ['Pauses that have not ended', `${number('core/pause/pause.ts', 'maxPauses')}, and as many of all companies`, '409'],
  ['Days of one list of a calendar (`dates`, `working_dates`)', number('core/calendar/calendar.ts', 'maxDays'), '422'],
  [
    'Event rules',
    `${number('core/event/rule/rule-limits.ts', 'maxRules')}, ${number('core/event/rule/rule-limits.ts', 'maxRulesOfOne')} that follow one template or source`,
    '409',
  ],
  [
    'Lines that run, of the crontabs of one sync',
    number('plugins/import-crontab/sync/sync-request.ts', 'maxLines'),
    'Nothing is changed',
  ],
  ['Jobs that wait', settingDefault('max_queued'), '429 for an ad hoc one; jobs of windows always fit'],
  ['Changes of its records in a day, which also bounds how many it has', settingDefault('max_changes_per_day'), '429'],
  ['Output of its jobs in a day', settingDefault('max_output_per_day'), 'It is cut, and a line says so'],
  [
    'Artifacts of its jobs in a day',
    settingDefault('max_artifacts_per_day'),
    'They are not stored, and the job says so',
  ],
  [
    'Its Tasks and jobs together, its events, its deliveries',
    settingDefault('retention_max_rows'),
    'The oldest are deleted within an hour or so',
  ],
  ['Days for which output and artifacts are kept', settingDefault('retention_files_days'), 'They are deleted'],
  [
    'Records that one deletion changes',
    `${number('core/records/deletion.ts', 'maxChanged')} of ${bytes('core/records/deletion.ts', 'maxText')}`,
    '409',
  ],
];

const jobs: readonly WrittenRow[] = [
  [
    'Secrets of one record, and of one attempt',
    `${bytes('core/secret/secrets-size.ts', 'maxSecretsSize')}, each counts ${number('core/secret/secrets-size.ts', 'minSecretSize')} bytes at least`,
    '422; the attempt fails before it starts',
  ],
  [
    'One variable or argument of an attempt, all of them',
    `${number('core/environment/attempt-size.ts', 'maxPart')} bytes, ${bytes('core/environment/attempt-size.ts', 'maxTotal')}`,
    'The attempt fails before it starts',
  ],
  ['Output of a job', settingDefault('max_output'), 'It is cut, and a line says so'],
  [
    'Artifacts of a job',
    '1,000 files of 10 MiB, 50 MiB together (options of the executor)',
    'They are not stored, and the job says so; 422 for a report',
  ],
  [
    'Files that are searched for artifacts',
    `${number('plugins/process/working-folder/artifact-collection.ts', 'maxEntries')}, ${number('plugins/process/working-folder/artifact-collection.ts', 'maxDepth')} folders deep`,
    'Further ones are not stored, and the job says so',
  ],
  [
    'The progress file of a running native job',
    `the last ${number('plugins/process/working-folder/progress-file.ts', 'maxRead')} bytes, once in ${number('plugins/process/launcher-link.ts', 'progressInterval')} ms`,
    `What comes before is not read; a message is cut at ${number('core/executor/attempt-progress.ts', 'maxMessage')} characters`,
  ],
  [
    'Workers that die while they prepare a job alone',
    number('core/worker/prepare-attempts.ts', 'maxDeaths'),
    'The job ends failed',
  ],
  [
    'Windows that are run after an outage',
    `${number('core/template/run-template.ts', 'maxCaughtUp')} of a template`,
    'Older ones are missed',
  ],
  ['Windows of one backfill', number('core/scheduler/backfill.ts', 'maxBackfill'), '400; backfill a shorter range'],
  [
    'Configuration that is applied at once',
    `${number('core/configuration/apply.ts', 'maxAppliedRecords')} records, ${number('core/configuration/apply.ts', 'maxAppliedChanges')} changes`,
    'It is refused; apply it in parts',
  ],
];

const events: readonly WrittenRow[] = [
  [
    'Values of a change that a source is read for',
    `${bytes('plugins/event-source-changes-table/changes-table.ts', 'maxValue')} each; 255 characters of evidence and operation, ${number('core/event/event.ts', 'maxEventKey')} of a key`,
    'The event is set aside, and says so',
  ],
  [
    'Changes that are read at once',
    `${number('core/event/source-poll.ts', 'batchSize')}, for ${seconds('core/event/source-poll.ts', 'pollTime')}, while fewer than ${number('core/event/source-reader.ts', 'maxPending')} events are pending`,
    'Further ones wait',
  ],
  ['Sources that a host reads at once', number('core/event/source-reader.ts', 'maxPolls'), 'Further ones wait'],
  [
    'Result file that selectors read',
    bytes('core/event/processor/ended-jobs.ts', 'maxResult'),
    'The rule does not fire, and the event says so',
  ],
  [
    'Jobs that a rule makes of an event',
    settingDefault('max_fan_out'),
    'The rule does not fire, and the event says so',
  ],
  [
    'Values that an event hands on',
    `${bytes('core/event/rule/planning-budget.ts', 'maxPlanned')} in a company`,
    'Further rules do not fire, and the event says so',
  ],
  [
    'Time that the rules of an event are planned for',
    seconds('core/event/processor/event-processor.ts', 'maxPlanning'),
    'The event is set aside',
  ],
  [
    'Tries of an event that ends its process or transaction',
    number('core/event/processor/event-claims.ts', 'maxTries'),
    'The event is set aside',
  ],
  [
    'Jobs that follow each other in a chain',
    `${constant('core/event/processor/jobs-of-plan.ts', 'maxDepth') + 1}`,
    'The event is set aside',
  ],
  [
    'Deliveries at once',
    `${number('core/delivery/claim-deliveries.ts', 'maxPerEndpoint')} to an endpoint, ${number('core/delivery/claim-deliveries.ts', 'maxUnderWay')} in a process; ${seconds('core/delivery/attempt-delivery.ts', 'attemptTimeout')} each`,
    'Further ones wait; one that takes longer is tried again',
  ],
  ['Text of a notice', `${number('core/action/notice-text.ts', 'maxText')} characters`, 'Further values become …'],
  [
    'Programs of the action `command` at once',
    number('plugins/action-command/plugin.ts', 'concurrentPrograms'),
    'Further ones wait',
  ],
];

/** What no schema describes: a heading of the section, and its rows. */
export const writtenTables: readonly (readonly [heading: string, rows: readonly WrittenRow[]])[] = [
  ['Requests', requests],
  ['Records of a company', company],
  ['Jobs', jobs],
  ['Events and actions', events],
];
