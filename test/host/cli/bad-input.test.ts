import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { helpedCommands } from '../../support/docs/help-program.ts';
import { readFolder } from '../../support/faults/read-folder.ts';
import { TestCli } from '../../support/program/test-cli.ts';
import { type Wrong, wrongForJobs } from '../../support/program/wrong-for-jobs.ts';

const everywhere = (name: string): readonly Wrong[] => [
  [`${name} --nonsense`, /unknown option '--nonsense'|required option/],
];

/** Wrong input for the commands of each operation. */
const ofRecords: Readonly<Record<string, (name: string) => readonly Wrong[]>> = {
  list: (name) => [
    [`${name} --order colour`, /order must be one of .*, not colour\./],
    [`${name} --limit 0`, /limit must be .* from 1 to 1000/],
    [`${name} --limit x`, /limit must be a whole number, not "x"/],
    [`${name} --after rubbish`, /after/],
    [`${name} --fields colour`, /colour is not a column; the columns are id, /],
    [`${name} --format xml`, /--format/],
    [`${name} --as ghost`, /There is no enabled user ghost/],
  ],
  get: (name) => [
    [`${name} 999`, /There is no \w+ 999\./],
    [`${name} one`, /An id is a positive whole number\.|There is no [\w ]+ with the [\w, ]+ “one”\./],
    [`${name} -1`, /-1/],
    [name, /missing required argument 'id'/],
    [`${name} 1 2`, /too many arguments/],
  ],
  delete: (name) => [
    [`${name} 999`, /There is no \w+ 999\./],
    [`${name} 1.5`, /An id is a positive whole number\.|There is no [\w ]+ with the [\w, ]+ “1\.5”\./],
    [name, /missing required argument 'id'/],
  ],
  save: (name) => [
    [name, /is invalid: .*required|is invalid: .*must|Nothing/s],
    [`${name} --set colour=red`, /colour/],
    [`${name} --set colour`, /It must look like field=value\./],
    [`${name} --id 999`, /999|is invalid/],
    [`${name} --id x`, /--id|There is no [\w ]+ with the [\w, ]+ “x”\./],
    [`${name} --json missing.json`, /missing\.json cannot be read: ENOENT/],
    [`${name} --json list.json`, /list\.json must hold one JSON object/],
    [`${name} --json broken.json`, /broken\.json/],
    [`${name} --json twice.json`, /twice\.json.*name/],
  ],
};

const others: Readonly<Record<string, readonly Wrong[]>> = {
  ...wrongForJobs,
  serve: [
    ['serve --port x', /--port/],
    ['serve --workers -1', /--workers/],
    ['serve more', /too many arguments for 'serve'/],
  ],
  'service:install': [
    ['service:install --user a/b --dry-run', /--user must be the name of a user of this machine, not a\/b\./],
    ['service:install now', /too many arguments/],
  ],
  agent: [['agent', /HORARIUM_DATABASE_URL is not a setting of an agent/]],
  migrate: [
    ['migrate --database-url oracle:x', /--database-url/],
    ['migrate --database-url postgres://u@127.0.0.1:1/x', /^PostgreSQL at 127\.0\.0\.1:1 .* does not answer/],
    ['migrate now', /too many arguments/],
  ],
  backup: [
    ['backup', /missing required argument 'file'/],
    ['backup app.json', /app\.json exists and is no backup: choose another name\./],
    ['backup missing/b.jsonl', /missing\/b\.jsonl cannot be written \(ENOENT\)\./],
    ['backup b.jsonl --database-url sqlite:/nowhere/h.sqlite', /There is no file \/nowhere\/h\.sqlite/],
  ],
  restore: [
    ['restore', /missing required argument 'file'/],
    ['restore missing.jsonl', /missing\.jsonl cannot be read \(ENOENT\)\./],
    ['restore app.json', /This is no backup of Horarium/],
  ],
  export: [
    ['export a b', /too many arguments/],
    ['export --company ghost', /There is no company with the code or name “ghost”\./],
    ['export missing/a.yaml', /missing\/a\.yaml/],
  ],
  apply: [
    ['apply', /missing required argument 'file'/],
    ['apply missing.yaml', /missing\.yaml cannot be read: ENOENT/],
    ['apply app.json app.json', /app\.json is named twice\./],
    ['apply app.json', /app\.json:1: name must be a list of records, each after a hyphen\./],
    ['apply list.json', /list\.json:1: a file has lists of records by kind, such as "apps:"\./],
    ['apply broken.json', /broken\.json:1: /],
    ['apply twice.json', /twice\.json:1: Map keys must be unique\./],
  ],
  'worker:list': [['worker:list --as ghost', /ghost/]],
  status: [
    ['status --format xml', /--format/],
    ['status --config missing.yaml', /missing\.yaml/],
    ['status --vault-key short', /--vault-key/],
    ['status --as ghost', /ghost/],
    ['status --database-url sqlite:/nowhere/h.sqlite', /There is no file \/nowhere\/h\.sqlite/],
  ],
  doctor: [
    ['doctor --format xml', /--format/],
    ['doctor now', /too many arguments/],
  ],
  timeline: [
    ['timeline --format csv', /--format/],
    ['timeline --from tomorrow', /from must be a time/],
    ['timeline --to yesterday', /to must be a time/],
    ['timeline --from 2027-03-02 --to 2027-03-01', /from must be before to/],
    ['timeline --from 2000-01-01', /The range has \d+ days; the maximum is 366/],
    ['timeline --company nobody', /There is no company with the .* “nobody”/],
    ['timeline --app nothing', /There is no app with the .* “nothing”/],
    ['timeline --template nobody', /There is no run template with the .* “nobody”/],
    ['timeline --after 999', /There is no RunTemplate 999/],
    ['timeline --state lazy', /state takes open, .*, and not "lazy"/],
    ['timeline --state fulfilled', /state takes open, .*, and not "fulfilled"/],
    ['timeline --limit 0', /--limit.*positive whole number/],
    ['timeline --limit 1001', /limit must be a whole number from 1 to 1000/],
    ['timeline --slots 0', /--slots.*positive whole number/],
    ['timeline --slots 2001', /slots must be a whole number from 1 to 2000/],
  ],
  why: [
    ['why', /missing required argument 'what'/],
    ['why nobody', /There is no run template with the code or name “nobody”/],
    ['why task', /The id is missing: horarium why task ID\./],
    ['why task x', /id must be a positive whole number, not "x"/],
    ['why job 999', /There is no Job 999\./],
    ['why nobody 3', /nobody 3 names no record: say task 3, job 3 or a run template\./],
    ['why 999', /There is no RunTemplate 999\./],
  ],
  undo: [
    ['undo', /missing required argument 'entry'/],
    ['undo last', /An id is a positive whole number\./],
    ['undo 999', /There is no AuditLog 999\./],
  ],
  pause: [
    ['pause --for 2h --all', /required option '--reason <text>'/],
    ['pause --for 2h --reason x', /Say what: one of --template, --company and --all\./],
    ['pause --for 2h --reason x --all --company acme', /Say what: one of --template, --company and --all\./],
    ['pause --all --reason x', /Say how long: --for 2h, --until 14:00, or --until resumed/],
    ['pause --for 2h --until 14:00 --all --reason x', /Give either --for or --until\./],
    ['pause --for ever --all --reason x', /--for must be a duration such as 45s, 90m, 2h or 3d, not ever\./],
    ['pause --until soon --all --reason x', /--until must be a time such as 14:00, .*, not soon\./],
    ['pause --until 2020-01-01 --all --reason x', /until must lie ahead/],
    ['pause --for 2h --from then --all --reason x', /--from must be a time such as 14:00, .*, not then\./],
    ['pause --for 2h --template nobody --reason x', /There is no run template with the code or name “nobody”/],
    ['pause --for 2h --company nobody --reason x', /There is no company with the .* “nobody”/],
    ['pause --for 2h --all --reason x --catch-up some', /--catch-up/],
  ],
  resume: [
    ['resume', /Say what: the id of the pause, a run template, or one of --template, --company and --all\./],
    ['resume 1 --all', /Give either the id of the pause or what it holds\./],
    ['resume 999', /There is no Pause 999\./],
    ['resume 0', /An id is a positive whole number\./],
    ['resume nothing', /There is no run template with the .* “nothing”/],
    ['resume --all', /No pause of just that is in force\./],
    ['resume --company nobody', /There is no company with the .* “nobody”/],
  ],
  summary: [
    ['summary --format xml', /--format/],
    ['summary --format nagios --watch', /With --watch there is no --format nagios/],
    ['summary --from tomorrow', /from must be a time/],
    ['summary --from 2027-03-02 --to 2027-03-01', /from must not be after to/],
    ['summary --from 2000-01-01', /The range has \d+ days; the maximum is 366/],
    ['summary --company nobody', /There is no company with the .* “nobody”/],
    ['summary --database-url sqlite:/nowhere/h.sqlite', /There is no file \/nowhere\/h\.sqlite/],
  ],
  config: [
    ['config --port x', /--port/],
    ['config --config list.json', /list\.json/],
  ],
  'app:import': [
    ['app:import', /missing required argument 'file'/],
    ['app:import missing.json', /missing\.json cannot be read: ENOENT/],
    ['app:import list.json', /list\.json/],
    ['app:import broken.json', /broken\.json/],
    ['app:import app.json broken.json', /broken\.json/],
    ['app:import .', /EISDIR|cannot be read/],
  ],
  'calendar:import': [
    ['calendar:import app.json', /required option '--code <value>'/],
    ['calendar:import missing.ics --code x', /missing\.ics cannot be read: ENOENT/],
    ['calendar:import app.json --code x', /app\.json: it is no iCalendar file/],
    ['calendar:import app.json broken.json --code x', /broken\.json: it is no iCalendar file/],
  ],
  'app:export': [
    ['app:export 999', /There is no App 999\./],
    ['app:export x', /There is no app with the code, uuid or name “x”\./],
  ],
  'cron:adopt': [
    ['cron:adopt --root .', /required option '--company <value>'/],
    ['cron:adopt --company acme --root no-crontabs', /There are no crontabs in .*no-crontabs\./],
    ['cron:adopt --company acme --root no-crontabs --undo', /There are no adopted crontabs in .*no-crontabs\./],
  ],
  'crontab:export': [
    ['crontab:export', /required option '--company <value>'/],
    ['crontab:export --company nobody', /There is no company with the code or name “nobody”/],
  ],
  'timer:sync': [
    ['timer:sync good', /required option '--company <value>'/],
    ['timer:sync missing --company acme', /missing cannot be read: ENOENT/],
    ['timer:sync good --company acme', /good, line 1: there is no setting of a unit/],
  ],
  'crontab:sync': [
    ['crontab:sync good', /required option '--company <value>'/],
    ['crontab:sync missing --company acme', /missing cannot be read: ENOENT/],
    ['crontab:sync good --company nobody', /There is no company with the code or name “nobody”/],
    ['crontab:sync bad --company acme', /bad, line 2/],
    ['crontab:sync good bad --company acme', /bad, line 2/],
    ['crontab:sync good --company acme --timezone Mars', /Mars/],
    ['crontab:sync good bad --company acme --source x', /--source names one file/],
    ['crontab:sync - --company acme', /Standard input has no name: give it one with --source/],
    ['crontab:sync - --company acme --source x --watch', /--watch goes with files/],
    ['crontab:sync good --company acme --watch --dry-run', /--watch goes with changes/],
  ],
  'runtemplate:run': [
    ['runtemplate:run 999', /there is no RunTemplate 999/],
    ['runtemplate:run x', /There is no run template with the code or name “x”\. Did you mean t\?/],
    ['runtemplate:run 1 --env KEY', /KEY=/],
    ['runtemplate:run 1 --env PATH=/evil', /PATH/],
    ['runtemplate:run 1 --env OTHER=1', /OTHER/],
    ['runtemplate:run 1 --at yesterday', /yesterday|--at|scheduled_at/],
    ['runtemplate:run 2', /inactive|not active/],
  ],
  'task:retry': [
    ['task:retry', /Say which: ids of Tasks, or a filter/],
    ['task:retry x', /An id is a positive whole number\./],
    ['task:retry 999', /There is no Task 999\./],
    ['task:retry 1 --template t', /Give either ids of Tasks or a filter\./],
    ['task:retry --template nonsense', /There is no run template with the code or name “nonsense”/],
    ['task:retry --state open', /--state must name states in which Tasks have ended, .*, not open\./],
    ['task:retry --state faild', /not faild/],
    ['task:retry --from soon', /from must be a time/],
    ['task:retry --dry-run', /Say which/],
  ],
  'task:waive': [
    ['task:waive 1', /required option '--reason <text>'/],
    ['task:waive --reason closed', /missing required argument/],
    ['task:waive 999 --reason closed', /There is no Task 999\./],
    ['task:waive x --reason closed', /An id is a positive whole number\./],
  ],
  backfill: [
    ['backfill 1', /required option '--from <time>'/],
    ['backfill 999 --from 2026-01-01', /There is no RunTemplate 999\./],
    ['backfill nonsense --from 2026-01-01', /There is no run template with the code or name “nonsense”/],
    ['backfill 1 --from soon', /from must be a time/],
    ['backfill 1 --from 2026-01-02 --to 2026-01-01', /from must not be after to\./],
    ['backfill 1 --from 2026-01-01', /RunTemplate 1 has no windows: its interval is none\./],
    ['backfill 2 --from 2026-01-01', /RunTemplate 2 is not active\./],
  ],
  changes: [
    ['changes --entity-type Company,Aps', /There is no resource "Aps"\. Did you mean App\?/],
    ['changes --format csv', /--format/],
    ['changes Company', /too many arguments/],
  ],
  preview: [
    ['preview 999', /There is no RunTemplate 999\./],
    ['preview nonsense', /There is no run template with the code or name “nonsense”/],
    ['preview 1 --from soon', /from must be a time/],
    ['preview 1 --limit 0', /It must be a positive whole number\./],
    ['preview 1 --limit 1001', /--limit must be from 1 to 1000\./],
    ['preview 1 --to 2027-01-01 --clock-changes', /--clock-changes lists the windows of one year/],
  ],
  'delivery:retry': [
    ['delivery:retry 999', /There is no Delivery 999\./],
    ['delivery:retry x', /An id is a positive whole number\./],
  ],
  'event:retry': [
    ['event:retry 999', /There is no Event 999\./],
    ['event:retry x', /An id is a positive whole number\./],
  ],
  'event:payload': [
    ['event:payload 999', /There is no Event 999\./],
    ['event:payload x', /An id is a positive whole number\./],
  ],
  'eventsource:test': [
    ['eventsource:test 999', /There is no EventSource 999\./],
    ['eventsource:test x', /There is no event source with the name “x”\./],
  ],
  simulate: [
    ['simulate --from tomorrow', /from must be a time/],
    ['simulate --from 2027-02-30', /2027-02-30 is not an existing date/],
    ['simulate --from 2027-03-02 --to 2027-03-01', /--to must lie after --from/],
  ],
  'token:generate': [
    ['token:generate', /required option '--user <user>'/],
    ['token:generate --user nobody', /There is no user with the login “nobody”\./],
    ['token:generate --user admin --ttl soon', /45s/],
    ['token:generate --user admin --ttl 0s', /0s|time to live/i],
  ],
  'token:list': [['token:list --user nobody', /nobody/]],
  'token:revoke': [
    ['token:revoke 999', /There is no (Token|token) 999\./],
    ['token:revoke x', /There is no token with the name “x”\./],
  ],
  'user:password': [
    ['user:password nobody', /There is no (User|user) nobody|nobody/],
    ['user:password admin', /at least 12 characters/],
  ],
  'action:test': [
    ['action:test', /Name one thing to test/],
    ['action:test disable --service', /Name one thing to test/],
    ['action:test --service --set to=a', /--set and --json are for one action/],
    ['action:test --service', /The list on_failure has no actions to test/],
    ['action:test shout', /no loaded plugin provides the action shout; there are webhook/],
    ['action:test emial', /no loaded plugin provides the action emial\. Did you mean email\?/],
    ['action:test disable --set after=many', /after must be a number/],
    ['action:test disable --event failed', /on_failure/],
    ['action:test --runtemplate-id 7', /no RunTemplate 7/],
    ['action:test email --set to=a@b.example', /The action email cannot be delivered: /],
  ],
  'audit:verify': [
    ['audit:verify --head 7', /It must look like SEQ:HASH/],
    ['audit:verify --head x:y', /It must look like SEQ:HASH/],
  ],
  'audit:archive': [
    ['audit:archive', /The audit log is kept for ever: say by --retention-audit-days after how many days/],
    ['audit:archive --retention-audit-days 0', /must be a whole number from 1 to 36500, or forever/],
  ],
  prune: [
    ['prune everything', /too many arguments/],
    ['prune --retention-days 0', /must be a whole number from 1 to 36500, or forever/],
  ],
  'clock:confirm': [['clock:confirm', /The clock of the store is not ahead/]],
  'vault:rotate': [
    ['vault:rotate now', /too many arguments/],
    ['vault:rotate --vault-key short', /--vault-key/],
  ],
  plugins: [['plugins --plugins format-jsn', /format-jsn cannot be loaded/]],
  'plugin:list': [['plugin:list --plugins format-jsn', /format-jsn cannot be loaded/]],
  'plugin:check': [
    ['plugin:check', /missing required argument/],
    ['plugin:check ./none', /none/],
  ],
  'plugin:migration': [['plugin:migration --plugins format-jsn', /format-jsn cannot be loaded/]],
  'plugin:new': [
    ['plugin:new', /missing required argument|required option/],
    ['plugin:new colour none', /colour/],
  ],
  describe: [['describe tsk', /There is no resource tsk\. Did you mean Task\?/]],
  permissions: [['permissions --format xml', /--format/]],
  variables: [['variables --format xml', /--format/]],
  routes: [['routes --format xml', /--format/]],
  schema: [['schema --format xml', /--format/]],
  completion: [
    ['completion', /missing required argument 'shell': one of bash, zsh, fish/],
    ['completion tcsh', /'tcsh' is invalid for argument 'shell'\. Allowed choices are bash, zsh, fish\./],
    ['completion bash zsh', /too many arguments/],
  ],
  openapi: [['openapi --format xml', /--format/]],
};

describe('wrong input', () => {
  let cli: TestCli;
  let names: string[];
  before(async () => {
    cli = new TestCli();
    await cli.command('migrate');
    await cli.command('company:save --code acme --name Acme');
    await cli.command('app:save --name a --executable true');
    for (const active of ['true', 'false'])
      await cli.command(`runtemplate:save --name t --company-id 1 --app-id 1 --interval none --active ${active}`);
    await cli.command('runtemplate:run 1');
    await cli.command('job:cancel 1');
    const file = (name: string, text: string) => writeFileSync(join(cli.folder, name), text);
    file('list.json', '[1, 2]');
    file('broken.json', '{"name": ');
    file('careless.json', '{"login": "ann", "password": hunter2}');
    file('twice.json', '{"name": "a", "name": "b"}');
    file('app.json', '{"name": "b", "executable": "true"}');
    file('good', '0 5 * * * true\n');
    file('bad', '0 5 * * * true\n99 * * * * true\n');
    names = await helpedCommands();
  });
  after(() => cli[Symbol.dispose]());

  it('is not repeated in the refusal where it may be a secret', async () => {
    const { code, err } = await cli.command('user:save --json careless.json');
    expect(code).to.equal(1);
    expect(err).to.equal('careless.json is not valid JSON: line 1, column 30: a value was expected, not "h".\n');
  });

  it('is refused by every command in a sentence that names it, and changes nothing', async () => {
    expect(names.length).to.be.above(60);
    const before = readFolder(cli.folder);
    const failures: string[] = [];
    for (const name of names) {
      const rows = others[name] ?? ofRecords[name.split(':')[1] ?? '']?.(name);
      if (!rows) failures.push(`${name}: no wrong input is known for it`);
      for (const [line, culprit] of [...everywhere(name), ...(rows ?? [])]) {
        const { code, out, err } = await cli.command(line, { input: 'short\n' });
        if (code !== 1 && code !== 2) failures.push(`${line}: ended with ${code}`);
        if (out !== '') failures.push(`${line}: wrote ${out}`);
        if (!culprit.test(err)) failures.push(`${line}: said ${err}`);
        if (/ {4}at |bug in Horarium|node:|\bundefined\b|\[object/.test(err)) failures.push(`${line}: told ${err}`);
      }
    }
    expect(failures.join('\n')).to.equal('');
    expect(readFolder(cli.folder)).to.deep.equal(before);
  });
});
