import type { ReadConfig } from '../config/read-config.ts';
import { effectiveRows } from '../config/settings-table.ts';
import { pluginOptionRows } from './option-rows.ts';

/** Describes each setting in one row, and each option of a plugin in one of its own. Secrets are masked. */
export async function settingRows({
  config,
  effective,
}: Pick<ReadConfig, 'config' | 'effective'>): Promise<Record<string, unknown>[]> {
  const rows: Record<string, unknown>[] = [];
  for (const row of effectiveRows(effective)) {
    rows.push(row);
    if (row['setting'] === 'plugin_options') rows.push(...(await pluginOptionRows(config, row)));
  }
  return rows;
}
