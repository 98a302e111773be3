import { Migration } from '@mikro-orm/migrations';
import { openStore } from '../../../adapters/mikro-orm/open-store.ts';

/** Changes tables and rows, says so, and never ends: the test kills the process meanwhile. */
class Migration99990101000000_endless extends Migration {
  override async up(): Promise<void> {
    await this.execute('alter table horarium_topic drop column color');
    await this.execute('create table horarium_half (id integer)');
    await this.execute(`update horarium_topic set name = 'half'`);
    console.log('half way');
    await new Promise((resolve) => setTimeout(resolve, 600_000));
  }
}

const { name } = Migration99990101000000_endless;
const entry = { name, load: async () => Migration99990101000000_endless };
const [, , url = ''] = process.argv;
await using store = await openStore({ url, furtherMigrations: { sqlite: [entry], postgresql: [entry] } });
await store.schema?.migrate();
