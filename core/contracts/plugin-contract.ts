import { type Attempt, type Executor, isStartedHere } from '../executor/executor.ts';
import type { Clock } from '../loop/clock.ts';
import type { AnyPlugin } from '../plugin/define-plugin.ts';
import { type ExtensionMember, extensionKinds } from '../plugin/extension-kinds.ts';
import { preparePlugin } from '../plugin/prepare-plugin.ts';
import { buildRegistries } from '../plugin/registries.ts';
import { type ActionUnderTest, actionContract } from './action-contract.ts';
import { type CalendarRuleFixture, calendarRuleContract } from './calendar-rule-contract.ts';
import { type Clause, clauseList } from './clause.ts';
import { type EventSourceTraits, eventSourceContract } from './event-source/event-source-contract.ts';
import type { EventSourcesUnderTest } from './event-source/sources-under-test.ts';
import { type ExecutorTraits, executorContract, type TestPrograms } from './executor-contract.ts';
import { type FormatTraits, formatContract } from './format-contract.ts';

/** What the suite of an executor runs. */
export interface ExecutorFixture {
  /** What the executor can run, each as `{ executable, arguments }`. */
  readonly programs: TestPrograms;
  /** The `executor_options` of every attempt, which must have those that the executor requires. @default none */
  readonly options?: Attempt['options'];
  /** What the executor cannot do, or does besides. @default none */
  readonly traits?: ExecutorTraits;
}

/** The sources that the suite of a kind of event sources reads. */
export interface EventSourceFixture {
  /** Returns new sources for each check. */
  sources(): Promise<Omit<EventSourcesUnderTest, 'kind'>> | Omit<EventSourcesUnderTest, 'kind'>;
  /** What distinguishes the kind. @default none */
  readonly traits?: EventSourceTraits;
}

/** Returns new receivers of an action for each check of its suite. */
export type ActionFixture = () => Promise<Omit<ActionUnderTest, 'action'>> | Omit<ActionUnderTest, 'action'>;

/**
 * What the suites must be told about the extensions of a plugin, each by its name, because only its author knows: the
 * programs that an executor can run, for example.
 */
export interface PluginFixtures {
  /** The options of the plugin in the checks. @default none */
  readonly options?: Readonly<Record<string, unknown>>;
  /** The programs that each executor can run, by its name. */
  readonly executors?: Readonly<Record<string, ExecutorFixture>>;
  /** The sources that each kind can read, by its name. */
  readonly eventSourceKinds?: Readonly<Record<string, EventSourceFixture>>;
  /** The receivers of each action, by its name. */
  readonly actions?: Readonly<Record<string, ActionFixture>>;
  /** What each calendar rule is asked, by its name. */
  readonly calendarRules?: Readonly<Record<string, CalendarRuleFixture>>;
  /** The traits of each format, by its suffix. A format needs none. */
  readonly formats?: Readonly<Record<string, FormatTraits>>;
}

/** Returns the fixtures unchanged; lets the compiler check them. */
export function defineFixtures(fixtures: PluginFixtures): PluginFixtures {
  return fixtures;
}

/**
 * The contracts of everything that a plugin provides, clause by clause; each title begins with the extension, such as
 * `executor my-thing`. One whose contract needs fixtures that are missing has a clause that fails and says so. Commands,
 * importers and routes have no contract beyond what is checked when the plugin is loaded:
 * `for (const { title, check } of await pluginContract(plugin, fixtures, clock)) it(title, check)`.
 * @param clock tells the same time as the plugin's executors.
 * @throws HorariumError `invalid` or `conflict` with the reason why the service would not load the plugin.
 */
export async function pluginContract(
  plugin: AnyPlugin,
  fixtures: PluginFixtures,
  clock: Clock,
): Promise<readonly Clause[]> {
  const extensions = () => buildRegistries([preparePlugin(plugin, fixtures.options ?? {}, clock)]);
  const { clauses, clause } = clauseList();
  const add = (member: ExtensionMember, name: string, contract: readonly Clause[] | undefined) => {
    const subject = `${extensionKinds[member].name} ${name}`;
    for (const { title, check } of contract ?? []) clause(`${subject}: ${title}`, check);
    if (!contract)
      clause(`${subject}: is checked`, () => {
        const example = `plugin:new ${extensionKinds[member].name.replace(' kind', '').replace(' ', '-')}`;
        throw new Error(
          `Its contract needs fixtures: fixtures.js beside the plugin must have ${member}: { "${name}": … }, as ${example} writes them.`,
        );
      });
  };
  const { executors, eventSourceKinds, actions, calendarRules, formats } = extensions();
  for (const executor of [...executors].filter(isStartedHere)) {
    const { name } = executor;
    await executor.close?.();
    const fixture = fixtures.executors?.[name];
    // Each check closes its executor.
    const make = async ({ programs, options = {} }: ExecutorFixture) => {
      return { executor: await alone(extensions().executors, name), programs, options };
    };
    const contract = fixture && executorContract(() => make(fixture), clock, fixture.traits);
    add('executors', name, contract);
  }
  for (const kind of eventSourceKinds) {
    const fixture = fixtures.eventSourceKinds?.[kind.name];
    const make = async ({ sources }: EventSourceFixture) => ({ ...(await sources()), kind });
    add('eventSourceKinds', kind.name, fixture && eventSourceContract(() => make(fixture), clock, fixture.traits));
  }
  for (const action of actions) {
    const fixture = fixtures.actions?.[action.name];
    const make = async (receivers: ActionFixture) => ({ ...(await receivers()), action });
    add('actions', action.name, fixture && actionContract(() => make(fixture), clock));
  }
  for (const rule of calendarRules) {
    const fixture = fixtures.calendarRules?.[rule.name];
    add('calendarRules', rule.name, fixture && calendarRuleContract(rule, fixture));
  }
  for (const format of formats)
    add('formats', format.suffix, formatContract(format, fixtures.formats?.[format.suffix]));
  return clauses;
}

/** Returns the executor of that name, and closes the others. */
async function alone(executors: Iterable<object>, name: string): Promise<Executor> {
  let found: Executor | undefined;
  for (const executor of executors as Iterable<Executor>) {
    if (executor.name === name) found = executor;
    else await executor.close?.();
  }
  if (!found) throw new Error(`The plugin no longer provides the executor ${name}.`);
  return found;
}
