import { defineCommand, flag, ref } from '@horarium/core/plugin';
import { renewAddress, revokeAddress } from './ping-addresses.ts';

/** `runtemplate:ping ID` */
export const pingAddressCommand = defineCommand({
  name: 'runtemplate:ping',
  summary: 'Give a run template a new ping address. The former one is revoked.',
  group: 'Notices, events and work elsewhere:',
  arguments: { id: ref('RunTemplate', { description: 'the run template, of the executor external' }).required() },
  options: { revoke: flag(false, { description: 'take the address away, and give none' }) },
  async run({ core, actor, arguments: { id }, options: { revoke }, output, serviceUrl }) {
    if (revoke) {
      await core.store.transaction(actor, (tables) => revokeAddress(core, tables, actor, id));
      await output.note(`RunTemplate ${id} has no ping address any more.`);
      return;
    }
    const uuid = await core.store.transaction(actor, (tables) => renewAddress(core, tables, actor, id));
    await output.print({ ping_url: `${serviceUrl}/ping/${uuid}` });
    await output.note('It is shown only once: anyone who knows it can report for the template.');
  },
});
