import type { PluginCore } from '@horarium/core/plugin';
import type { CrontabFile } from '../lines/read-crontabs.ts';
import { CrontabSource } from './crontab-source.ts';

/**
 * Returns the crontabs that run templates come from and that are there no more, as empty ones.
 * @param files those that are there.
 * @param pathOf returns the path of a crontab that is known to belong to them; null for any other.
 */
export async function deletedCrontabs(
  { store }: Pick<PluginCore, 'store'>,
  files: readonly CrontabFile[],
  pathOf: (source: string) => string | null,
): Promise<CrontabFile[]> {
  const rows = await store.readOnce((tables) =>
    tables.of(CrontabSource).find({ where: [['crontab_line', '!=', null]], columns: ['id', 'crontab'] }),
  );
  const known = new Set(files.map(({ source }) => source));
  const sources = [...new Set(rows.flatMap(({ crontab }) => crontab ?? []))].filter((source) => !known.has(source));
  return sources.flatMap((source) => {
    const path = pathOf(source);
    return path === null ? [] : [{ file: path, text: '', system: false, owner: null, source }];
  });
}
