import type { AnyAction } from '../action/action.ts';
import type { ActionLists } from '../action/action-lists.ts';
import type { ListedAction } from '../action/listed-action.ts';
import type { ActionEvent } from '../action/notice.ts';
import { Company } from '../company/company.ts';
import { completeOptions, type Options } from '../records/plugin-options.ts';
import { type CipherRow, RecordCipher } from '../secret/record-cipher.ts';
import type { Vault } from '../secret/vault.ts';
import { RunTemplate } from '../template/run-template.ts';
import type { ListOwner } from './delivery.ts';

/** The columns of a record that hold its actions. */
export const listColumns = [
  'id',
  'cipher_key',
  'on_start',
  'on_success',
  'on_failure',
  'on_late',
  'on_missed',
  'on_recovered',
] as const;

/** Lists of actions, and the record whose cipher encrypts the secrets in them; the service's own are not encrypted. */
export type OwnedLists = ActionLists & Partial<CipherRow>;

const resources = { runtemplate: RunTemplate, company: Company } as const;

/**
 * Returns the options of an action in a list: complete, with the secrets decrypted.
 * @throws HorariumError `unavailable` when they cannot be decrypted here.
 */
export function optionsOf(
  vault: Vault,
  action: AnyAction,
  { owner, lists, event, position }: { owner: ListOwner; lists: OwnedLists; event: ActionEvent; position: number },
): Options {
  const { id: _id, action: _name, ...stored } = lists[event][position] as ListedAction;
  if (owner === 'service') return completeOptions(action.options, stored);
  const cipher = new RecordCipher(vault, resources[owner], lists as CipherRow);
  return completeOptions(action.options, cipher.decryptAll([event, position], stored) as Options);
}
