import { createHash } from 'node:crypto';
import { type Actor, HorariumError, type PluginCore, RunTemplate, setFields, type Tables } from '@horarium/core/plugin';
import { PingAddress } from './ping-fields.ts';

// Who knows the address of a template can report for it without other credentials. Only a hash of its secret is stored.

/**
 * Gives a template an address; the one that it had is revoked.
 * @returns the secret in the address, a UUID.
 * @throws HorariumError `not_found`, `denied`, or `conflict` for a template whose jobs workers of the service start.
 */
export async function renewAddress(core: PluginCore, tables: Tables, actor: Actor, id: number): Promise<string> {
  const { executor } = await core.records(RunTemplate).lockIn(tables, actor, id);
  if (!core.externalJobs.isExternal(executor))
    throw new HorariumError(
      'conflict',
      `RunTemplate ${id} has the executor ${executor}: only jobs done elsewhere are pinged.`,
    );
  const uuid = crypto.randomUUID();
  await setFields(tables, PingAddress, id, { pings_since: await tables.now(), ping_hash: hashOf(uuid) });
  return uuid;
}

/** Takes the address from a template; without one, nothing changes. @throws HorariumError `not_found` or `denied`. */
export async function revokeAddress(core: PluginCore, tables: Tables, actor: Actor, id: number): Promise<void> {
  await core.records(RunTemplate).lockIn(tables, actor, id);
  await tables.of(PingAddress).delete([['record_id', '=', id]]);
}

/** Returns the id of the template of an address; undefined for an unknown or revoked secret. */
export function findTemplate({ store }: PluginCore, uuid: string): Promise<number | undefined> {
  const where = [['ping_hash', '=', hashOf(uuid.toLowerCase())]] as const;
  return store.readOnce(async (tables) => (await tables.of(PingAddress).find({ where, limit: 1 }))[0]?.record_id);
}

function hashOf(uuid: string): string {
  return createHash('sha256').update(uuid).digest('hex');
}
