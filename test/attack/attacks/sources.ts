import { randomBytes, randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { signWebhook } from '../../../plugins/standard-webhooks/standard-webhooks.ts';
import { checkedFetch } from '../../support/http/checked-fetch.ts';
import { temporaryFolder } from '../../support/mocha/temporary-folder.ts';
import type { Attack } from '../attack.ts';
import { openTarget, worldOf } from '../own-target.ts';
import { findLongBlock } from '../service-metrics.ts';

const createTable = `create table changes_cache (inversion integer primary key, recordid text, evidence text, operation text,
  externalids text, created text, source text, target text)`;
const addRows = `with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < 6000)
  insert into changes_cache (recordid, evidence, operation) select n, 'order', 'create' from numbers`;

const sourceBurst: Attack = {
  claim: 'Thousands of new rows of an event source block neither the event loop nor the jobs of others',
  attempt: async (target) => {
    const folder = temporaryFolder('source');
    const options = { 'event-source-changes-table': { sqlite_folders: [folder] } };
    const settings = { HORARIUM_PLUGIN_OPTIONS: JSON.stringify(options) };
    try {
      await using opened = await openTarget(worldOf(target).kind, settings);
      const own = opened.target;
      const [tenant, neighbour] = [await own.addTenant(), await own.addTenant()];
      const app = await own.addShellApp('true');
      const [template, other] = [await own.addTemplate(tenant, app), await own.addTemplate(neighbour, app)];
      const database = join(folder, 'shop.sqlite');
      new Database(database).exec(`${createTable}; ${addRows}`).close();
      const { id } = await own.admin.save('eventsource', {
        name: 'shop',
        kind: 'changes-table',
        options: { driver: 'sqlite', database },
        poll_interval: 1,
        companies: [tenant.id],
      });
      await tenant.manager.save('eventrule', { event_source_id: id, runtemplate_id: template });
      const { result, block } = await findLongBlock(own, () => own.run(neighbour, other), 0.5);
      return result.state === 'succeeded' ? block : `a job of another company ended ${result.state}: ${result.reason}`;
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

/** How many messages are refused: more than there may be wrong guesses of a key. */
const refusedMessages = 60;

const refusedWebhooks: Attack = {
  claim:
    'A webhook of another content type or encoding is refused, and a signed one that is refused is no guess of its key',
  attempt: async (target) => {
    const secret = `whsec_${randomBytes(32).toString('base64')}`;
    const { name } = await target.admin.save('eventsource', {
      name: randomUUID(),
      kind: 'webhook',
      options: { secret },
    });
    const send = async (body: string, headers: Readonly<Record<string, string>> = {}) => {
      const message = { id: randomUUID(), timestamp: Math.floor(Date.now() / 1000), body };
      const response = await checkedFetch(`${new URL(target.url).origin}/hook/${name}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...signWebhook(message, [secret]), ...headers },
        body,
      });
      await response.arrayBuffer();
      return response.status;
    };
    for (const headers of [{ 'content-type': 'text/plain' }, { 'content-encoding': 'gzip' }]) {
      const status = await send('{}', headers);
      if (status !== 415) return `${JSON.stringify(headers)} was answered with ${status}`;
    }
    for (let sent = 0; sent < refusedMessages; sent += 1) {
      const status = await send('[]');
      if (status !== 422) return `signed message ${sent + 1} was answered with ${status}`;
    }
    const status = await send('{"type": "order.created"}');
    return status === 202 ? null : `a message was answered with ${status}`;
  },
};

export const sourceAttacks = [sourceBurst, refusedWebhooks];
