import { serviceIds } from '../../service-ids.ts';
import { type Finding, fail, ok, warn } from '../finding.ts';
import type { Installation } from '../installation.ts';

/** From here on people and programs that compare times of both clocks are misled. */
const noticeable = 1000;
/** From here on a cron pattern, whose smallest unit is a minute, is due in another minute than the machine shows. */
const misleading = 60_000;

/** Compares the clock of the store with that of this machine, and asks whether the service waits because it jumped. */
export async function checkClock(installation: Installation): Promise<Finding[]> {
  return [await difference(installation), ...(await jump(installation))];
}

async function difference(installation: Installation): Promise<Finding> {
  const host = await installation.host();
  const [store, clock] = [await host.get(serviceIds.store), await host.get(serviceIds.clock)];
  const { before, now, after } = await store.transaction(
    async (tables) => ({ before: clock.now(), now: await tables.now(), after: clock.now() }),
    { readOnly: true },
  );
  // The store read its clock between the two readings of this one: what may be the way there and back is no difference.
  const ahead = Math.max(0, now - after) - Math.max(0, before - now);
  if (Math.abs(ahead) < noticeable) return ok('the clock of the store agrees with that of this machine');
  const seconds = `${(Math.abs(ahead) / 1000).toFixed(1)} s`;
  const found = `the clock of the store is ${seconds} ${ahead < 0 ? 'behind' : 'ahead of'} that of this machine`;
  const judge = Math.abs(ahead) < misleading ? warn : fail;
  return judge(found, 'Let NTP keep the time on both machines: horarium help clocks');
}

async function jump(installation: Installation): Promise<Finding[]> {
  const { ready, reason } = await (await installation.core()).readiness();
  if (reason === null) return [];
  const judge = ready ? warn : fail;
  return [judge(reason, 'horarium help clocks')];
}
