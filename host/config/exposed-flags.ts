import type { Effective } from './read-config.ts';
import { flagOf, variableOf } from './setting.ts';

/** A sentence for each flag that was given a secret, without the secret itself. */
export function exposedFlags(effective: readonly Effective[]): string[] {
  return effective
    .filter(
      ({ setting, text, source }) => source === 'flag' && text !== null && (setting.show?.(text) ?? text) !== text,
    )
    .map(
      ({ setting: { name } }) =>
        `Warning: every user of this machine can read the password in ${flagOf(name)}; ` +
        `${variableOf(name)} and the file of --config keep it to themselves.`,
    );
}
