import { checkedFetch } from '../../support/http/checked-fetch.ts';
import { eventually } from '../../support/mocha/eventually.ts';
import type { Attack } from '../attack.ts';
import { createWorld } from '../own-target.ts';

const failingTicks: Attack = {
  claim: '/readyz fails while background work fails, and says why',
  attempt: async (target) => {
    await using world = await createWorld(target);
    const { url } = await world.startService();
    const readiness = async () => {
      const response = await checkedFetch(new URL('/readyz', url));
      return { status: response.status, text: await response.text() };
    };
    await eventually('it is ready', async () => (await readiness()).status === 200);
    await world.execute('alter table horarium_schedule rename to hidden_schedule');
    const { text } = await eventually('it is not ready', async () => {
      const found = await readiness();
      return found.status === 503 && found;
    });
    if (!/schedul/i.test(text)) return `/readyz does not say why: ${text}`;
    await world.execute('alter table hidden_schedule rename to horarium_schedule');
    await eventually('it is ready again', async () => (await readiness()).status === 200);
    return null;
  },
};

export const readinessAttacks = [failingTicks];
