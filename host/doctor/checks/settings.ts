import { type Finding, ok, warn } from '../finding.ts';
import type { Installation } from '../installation.ts';

/** Reads every setting, and names where they are set. */
export async function checkSettings(installation: Installation): Promise<Finding[]> {
  const { effective, fileWarnings } = await installation.settings();
  const sources = new Set(effective.map(({ source }) => source).filter((source) => source !== 'default'));
  const where = sources.size === 0 ? 'all are the defaults' : `set by ${[...sources].join(', ')}`;
  const open = fileWarnings.map((warning) =>
    warn(warning.replace(/^Warning: /, ''), 'Let only the user of the service read the file: chmod 600.'),
  );
  return [ok(`valid; ${where}`), ...open];
}
