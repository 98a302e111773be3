import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { day, hour, minute, second } from '#core/time/duration';
import { variableOf } from '../../../host/config/setting.ts';
import { settings } from '../../../host/config/settings.ts';
import { sourceRoot } from '../../house/source-files.ts';

/**
 * Reads a constant of a source file, so that what the documentation says of it is what the code does.
 * @throws Error when the file has no such constant, or one that is made of more than numbers and units of time.
 */
export function constant(path: string, name: string): number {
  const text = readFileSync(join(sourceRoot, path), 'utf8');
  const [, expression = ''] = new RegExp(`^(?:export )?const ${name}(?:: \\w+)? = ([^;]+);`, 'm').exec(text) ?? [];
  const factors = expression.split('*').map((factor) => factorOf(factor.trim()));
  if (expression === '' || factors.includes(undefined)) throw new Error(`${path} has no constant ${name} of numbers.`);
  return factors.reduce<number>((product, factor) => product * (factor as number), 1);
}

const units: Readonly<Record<string, number>> = { second, minute, hour, day };

function factorOf(factor: string): number | undefined {
  return /^[\d_.]+$/.test(factor) ? Number(factor.replaceAll('_', '')) : units[factor];
}

/** Writes the default of a setting with its variable. @throws Error when there is no such setting with a default. */
export function settingDefault(name: string): string {
  const setting = settings.find((each) => each.name === name);
  if (typeof setting?.default !== 'string') throw new Error(`There is no setting ${name} with a default.`);
  return `${setting.default.replace(/(?<=\d)(?=[KMG]iB)/, ' ')} (\`${variableOf(name)}\`)`;
}
