import { expect } from 'chai';
import { awaitingLoops } from './loops.ts';
import { sourceFiles } from './source-files.ts';

/** The sources of rows that give way before each page or piece, so that who reads them need not. */
const givingSources =
  /^for await .* of .*\b(?:eachPage|encryptedPages|readEntries|referringBy|pages|pagesOf|writeList|expired\w+|endedJobs|jobsOf|subscribe|batches)\b/;

/** Gives way itself, or by the redaction of a text, which does. */
const givingBodies = /\bawait (?:yieldToEventLoop|(?:redactor\.)?redact)\(/;

/** Loops over what the service itself bounds to a handful, and over no rows. */
const few: readonly RegExp[] = [
  / of (?:\w+\.)*columns\)$/,
  / of (?:\w+\.)*(?:tables|descriptions|descriptions\.toReversed\(\))\)$/,
  / of (?:[\w.]+\.)*reactions\)$/,
  / of computed\)$/,
  / of Object\.(?:entries|values)\((?:embeds|embeddedIn\(resource, 'item'\)|record\.references \?\? \{\})\)\)$/,
];

/** The other loops that do not give way, each by its file and its head, with the reason. */
const exceptions: Readonly<Record<string, string>> = {
  'core/event/rule/rule-targets.ts: for (const template of found)': 'bounded with the rules of an event',
  'core/event/rule/rule-targets.ts: for (const { id } of companies.values())': 'bounded with the rules of an event',
  'core/event/source-poll.ts: while (!isOver() && !(await hasRoom()))': 'sleeps each time',
  'core/audit/feed/change-feed.ts: while (!items && !isOver())': 'sleeps each time',
  "core/external/external-jobs.ts: for (const name of ['stdout', 'stderr', 'message', 'reason'] as const)":
    'four texts',
  'core/retention/expired-files.ts: for (const jobsOf of [jobsWithArtifacts, jobsWithOutput])': 'two kinds of files',
  'core/loop/event-loop-watch.ts: for (;;)': 'passes on a stream whose source gives way',
  'core/loop/loop.ts: while (!this.#stop.signal.aborted)': 'sleeps after each tick',
  'core/plugin/import/import-command.ts: for (const note of notes)': 'prints on the command line',
  'core/plugin/import/import-command.ts: for (const warning of new Set(warnings))': 'prints on the command line',
  'core/store/query-cache.ts: for (const region of [...this.#changed].sort())': 'two regions',
  'core/store/retry-transaction.ts: for (let attempt = 1; ; attempt += 1)': 'fifteen attempts, with waits between them',
  'core/user/login-throttle.ts: for (const counter of others)': 'two counters',
  'core/user/login-throttle.ts: for (const [row, policy] of rows)': 'three counters',
  'adapters/http/reply/write-reply.ts: for (let page = first; !page.done; page = await source.next())':
    'passes on a stream whose source gives way',
  'plugins/fleet-nats/commands/enroll-command.ts: for (const pool of made)': 'prints on the command line',
  'plugins/fleet-nats/commands/enroll-command.ts: for (const name of new Set(names))': 'the pools of one agent',
  'plugins/fleet-nats/host/dispatcher.ts: while (!signal.aborted)': 'sleeps each time',
  'plugins/fleet-nats/host/nats-bus.ts: while (!this.#connection.isClosed())': 'waits for NATS',
  'plugins/fleet-nats/host/nats-bus.ts: for await (const message of more)': 'waits for NATS',
  'plugins/fleet-nats/host/nats-bus.ts: for await (const { type } of this.#connection.status())': 'waits for NATS',
  'plugins/fleet-nats/wire/nats/consume-until-silent.ts: for await (const { type } of messages.status())':
    'waits for NATS',
  'plugins/fleet-nats/host/report-intake.ts: while (!signal.aborted)': 'waits for NATS',
  'plugins/import-crontab/adopt/adopt-command.ts: for (const { from, to } of renames)': 'prints on the command line',
  'plugins/import-crontab/export/export-command.ts: for (const note of written.notes)': 'prints on the command line',
  'plugins/import-crontab/sync/sync-and-report.ts: for (const remark of remarks)': 'prints on the command line',
  'plugins/import-crontab/sync/sync-and-report.ts: for (const warning of new Set(warnings))':
    'prints on the command line',
  'plugins/import-crontab/sync/sync-command.ts: for (;;)': 'sleeps each time',
  'adapters/http/request/body.ts: for await (const bytes of bytesOf(request))': 'waits for a client',
  'adapters/mikro-orm/dialects/sqlite/connection.ts: for (;;)': 'waits for a timer each time',
  'adapters/mikro-orm/schema/schema.ts: for (;;)': 'waits for a timer each time',
  'adapters/mikro-orm/statements/constraint-violation.ts: for (const key of candidates)': 'a few keys of a table',
};

/** Folders that see no rows: what they await is a process, a file, a socket or a timer, or the command line. */
const withoutRows = [
  'core/contracts/',
  'host/',
  'plugins/console/web/',
  'plugins/event-source-changes-table/',
  'plugins/executor-container/',
  'plugins/executor-http/',
  'plugins/fleet-nats/agent/',
  'plugins/outbound-http/',
  'plugins/pings/',
  'plugins/process/',
  'test/',
];

describe('Loops that await', () => {
  const loops = sourceFiles()
    .filter(({ path }) => !withoutRows.some((folder) => path.startsWith(folder)))
    .flatMap(({ path, text }) => awaitingLoops(text).map((loop) => ({ ...loop, name: `${path}: ${loop.head}` })));
  const givesWay = ({ head, body }: (typeof loops)[number]) =>
    givingBodies.test(body) || givingSources.test(head) || few.some((pattern) => pattern.test(head));

  it('give way to the rest of the service by time, or are named here with the reason why not', () => {
    const others = loops.filter((loop) => !givesWay(loop) && !(loop.name in exceptions));
    expect(others.map(({ name }) => name)).to.deep.equal([]);
  });

  it('are still there where an exception names them', () => {
    const names = new Set(loops.filter((loop) => !givesWay(loop)).map(({ name }) => name));
    expect(Object.keys(exceptions).filter((name) => !names.has(name))).to.deep.equal([]);
  });

  it('are found in every form, with what they contain', () => {
    const text = `
      for await (const row of rows()) use(row);
      for (const row of rows) await use(row);
      for (let at = 0; at < 7; at += 1) { if (at) { await use(')'); } }
      while (await more()) ;
      while (more) if (one) await one(); else { two(); }
      do { await use(/[/'"]\\)/.exec(\`\${'}'}\`)); } while (more);
      for (const row of rows) { use(row); } // await
      for (const row of rows) use('await');
      for (const row of rows) for (const cell of row) { await use(cell); }
      waiting = rows.forEach(use);
    `;
    expect(awaitingLoops(text).map(({ head }) => head)).to.deep.equal([
      'for await (const row of rows())',
      'for (const row of rows)',
      'for (let at = 0; at < 7; at += 1)',
      'while (await more())',
      'while (more)',
      'do',
      'for (const row of rows)',
      'for (const cell of row)',
    ]);
    expect(() => awaitingLoops('for (const row of rows) { await use(row; }')).to.throw('do not match');
    expect(loops.length).to.be.above(80);
  });
});
