import { text } from '../field/fields.ts';
import { defineBookkeeping, type RowOfTable } from './table.ts';

/** Values that the service stores about itself, such as the fingerprint of the vault's key. */
export const Setting = defineBookkeeping({
  name: 'Setting',
  fields: {
    name: text(128, { unique: true }).required(),
    value: text(65_535),
  },
});
export type SettingRow = RowOfTable<typeof Setting>;
