import {
  type ActionEvent,
  type AnyResource,
  actionEvents,
  Company,
  HorariumError,
  RunTemplate,
  type TestResult,
} from '@horarium/core';
import { type Command, Option } from 'commander';
import { appendAssignment, exposedSecretWarning } from '../cli/arguments.ts';
import { addStoreCommand, type Cli, type CommandSession } from '../cli/command-session.ts';
import { offering } from '../cli/completion/offers.ts';
import { print } from '../cli/output.ts';
import { readJsonFile } from '../cli/read-files.ts';
import { recordArgument, recordIdHelp, recordIdOf } from '../cli/record-id.ts';

interface TestOptions {
  readonly event: ActionEvent;
  readonly set: readonly (readonly [string, string])[];
  readonly json?: string;
  readonly runtemplateId?: string;
  readonly companyId?: string;
  readonly service?: boolean;
}

/** Adds `action:test`. */
export function addActionCommands(program: Command, cli: Cli): void {
  const command = addStoreCommand(program, 'action:test')
    .description(
      'Send a test notice, and show whether it arrived. It is sent by an action, or by each action of a list.',
    )
    .argument('[action]', 'the action to test with the options given here, such as email')
    .addOption(
      offering(new Option('--set <option=value>', 'an option of the action; may be repeated'), { repeatable: true })
        .argParser(appendAssignment('option=value'))
        .default([], 'none'),
    )
    .option('--json <file>', 'options of the action from a file with a JSON object; - reads standard input')
    .option(
      '--runtemplate-id <id>',
      `test the actions of a template: ${recordIdHelp(RunTemplate)}`,
      recordArgument(RunTemplate),
    )
    .option('--company-id <id>', `test the actions of a company: ${recordIdHelp(Company)}`, recordArgument(Company))
    .option('--service', 'test the actions of the setting actions')
    .addOption(
      new Option('--event <event>', 'the event that the notice tells of, and whose list is tested')
        .choices(actionEvents)
        .default('on_failure'),
    );
  command.action(async (action: string | undefined) => {
    const options = command.opts<TestOptions>();
    const place = placeOf(action, options);
    const given = options.json === undefined ? {} : await readJsonFile(cli.io, options.json);
    await using session = await cli.open(command);
    const results =
      place === null
        ? [await sendOne(session, action as string, given, options, cli)]
        : await sendList(session, place, options.event);
    const rows = results.map(rowOf);
    const [only] = rows;
    await print(cli.io, command, place === null && only ? only : rows);
    const failed = results.filter(({ error }) => error !== null).length;
    if (failed > 0)
      throw new HorariumError(
        'invalid',
        `${failed} of ${results.length} test notices did not arrive (horarium help notifications). A command reads its own settings: give it the variables and the settings file of the service.`,
      );
  });
}

/** Whose list is tested, as the options name it. */
type NamedOwner =
  | { readonly owner: 'runtemplate' | 'company'; readonly resource: AnyResource; readonly given: string }
  | { readonly owner: 'service' };

/** Returns the list to test, or null for one action. @throws HorariumError `bad_request` unless exactly one is named. */
function placeOf(
  action: string | undefined,
  { runtemplateId, companyId, service, set, json }: TestOptions,
): NamedOwner | null {
  const places: NamedOwner[] = [];
  if (runtemplateId !== undefined) places.push({ owner: 'runtemplate', resource: RunTemplate, given: runtemplateId });
  if (companyId !== undefined) places.push({ owner: 'company', resource: Company, given: companyId });
  if (service) places.push({ owner: 'service' });
  if (places.length + (action === undefined ? 0 : 1) !== 1)
    throw new HorariumError(
      'bad_request',
      'Name one thing to test: an action, such as action:test email --set to=ops@example.com, or the list of --runtemplate-id, --company-id or --service.',
    );
  if (places[0] && (set.length > 0 || json !== undefined))
    throw new HorariumError(
      'bad_request',
      '--set and --json are for one action: the actions of a list have their options.',
    );
  return places[0] ?? null;
}

async function sendList(
  session: CommandSession,
  place: NamedOwner,
  event: ActionEvent,
): Promise<readonly TestResult[]> {
  const { testNotices } = session.core;
  if (place.owner === 'service') return testNotices.sendList(session.actor, { owner: 'service', id: null, event });
  const id = await recordIdOf(session, place.resource, place.given);
  return testNotices.sendList(session.actor, { owner: place.owner, id, event });
}

async function sendOne(
  { core: { testNotices }, actor }: CommandSession,
  action: string,
  fromFile: Readonly<Record<string, unknown>>,
  { event, set }: TestOptions,
  { io }: Cli,
): Promise<TestResult> {
  const secrets = testNotices.secretsOf(action).filter((name) => set.some(([given]) => given === name));
  for (const name of secrets) await io.err(exposedSecretWarning(name, '--set'));
  const texts = new Map<string, string[]>();
  for (const [name, text] of set) texts.set(name, [...(texts.get(name) ?? []), text]);
  return testNotices.send(actor, action, event, { ...fromFile, ...testNotices.readTexts(action, texts) });
}

/** A result with the words of a table; one that arrived has no error. */
function rowOf({ action, endpoint, error, status, response }: TestResult): Record<string, unknown> {
  return { action, endpoint, result: error === null ? 'arrived' : 'failed', status, error, response };
}
