import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sourceRoot } from '../../house/source-files.ts';

/** The interfaces of fixtures, in the order of the table: where their members stand in `fixtures.js`, and their file. */
const interfaces = [
  ['', 'PluginFixtures', 'plugin-contract.ts'],
  ['executors.NAME.', 'ExecutorFixture', 'plugin-contract.ts'],
  ['executors.NAME.programs.', 'TestPrograms', 'executor-contract.ts'],
  ['executors.NAME.traits.', 'ExecutorTraits', 'executor-contract.ts'],
  ['eventSourceKinds.NAME.', 'EventSourceFixture', 'plugin-contract.ts'],
  ['eventSourceKinds.NAME.sources().', 'EventSourcesUnderTest', 'event-source/sources-under-test.ts'],
  ['eventSourceKinds.NAME.traits.', 'EventSourceTraits', 'event-source/event-source-contract.ts'],
  ['actions.NAME().', 'ActionUnderTest', 'action-contract.ts'],
  ['calendarRules.NAME.', 'CalendarRuleFixture', 'calendar-rule-contract.ts'],
  ['formats.SUFFIX.', 'FormatTraits', 'format-contract.ts'],
] as const;

/** A name that fixtures can have, with its sentence. */
interface FixtureName {
  readonly name: string;
  readonly sentence: string;
}

/** Lists the names in fixtures by the comments of their types. What the suite adds by itself has no comment, and is left out. */
export function fixtureNames(): readonly FixtureName[] {
  return interfaces.flatMap(([place, type, file]) => {
    const source = readFileSync(join(sourceRoot, 'core/contracts', file), 'utf8');
    const [, body = ''] = new RegExp(`^export interface ${type} \\{\\n(.*?)^\\}`, 'ms').exec(source) ?? [];
    const members = body.matchAll(/\/\*\*((?:(?!\*\/).)*)\*\/\s*(?:readonly )?(\w+\??)[:(]/gs);
    return [...members].map(([, comment = '', member = '']) => ({
      name: `${place}${member}`,
      sentence: comment
        .replaceAll(/\s*\n\s*\* ?/g, ' ')
        .trim()
        .replace(/ ?@default (.*)$/, ' Default: $1.'),
    }));
  });
}
