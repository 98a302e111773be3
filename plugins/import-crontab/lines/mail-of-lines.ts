import type { PluginCore, RunTemplateRow } from '@horarium/core/plugin';

/** A list of actions of a run template. */
export type ActionList = RunTemplateRow['on_failure'];

/** The action that sends mails. */
const mailAction = 'email';

/** Whether a value of MAILTO has addresses of e-mail, and no names of mailboxes of the machine. */
export function isMailAddress(mailto: string): boolean {
  return addressesOf(mailto).every((address) => /^[^\s@<>;"]+@[^\s@<>;"]+$/.test(address));
}

/** Returns why no mail can be sent, as the end of a sentence; null = it can. */
export function mailRefusalOf({ refusals }: Pick<PluginCore, 'refusals'>): string | null {
  return refusals.action(mailAction, { to: 'ops@example.com' });
}

/**
 * Returns the actions that are to follow a failure of a line: those that there are, with a mail to whom MAILTO names, and
 * without one to whom it named before. Null = those that there are.
 * @param former the MAILTO from which the record was made; undefined = none.
 */
export function actionsWithMail(
  listed: ActionList,
  mailto: string | null,
  former: string | undefined,
): ActionList | null {
  const to = mailto !== null && isMailAddress(mailto) ? addressesOf(mailto).join(', ') : null;
  const formerTo = former === undefined ? to : addressesOf(former).join(', ');
  const isMailTo = (address: string | null) => (each: ActionList[number]) =>
    each.action === mailAction && each['to'] === address;
  const others = formerTo === to ? listed : listed.filter((each) => !isMailTo(formerTo)(each));
  if (to !== null && !others.some(isMailTo(to))) return [...others, { action: mailAction, to }];
  return others.length === listed.length ? null : others;
}

function addressesOf(mailto: string): string[] {
  return mailto.split(/[\s,]+/).filter(Boolean);
}
