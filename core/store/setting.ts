import { text } from '../field/fields.ts';
import { type CacheRegion, defineBookkeeping, type RowOfTable } from './table.ts';

/** Values that the service stores about itself, such as the fingerprint of the vault's key. */
export const Setting = defineBookkeeping({
  name: 'Setting',
  fields: {
    name: text(128, { unique: true }).required(),
    value: text(65_535),
  },
});
export type SettingRow = RowOfTable<typeof Setting>;
/** What a transaction reads of a setting. */
export type StoredSetting = Pick<SettingRow, 'name' | 'value'>;

/** Returns the name of the setting with the version of a region of the cache. */
export function versionSetting<R extends CacheRegion>(region: R): `version of ${R}` {
  return `version of ${region}`;
}

/** The settings that nearly every transaction needs; they are read together. */
export const commonSettings = [
  'clock',
  'vault rotation',
  'restore pause',
  versionSetting('configuration'),
  versionSetting('accounts'),
] as const;
export type CommonSetting = (typeof commonSettings)[number];
