import { randomUUID } from 'node:crypto';
import { EventStream } from '../../support/http/event-stream.ts';
import type { Attack } from '../attack.ts';

const eavesdropped: Attack = {
  claim:
    'The stream of changes tells a user of no record that they may not see, and no values, and ends with their token',
  attempt: async (target) => {
    const [own, other] = [await target.addTenant(), await target.addTenant()];
    const secret = `secret-${randomUUID()}`;
    // Both from now on, and from the beginning of the log.
    for (const search of ['', '?after=0', `?entity_type=Company,User,Token,App,Credential,RunTemplate`]) {
      const { client } = await target.addUser();
      const { json: user } = await client.get('/users.json');
      await target.admin.save(`company/${own.id}/user`, { user_id: user[0].id, role: 'viewer' });
      await using stream = await EventStream.open(`${target.url}/changes${search}`, client.headers);
      await stream.waitFor(({ events }) => events.length > 0);
      await target.addUser('admin');
      await target.admin.save('app', { name: secret, executable: '/bin/true' });
      await target.admin.save(`company/${other.id}`, { name: secret });
      await target.admin.save(`company/${own.id}`, { name: `${secret} ${search}` });
      const changes = () => stream.events.filter(({ name }) => name === 'change').map(({ data }) => data);
      await stream.waitFor(() => changes().some((change) => change.entity_id === own.id));
      const seen = changes().filter((change) => change.company_id !== own.id && change.entity_id !== user[0].id);
      if (seen.length > 0) return `a viewer was sent ${JSON.stringify(seen[0])} with ${search}`;
      if (stream.text.includes(secret)) return `a viewer was sent a value with ${search}`;
      const { status } = await client.post('/logout', {});
      if (status !== 204) return `the token could not be revoked: ${status}`;
      await stream.ended();
    }
    return null;
  },
};

export const changeAttacks = [eavesdropped];
