import { text } from '../field/fields.ts';
import { defineBookkeeping, type RowOfTable } from './table.ts';

/** What the service must remember about its store: the fingerprint of the vault's key and the like. */
export const Setting = defineBookkeeping({
  name: 'Setting',
  fields: {
    name: text(128, { unique: true }).required(),
    value: text(65_535),
  },
});
export type SettingRow = RowOfTable<typeof Setting>;
