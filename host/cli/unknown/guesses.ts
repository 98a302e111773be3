/** Words that people try as commands, each line with the sentence that names what does it. */
const table: readonly (readonly [words: string, answer: string])[] = [
  [
    'run trigger launch exec execute job:run job:start job:create job:add job:new app:run app:start runtemplate:start runtemplate:trigger template:run',
    '"horarium runtemplate:run ID" runs a template once.',
  ],
  ['start up', '"horarium serve" starts the service, and "horarium runtemplate:run ID" runs a template once.'],
  ['server daemon service worker scheduler', '"horarium serve" starts the service.'],
  [
    'stop down shutdown',
    '"horarium job:cancel ID" cancels a job. The service ends at Ctrl-C or SIGTERM, as "horarium help production" says.',
  ],
  ['restart reload', 'Whatever started the service restarts it; "horarium help production" shows a unit for systemd.'],
  [
    'cancel kill abort job:stop job:kill job:abort runtemplate:stop',
    '"horarium job:cancel ID" cancels a job; "horarium job:list --state running" shows those that run.',
  ],
  [
    'log logs tail cat job:log job:logs job:tail task:log task:logs task:output',
    '"horarium job:output ID" prints what a job wrote, and "horarium job:output ID --follow" waits for more.',
  ],
  [
    'retry rerun redo repeat again job:retry job:rerun job:restart task:rerun task:restart task:repeat task:run task:start',
    '"horarium task:retry ID" repeats a Task that has ended, and "horarium runtemplate:run ID" runs a template once. "horarium delivery:retry ID" tries a delivery again, and "horarium event:retry ID" an event.',
  ],
  [
    'reschedule postpone delay job:update job:edit job:save job:reschedule job:modify',
    '"horarium job:change ID --at TIME" changes when a pending job is due.',
  ],
  [
    'download artifact artifacts artifact:get artifact:download artifact:list job:artifacts job:files job:download',
    '"horarium job:get ID" lists the files that a job left, and "horarium job:artifact ID" saves one.',
  ],
  [
    'ping:new ping:renew ping:revoke ping:create runtemplate:pings',
    '"horarium runtemplate:ping ID" gives a template an address where programs report, and "horarium help pings" says how.',
  ],
  [
    'waive excuse skip ignore acknowledge ack task:cancel task:skip task:stop task:delete',
    '"horarium task:waive ID --reason TEXT" lifts a Task that is no longer owed; "horarium job:cancel ID" cancels an attempt.',
  ],
  [
    'runtemplate:backfill task:backfill catchup replay',
    '"horarium backfill TEMPLATE --from TIME" runs a template for windows that passed before its first one, and "horarium task:retry ID" repeats a Task.',
  ],
  [
    'suspend hold silence mute downtime snooze runtemplate:pause runtemplate:suspend template:pause job:pause',
    '"horarium pause --for 2h --template ID" lets no job of a template start for a while, and "horarium resume ID" ends that.',
  ],
  [
    'maintenance:save maintenance:add maintenance-window',
    '"horarium maintenancewindow:save" pauses on the days of a calendar, again and again, and "horarium pause --for 2h" pauses once.',
  ],
  ['unpause unsuspend runtemplate:resume runtemplate:unpause template:resume', '"horarium resume ID" ends a pause.'],
  [
    'disable deactivate runtemplate:disable',
    '"horarium runtemplate:save --id ID --active false" switches a template off, and "horarium pause --for 2h --template ID" lets it wait for a while.',
  ],
  [
    'enable activate runtemplate:enable',
    '"horarium runtemplate:save --id ID --active true" switches a template on, and "horarium resume ID" ends a pause.',
  ],
  [
    'report stats statistics dashboard tasks:summary health check late overdue',
    '"horarium summary" says whether everything is on time. "horarium task:summary" counts Tasks by template and day, and "horarium task:list" shows how each ended.',
  ],
  [
    'failed failures problems missed late',
    '"horarium task:list --state failed,missed,fulfilled_late" shows what was not done in time, and "horarium job:list --state failed,timed_out,lost" the attempts that failed.',
  ],
  ['history', '"horarium task:list" shows what was owed, and "horarium auditlog:list" who changed what.'],
  [
    'audit audit:list audit:log auditlog:verify',
    '"horarium auditlog:list" shows who changed what, and "horarium audit:verify" proves it.',
  ],
  [
    'next upcoming forecast plan schedule schedules runtemplate:preview windows',
    '"horarium preview TEMPLATE" lists the coming windows of a template, and "horarium simulate" what all would run.',
  ],
  [
    'holiday holidays workdays calendar:holidays ics ical',
    '"horarium help working-days" says how templates skip holidays, and "horarium calendar:import FILE --code CODE" reads iCalendar files.',
  ],
  ['ps top', '"horarium job:list --state running" shows what runs.'],
  ['queue queued pending waiting', '"horarium job:list --state scheduled" shows the jobs that wait.'],
  [
    'dump snapshot copy backups:create',
    '"horarium backup FILE" copies the store of a running service, and "horarium restore FILE" puts it into a new database.',
  ],
  [
    'import cron cron:import crontab:import crontabs',
    '"horarium crontab:sync FILE --company CODE" takes over a crontab, "horarium cron:adopt --company CODE" all of a machine, and "horarium app:import FILE" an application definition.',
  ],
  ['timer timers systemd timer:import', '"horarium timer:sync FILE --company CODE" takes over systemd timers.'],
  [
    'config:export config:apply import:yaml kubectl plan diff gitops',
    '"horarium export FILE" writes the configuration as YAML, and "horarium apply --dry-run FILE" shows what such a file would change.',
  ],
  [
    'cron:export app:write',
    '"horarium app:export ID" writes an application definition, and "horarium crontab:export --company CODE" a crontab.',
  ],
  [
    'init setup install bootstrap db:migrate migration',
    '"horarium migrate" makes the store ready, and "horarium serve" does it too.',
  ],
  ['update', '"horarium help upgrade" says how to upgrade; "horarium migrate" brings the tables up to date.'],
  [
    'health healthcheck check info ping diagnose selftest',
    '"horarium doctor" checks the installation, "horarium status" shows the state of the service, and "horarium config" its settings.',
  ],
  [
    'login signin logout whoami su sudo',
    'Commands work on the store itself, so nobody signs in; "horarium task:list --as LOGIN" acts with the rights of a user.',
  ],
  ['passwd password passwords user:passwd user:reset', '"horarium user:password LOGIN" sets the password of a user.'],
  [
    'adduser useradd invite membership grant',
    '"horarium user:save --login LOGIN" creates a user, and "horarium companyuser:save" gives access to a company; see "horarium help access".',
  ],
  ['token:create token:new token:add token:save', '"horarium token:generate --user LOGIN" makes a token.'],
  ['token:delete token:remove', '"horarium token:revoke ID" revokes a token.'],
  ['rotate vault', '"horarium vault:rotate" encrypts every secret with the newest key; see "horarium help vault-key".'],
  ['secret', '"horarium credential:save" keeps secrets for jobs; see "horarium help secrets".'],
  [
    'test notify',
    '"horarium action:test" sends a test notice, and "horarium eventsource:test ID" reads an event source.',
  ],
  ['docs handbook man manual', '"horarium help" lists the commands and the topics of the handbook.'],
  ['ui web open', '"horarium serve" prints the address of its pages.'],
  ['demo', '"horarium serve --demo" fills an empty store with a small company.'],
  ['version', '"horarium --version" prints the version.'],
  ['api swagger', '"horarium routes" lists the endpoints of the API, and "horarium openapi" describes them.'],
  [
    'comp completions autocomplete autocompletion',
    '"horarium completion SHELL" prints a script for bash, zsh or fish, with which the shell completes the command line.',
  ],
];

/** The answer to each word that people try as a command, but those that `verbs` translates. */
export const guesses: ReadonlyMap<string, string> = new Map(
  table.flatMap(([words, answer]) => words.split(' ').map((word) => [word, answer] as const)),
);

/** The words for what a command does to records, by its own. */
export const verbs: Readonly<Record<string, readonly string[]>> = {
  list: ['ls', 'all', 'index', 'search', 'find'],
  get: ['show', 'view', 'info', 'read', 'inspect', 'describe'],
  save: ['create', 'add', 'new', 'update', 'edit', 'set', 'change', 'modify'],
  delete: ['remove', 'rm', 'del', 'destroy', 'drop'],
};

/** Short words for kinds of records, by the noun of their commands. */
export const nouns: Readonly<Record<string, string>> = {
  template: 'runtemplate',
  run_template: 'runtemplate',
  role: 'userrole',
  member: 'companyuser',
  source: 'eventsource',
  rule: 'eventrule',
};
